import { describe, expect, it } from 'vitest';
import { apart, decades, hasRates, powers, powerText, ridgeOf, roofAt, rooflineOf, roofsOf, shareOf } from '../../../src/charts/roofline/roofline';
import type { Cell, Table } from '../../../src/contract/wire';
import { column, PLAIN } from '../../samples';

type Side = [intensity: number | null, rate: number | null, us: number | null, share: number | null, type: string, bound: string];
const absent: Side = [null, null, null, null, '', ''];

function table(rows: Record<string, [Side, Side]>): Table {
  const figures = ['baseline', 'candidate'].flatMap((side) => ['intensity', 'flop_rate', 'modelled_us', 'roof_share', 'data_type', 'bound'].map((name) => column(`${side}_${name}`, 'plain', 'number')));
  return {
    ...PLAIN, title: 'Operators by shape',
    columns: [column('name', 'key', 'text'), column('input_shape', 'key', 'text'), ...figures],
    rows: Object.entries(rows).map(([name, [a, b]]): Cell[] => [name, '[8]', ...a, ...b]),
    notes: [],
  };
}

const H100 = { device: 'NVIDIA H100 SXM', tflops: { fp32: 67, bf16: 989 }, memory_gbs: 3350, source: '' };

describe('the roofline', () => {
  const rows = table({
    mm: [[100, 6e14, 20, 0.6, 'bf16', 'memory-bound'], [100, 3e14, 40, 0.3, 'bf16', 'memory-bound']],
    gone: [[1, 2e12, 30, 0.9, 'fp32', ''], absent],
    copy: [[0, 0, 5, null, '', ''], [0, 0, 7, null, '', '']],
    unknown: [absent, absent],
  });
  it('draws rows with a rate, the longest first, and counts those that only move bytes', () => {
    const { points, unmeasured, largest_us } = rooflineOf(rows);
    expect(points.map((point) => [point.name, point.a !== null, point.b !== null])).toEqual([['mm › [8]', true, true], ['gone › [8]', true, false]]);
    expect(points[0]!.b).toEqual({ intensity: 100, rate: 3e14, us: 40, share: 0.3, type: 'bf16', bound: 'memory-bound' });
    expect(unmeasured).toEqual({ count: 1, a_us: 5, b_us: 7 });
    expect(largest_us).toBe(40);
    expect(rooflineOf(rows, 1).small).toEqual({ count: 1, a_us: 30, b_us: 0 });
  });
  it('has the roofs of the data types in use, of one device once', () => {
    const { points } = rooflineOf(rows);
    expect(roofsOf({ baseline: H100, candidate: H100 }, points).map(({ side, type }) => [side, type])).toEqual([['both', 'fp32'], ['both', 'bf16']]);
    expect(roofsOf({ baseline: H100, candidate: { ...H100, device: 'other' } }, points).map(({ side, type }) => side + type)).toEqual(['afp32', 'abf16', 'bbf16']);
    expect(roofsOf({ baseline: null, candidate: null }, points)).toEqual([]);
    expect(roofsOf(undefined, points)).toEqual([]);
  });
  it('rises with the memory up to the ridge and is flat behind it', () => {
    const roof = roofsOf({ baseline: H100, candidate: H100 }, rooflineOf(rows).points)[1]!;
    expect(ridgeOf(roof)).toBeCloseTo(989e12 / 3350e9);
    expect([roofAt(roof, 1), roofAt(roof, 1e4)]).toEqual([3350e9, 989e12]);
    expect(roofAt({ ...roof, bandwidth: 0 }, 1)).toBe(989e12);
    expect(ridgeOf({ ...roof, bandwidth: 0 })).toBe(null);
  });
  it('is there only where the table has rates', () => {
    expect(hasRates(rows)).toBe(true);
    expect(hasRates({ ...rows, columns: rows.columns.slice(0, 2) })).toBe(false);
  });
});

describe('logarithmic axes', () => {
  it('hold all values in whole decades', () => {
    expect(decades([3, 250])).toEqual({ low: 1, high: 1000 });
    expect(decades([10])).toEqual({ low: 10, high: 100 });
    expect(decades([0, NaN])).toEqual({ low: 1, high: 10 });
    expect(shareOf({ low: 1, high: 100 }, 10)).toBeCloseTo(0.5);
  });
  it('say powers of ten with the prefix of their thousands', () => {
    expect([0.001, 1, 100, 1e4, 1e12, 1e16].map(powerText).map((text) => text.replace('\u202f', ' '))).toEqual(['0.001', '1', '100', '10 k', '1 T', '10 P']);
  });
  it('keep labels apart, the order as it was', () => {
    expect(apart([100, 10, 15], 13)).toEqual([100, 10, 23]);
  });
  it('have few ticks', () => {
    expect(powers({ low: 0.1, high: 1000 })).toEqual([0.1, 1, 10, 100, 1000]);
    expect(powers({ low: 1, high: 1e14 }).length).toBeLessThanOrEqual(8);
  });
});
