import { expect, it } from 'vitest';
import { barHeights } from '../../src/row_details/launch_histogram';

it('each side is a share of its own launches, on one scale', () => {
  // twice the launches of the same spread are the same picture
  expect(barHeights({ start_ns: [1, 2, 3], baseline: [1, 3], candidate: [2, 6] })).toEqual({ a: [1 / 3, 1], b: [1 / 3, 1] });
  expect(barHeights({ start_ns: [1, 2, 3], baseline: [1, 1], candidate: [4, 0] })).toEqual({ a: [0.5, 0.5], b: [1, 0] });
  expect(barHeights({ start_ns: [1, 2], baseline: null, candidate: [7] })).toEqual({ a: null, b: [1] });
});
