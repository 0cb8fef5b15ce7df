import { describe, expect, it } from 'vitest';
import { byteTicks, COLUMNS, devicesOf, extents, heldAt, linesOf, peakOf, recordAt, stairs } from '../src/memory_curves';
import { column } from './samples';
import type { Table } from '../src/wire';

type Row = [side: string, capture: number, device: string, place: number, time: number, allocated: number, reserved: number | null];

const table = (rows: Row[]): Table => ({
  title: 'Memory over time',
  columns: COLUMNS.map((name) => column(name, 'plain', 'number')),
  rows: rows.map(([side, capture, device, place, time, allocated, reserved], point) => [side, capture, device, point, time, place, allocated, reserved]),
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
    expect(heldAt(lines, 'a', 1.9)).toEqual({ allocated: 25, reserved: 96 });
    expect(heldAt(lines, 'b', 1.9)).toEqual({ allocated: 12, reserved: NaN });
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
    expect(byteTicks({ low: 0, high: 3.7e9 }, 4)).toEqual([0, 1e9, 2e9, 3e9]);
    expect(byteTicks({ low: 0, high: 10.9e6 }, 5)).toEqual([0, 5e6, 1e7]);
    expect(byteTicks({ low: -8, high: 0 }, 4)).toEqual([-8, -6, -4, -2, 0]);
  });
});
