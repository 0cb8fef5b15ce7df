import { describe, expect, it } from 'vitest';
import { boundClass } from '../../../src/charts/bound';
import { BOUND_CLASSES } from '../../../src/contract/constants';
import { hasUtilization, movers, radius, scatterOf } from '../../../src/charts/scatter/scatter';
import type { Cell, Table } from '../../../src/contract/wire';
import { PLAIN, column } from '../../samples';

type Side = [tensor: number | null, dram: number | null, us: number | null];
const absent: Side = [null, null, null];

function table(rows: Record<string, [Side, Side]>): Table {
  const names = ['baseline_us', 'candidate_us', 'baseline_tensor_active', 'candidate_tensor_active', 'baseline_dram_active', 'candidate_dram_active'];
  return {
    ...PLAIN, title: 'Kernels',
    columns: [column('name', 'key', 'text'), ...names.map((name) => column(name, 'plain', 'fraction'))],
    rows: Object.entries(rows).map(([name, [a, b]]): Cell[] => [name, a[2], b[2], a[0], b[0], a[1], b[1]]),
    notes: [],
  };
}

describe('the utilization chart', () => {
  const kernels = table({
    small: [[0.1, 0.2, 1], [0.1, 0.2, 1]],
    gone: [[0.7, 0.1, 30], absent],
    moved: [[0.7, 0.1, 20], [0.2, 0.3, 50]],
    'no figures': [[null, null, 5], [null, 0.4, 7]],
  });
  it('draws the largest, one mark per side that has both figures', () => {
    const { points, largest_us } = scatterOf(kernels);
    expect(points.map((point) => [point.name, point.a !== null, point.b !== null])).toEqual([['moved', true, true], ['gone', true, false], ['small', true, true]]);
    expect(points[0]!.b).toEqual({ tensor: 0.2, dram: 0.3, us: 50 });
    expect(largest_us).toBe(50);
  });
  it('says what is left out and how much time that is', () => {
    const { points, small, unmeasured } = scatterOf(kernels, 1);
    expect(points.length).toBe(1);
    expect(small).toEqual({ count: 2, a_us: 31, b_us: 1 });
    expect(unmeasured).toEqual({ count: 1, a_us: 5, b_us: 7 });
  });
  it('joins the sides of those that moved, most first', () => {
    expect(movers(scatterOf(kernels).points).map((point) => point.name)).toEqual(['moved']);
    const many = table({ little: [[0.5, 0.5, 9], [0.52, 0.5, 9]], far: [[0.1, 0.1, 1], [0.9, 0.9, 1]], heavy: [[0.1, 0.1, 50], [0.3, 0.1, 50]] });
    expect(movers(scatterOf(many).points).map((point) => point.name)).toEqual(['heavy', 'far']);
  });
  it('is there only where some kernel has both figures', () => {
    expect(hasUtilization(kernels)).toBe(true);
    expect(hasUtilization(table({ a: [[null, 0.4, 7], [0.3, null, 7]] }))).toBe(false);
    expect(hasUtilization({ ...kernels, columns: kernels.columns.slice(0, 4) })).toBe(false);
  });
  it('makes areas proportional to time', () => {
    expect(radius(25, 100, 20) ** 2 / radius(100, 100, 20) ** 2).toBeCloseTo(0.25);
    expect(radius(0, 100, 20)).toBeGreaterThan(2);
  });
});

it.each([
  [0.6, 0.1, 'tensor-bound'],
  [0.59, 0.6, 'memory-bound'],
  [0.6, 0.6, 'both'],
  [0.1, 0.2, 'neither'],
  [null, 0.7, 'memory-bound'],
  [0.2, null, 'neither'],
  [null, null, 'not measured'],
])('a launch with tensor %s and DRAM %s is %s', (tensor, dram, expected) => {
  expect(BOUND_CLASSES[boundClass(tensor, dram)]).toBe(expected);
});
