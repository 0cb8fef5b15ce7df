import { describe, expect, it } from 'vitest';
import { bins, changes, windowShowing, rowAt, shortest, timelineOf, whole } from '../../../src/charts/launch_timeline/timeline';
import { zoomed } from '../../../src/charts/time_range';
import type { Table } from '../../../src/contract/wire';
import { PLAIN, column } from '../../samples';

type Row = [name: string, a: number | null, b: number | null, tensorA: number | null, status: string];

function table(rows: Row[]): Table {
  return {
    ...PLAIN, title: 'Launches',
    columns: [
      column('name', 'text', 'text'),
      column('baseline_us', 'baseline', 'time_us'),
      column('candidate_us', 'candidate', 'time_us'),
      column('baseline_tensor_active', 'plain', 'fraction'),
      column('status', 'status', 'text'),
    ],
    rows,
    notes: [],
  };
}

const rows: Row[] = [
  ['gemm', 10, 30, 0.8, 'both'],
  ['relu', 5, null, 0.1, 'removed'],
  ['sgemm', 20, 20, null, 'replaced'],
  ['isfinite', null, 5, null, 'added'],
];
const line = timelineOf(table(rows))!;

describe('the launches side by side', () => {
  it('gives every place room for its longer launch', () => {
    expect([...line.start]).toEqual([0, 30, 35, 55, 60]);
    expect([...line.status]).toEqual([0, 3, 1, 2]);
    expect([...line.a.bound]).toEqual([0, 3, 4, 4]);
    expect(line.hasUtilization).toBe(true);
    expect(timelineOf(table([]))).toBeNull();
  });
  it('finds the launch at a place', () => {
    expect([0, 29.9, 30, 34, 54, 59, 60, 99].map((us) => rowAt(line, us))).toEqual([0, 0, 1, 1, 2, 3, 3, 3]);
  });
  it('zooms in as far as a few launches are wide', () => {
    const near = zoomed(whole(line), whole(line), 15, 1e-9, shortest(line));
    expect(near.to - near.from).toBe(45);
  });
  it('moves just so far that a chosen launch is in view', () => {
    const window = { from: 0, to: 45 };
    expect(windowShowing(line, window, 1)).toBe(window);
    const next = windowShowing(line, window, 3);
    expect(next.from).toBeLessThanOrEqual(55);
    expect(next.to).toBe(60);
  });
  it('gathers launches shorter than a pixel, and leaves the others to be drawn one by one', () => {
    const found = bins(line, line.a, line.a.tensor, whole(line), 4); // 15 us per pixel
    expect([...found.classes.slice(0, 5)]).toEqual([10, 0, 0, 0, 0]);
    expect([...found.classes.slice(10, 15)]).toEqual([0, 0, 0, 5, 0]);
    expect(found.sum[0]! / found.weight[0]!).toBeCloseTo(0.8);
    expect([...found.classes.slice(5, 10)]).toEqual([0, 0, 0, 0, 0]);
  });
  it('shows changes as shares of the room they have, so that areas are times', () => {
    const shares = changes(line, whole(line), 60);
    expect(shares[0]).toBeCloseTo(20 / 30);
    expect(shares[32]).toBe(-1);
    expect(shares[40]).toBe(0);
    expect(shares[57]).toBe(1);
    const area = [...shares].reduce((sum, share) => sum + share, 0);
    expect(area).toBeCloseTo(20 - 5 + 0 + 5);
    expect([...changes(line, whole(line), 7)].reduce((sum, share) => sum + (share * 60) / 7, 0)).toBeCloseTo(20);
  });
});
