import { describe, expect, it } from 'vitest';
import { moveRow, offsetFor, rowWindow } from '../../src/table/row_window';

describe('long tables', () => {
  it('keep few rows in the document', () => {
    for (const top of [0, 5000, 50_000 * 28 - 500]) {
      const { first, end } = rowWindow(top, 500, 28, 50_000);
      expect(end - first).toBeLessThan(40);
      expect(first * 28).toBeLessThanOrEqual(top);
      expect(end * 28).toBeGreaterThanOrEqual(Math.min(top + 500, 50_000 * 28));
    }
    expect(rowWindow(0, 500, 28, 0)).toEqual({ first: 0, end: 0 });
  });
  it('move by keys and stay inside', () => {
    expect(moveRow('ArrowDown', -1, 10, 5)).toBe(0);
    expect(moveRow('ArrowUp', 0, 10, 5)).toBe(0);
    expect(moveRow('PageDown', 7, 10, 5)).toBe(9);
    expect(moveRow('End', 0, 10, 5)).toBe(9);
    expect(moveRow('a', 0, 10, 5)).toBeNull();
    expect(moveRow('Home', 0, 0, 5)).toBeNull();
  });
  it('scroll only as far as needed', () => {
    expect(offsetFor(5, 0, 280, 28)).toBe(0);
    expect(offsetFor(20, 0, 280, 28)).toBe(21 * 28 - 280);
    expect(offsetFor(1, 280, 280, 28)).toBe(28);
  });
});
