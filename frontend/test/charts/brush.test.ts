import { describe, expect, it } from 'vitest';
import { canChoose, ordered, stepNumber, stepRange } from '../../src/charts/brush';
import type { Side } from '../../src/contract/wire';
import { sameSide, sideQuery, withSteps } from '../../src/pair/selection';

describe('a range of steps', () => {
  it('is named by the numbers of its steps', () => {
    expect(stepRange(['3', '4', '5'])).toBe('3-5');
    expect(stepRange(['7'])).toBe('7');
    expect(stepRange(['9', '10', '9 (2)'])).toBe('9-10');
    expect(stepRange(['warm-up', ''])).toBe('');
  });
  it('needs steps with different numbers: a recording without markers has one, 0', () => {
    expect(canChoose(['0'])).toBe(false);
    expect(canChoose(['1', '1 (2)'])).toBe(false);
    expect(canChoose(['1', '2'])).toBe(true);
    expect(stepNumber('1.5')).toBeNull();
  });
  it('may be drawn from either end and beyond the picture', () => {
    expect(ordered(5, 2, 10)).toEqual([2, 5]);
    expect(ordered(-3, 99, 10)).toEqual([0, 9]);
  });
  it('belongs to its side: it is asked for, swapped and left with it', () => {
    const side: Side = { run: 'a', worker: null, span: null };
    const some = withSteps(side, '3-10');
    expect(sideQuery(some, side, 'device').toString()).toBe('baseline=a&baseline_steps=3-10&candidate=a');
    expect(sideQuery(side, some, 'device').get('candidate_steps')).toBe('3-10');
    expect(sameSide(some, side)).toBe(false);
    expect(withSteps(some, '')).toEqual(side);
  });
});
