import { describe, expect, it } from 'vitest';
import { byteTicks, COLUMNS, devicesOf, extents, heldAt, linesOf, namesOf, peakOf, recordAt, stairs, stepAt, stepNames } from '../../../src/charts/memory/curves';
import type { Table } from '../../../src/contract/wire';
import { PLAIN, column } from '../../samples';

type Row = [side: string, capture: number, device: string, place: number, time: number, allocated: number, reserved: number | null, step?: string];

const table = (rows: Row[]): Table => ({
  ...PLAIN, title: 'Memory over time',
  columns: COLUMNS.map((name) => column(name, 'plain', 'number')),
  rows: rows.map(([side, capture, device, place, time, allocated, reserved, step = ''], point) => [side, capture, device, point, step, time, place, allocated, reserved]),
  notes: [],
});

const drawn = table([
  ['baseline', 1, 'CPU', 0, 0, 5, null],
  ['baseline', 1, 'GPU 0', 0.5, 100, 10, 64],
  ['baseline', 1, 'GPU 0', 1.5, 300, 30, 64],
  ['baseline', 1, 'GPU 0', 1.8, 380, 20, 64],
  ['baseline', 2, 'GPU 0', 1, 200, 25, 96],
  ['candidate', 1, 'GPU 0', 0.25, 100, 12, null],
]);
const lines = linesOf(drawn, 'GPU 0', 'place');

describe('memory over time', () => {
  it('is of one device, accelerators first', () => {
    expect(devicesOf(drawn)).toEqual(['GPU 0', 'CPU']);
    expect(lines.map((line) => [line.side, line.capture, line.at.length])).toEqual([['a', 1, 3], ['a', 2, 1], ['b', 1, 1]]);
  });
  it('lies along steps or along time', () => {
    expect([...lines[0]!.at]).toEqual([0.5, 1.5, 1.8]);
    expect([...linesOf(drawn, 'GPU 0', 'time_us')[0]!.at]).toEqual([100, 300, 380]);
  });
  it('holds from one record to the next', () => {
    expect([0.4, 0.5, 1.49, 1.5, 99].map((x) => recordAt(lines[0]!, x))).toEqual([-1, 0, 0, 1, 2]);
    expect(heldAt(lines, 'a', 0.1)).toBeNull();
    expect(heldAt(lines, 'a', 0.9)).toEqual({ allocated: 10, reserved: 64 });
  });
  it('is the most of several captures', () => {
    expect(heldAt(lines, 'a', 1)).toEqual({ allocated: 25, reserved: 96 });
    expect(heldAt(lines, 'b', 0.25)).toEqual({ allocated: 12, reserved: NaN });
  });
  it('is not known behind the last step of a run', () => {
    expect(heldAt(lines, 'a', 1.8)).toEqual({ allocated: 20, reserved: 64 });
    expect(heldAt(lines, 'a', 1.9)).toBeNull();
  });
  it('names its steps, those without a point by counting on', () => {
    const side = (which: string, capture: number, first: number): Row[] => [
      [which, capture, 'CPU', 0, 0, 5, null, String(first)],
      [which, capture, 'CPU', 1.5, 150, 6, null, String(first + 1)],
      [which, capture, 'CPU', 4, 400, 6, null, String(first + 3)],
    ];
    const same = namesOf(linesOf(table([...side('baseline', 1, 3), ...side('candidate', 1, 3)]), 'CPU', 'place'));
    expect(same).toEqual({ a: ['3', '4', '5', '6'], b: ['3', '4', '5', '6'], same: true });
    const shifted = namesOf(linesOf(table([...side('baseline', 1, 3), ...side('candidate', 1, 8)]), 'CPU', 'time_us'));
    expect([shifted.same, stepAt(shifted, 2.25), stepAt(shifted, 4)]).toEqual([false, { a: '5', b: '10', passed: 0.25 }, { a: '6', b: '11', passed: 1 }]);
    const mixed = linesOf(table([...side('baseline', 1, 3), ...side('baseline', 2, 7)]), 'CPU', 'place');
    expect(stepNames(mixed, 'a')).toBeNull();
    expect(namesOf(mixed).a).toEqual(['#1', '#2', '#3', '#4']);
  });
  it('does not guess names that do not count', () => {
    const rows: Row[] = [
      ['baseline', 1, 'CPU', 0, 0, 5, null, '1'],
      ['baseline', 1, 'CPU', 3, 300, 5, null, '1 (2)'],
    ];
    expect(stepNames(linesOf(table(rows), 'CPU', 'place'), 'a')).toEqual(['1', '', '1 (2)']);
  });
  it('has a peak on each side', () => {
    expect(peakOf(lines, 'a')).toEqual({ x: 1.5, bytes: 30 });
    expect(peakOf([], 'a')).toBeNull();
  });
  it('has axes from zero, or from below where a curve counts from its first record', () => {
    expect(extents(lines)).toEqual({ x: { low: 0, high: 1.8 }, y: { low: 0, high: 96 } });
    expect(extents(linesOf(table([['baseline', 1, 'CPU', 0, 0, -8, null]]), 'CPU', 'place')).y).toEqual({ low: -8, high: 0 });
    expect(extents([]).y.high).toBeGreaterThan(0);
  });
  it('is drawn as stairs', () => {
    const same = (value: number): number => value;
    expect(stairs(lines[0]!.at, lines[0]!.allocated, same, same, 2)).toBe('M0.5 10.0H1.5V30.0H1.8V20.0H2.0');
    expect(stairs(lines[2]!.at, lines[2]!.reserved, same, same, 2)).toBe('');
  });
  it('has round ticks in the unit it is read in', () => {
    expect(byteTicks({ low: 0, high: 3.7e9 }, 4)).toEqual([0, 2 ** 30, 2 ** 31, 3 * 2 ** 30]);
    expect(byteTicks({ low: 0, high: 10.9e6 }, 5)).toEqual([0, 5 * 2 ** 20, 10 * 2 ** 20]);
    expect(byteTicks({ low: -8, high: 0 }, 4)).toEqual([-8, -6, -4, -2, 0]);
  });
});
