import { describe, expect, it } from 'vitest';
import { rangeOf } from '../../src/row_details/row_steps';

describe('the times of a row', () => {
  it('reach from the shortest to the longest about their median', () => {
    expect(rangeOf([5, 1, 3])).toEqual({ low: 1, median: 3, high: 5 });
    expect(rangeOf([4, 1])).toEqual({ low: 1, median: 2.5, high: 4 });
    expect(rangeOf([])).toBeNull();
  });
});
