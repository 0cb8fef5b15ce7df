import { describe, expect, it } from 'vitest';
import { moveRow, offsetFor, rowWindow, slotsFor, type Slot } from '../../src/table/row_window';

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
  it('have as many rows wherever one is', () => {
    const sizes = Array.from({ length: 400 }, (_, n) => rowWindow(5000 + 13 * n, 509, 28, 50_000)).map(({ first, end }) => end - first);
    expect(new Set(sizes).size).toBe(1);
  });
  it('draw new rows with what drew those that left, where it stands', () => {
    const places = (slots: Slot[]): string => slots.map(({ key, place }) => `${key}:${place}`).join(' ');
    const first = slotsFor([], { first: 0, end: 6 }, false);
    expect(places(first)).toBe('0:0 1:2 2:4 3:1 4:3 5:5');
    const passed = slotsFor(first, { first: 3, end: 9 }, false);
    expect(places(passed)).toBe('0:6 1:8 2:4 3:7 4:3 5:5');
    expect(passed.every(({ key, place }) => (key < 3 ? 0 : 1) === place % 2)).toBe(true);
    expect(places(slotsFor(passed, { first: 3, end: 9 }, true))).toBe('4:3 2:4 5:5 0:6 3:7 1:8');
    expect(places(slotsFor(passed, { first: 4, end: 6 }, true))).toBe('2:4 5:5');
    expect(slotsFor(passed, { first: 0, end: 0 }, false)).toEqual([]);
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
