// Data of the roofline: FLOP rate and arithmetic intensity of operators, and the devices' limits. No drawing.

import type { DevicePeaks, Peaks } from '../../contract/sent';
import { columnAt, type Table } from '../../contract/wire';
import { THIN } from '../../ui/format';
import { shortOf, type ShortNames } from '../../ui/names';
import { addRow, largestPoints, MAX_POINTS, noRows, type LargestPoints, type MarkedRow, type Undrawn } from '../largest_points';

/** A row on one side: FLOP per byte moved, FLOP per second, the time these rates cover, share of the device's roof, and
 *  which roof limits it. */
export interface Spot {
  intensity: number;
  rate: number;
  us: number;
  share: number | null;
  type: string;
  bound: string;
}

export type Point = MarkedRow<Spot>;

export interface Roofline extends LargestPoints<Point> {
  /** rows without floating-point operations on either side: they only move bytes, or their FLOP is unknown */
  unmeasured: Undrawn;
}

/** A device's limit for one data type: the memory slope up to the flat peak. */
export interface Roof {
  /** side of the device, `both` if the devices are the same */
  side: 'a' | 'b' | 'both';
  type: string;
  /** FLOP/s */
  peak: number;
  /** bytes/s, 0 if unknown */
  bandwidth: number;
}

const SIDES = ['baseline', 'candidate'] as const;
const FIGURES = ['intensity', 'flop_rate', 'modelled_us', 'roof_share', 'data_type', 'bound'];

/** Columns that the chart needs besides the keys. */
export const ROOFLINE_COLUMNS = SIDES.flatMap((side) => FIGURES.map((name) => `${side}_${name}`));

/** Whether the table has FLOP rates. */
export function hasRates(table: Table): boolean {
  return SIDES.some((side) => columnAt(table, `${side}_flop_rate`) >= 0);
}

export function rooflineOf(table: Table, most = MAX_POINTS): Roofline {
  const keys = table.columns.flatMap((column, at) => (column.role === 'key' ? [at] : []));
  const at = SIDES.map((side) => FIGURES.map((name) => columnAt(table, `${side}_${name}`)));
  const unmeasured = noRows();
  const points: Point[] = [];
  table.rows.forEach((cells, row) => {
    const figures = at.map((places) => places.map((place) => cells[place] ?? null));
    const [a, b] = figures.map(spotOf);
    const named = (short?: ShortNames): string => keys.map((key) => shortOf(short, String(cells[key] ?? ''))).join(' › ');
    if (a || b) points.push({ row, name: named(), short: named(table.short_names), a: a ?? null, b: b ?? null });
    else if (figures.some(([, , us]) => typeof us === 'number' && us > 0)) addRow(unmeasured, number(figures[0]![2]), number(figures[1]![2]));
  });
  return { ...largestPoints(points, most), unmeasured };
}

const text = (cell: unknown): string => (typeof cell === 'string' ? cell : '');

const number = (cell: unknown): number | null => (typeof cell === 'number' ? cell : null);

/** Null unless intensity, rate and time are above zero, as the logarithmic axes require. */
function spotOf([intensity, rate, us, share, type, bound]: unknown[]): Spot | null {
  if (typeof intensity !== 'number' || typeof rate !== 'number' || typeof us !== 'number' || !(intensity > 0 && rate > 0 && us > 0)) return null;
  return { intensity, rate, us, share: number(share), type: text(type), bound: text(bound) };
}

/** Roofs for the data types used by the points. Devices of the same name share one set. */
export function roofsOf(peaks: Peaks | undefined, points: Point[]): Roof[] {
  const { baseline = null, candidate = null } = peaks ?? {};
  const used = (side: 'a' | 'b'): Set<string> => new Set(points.flatMap((point) => point[side]?.type.split(', ') ?? []));
  const roofs = (side: Roof['side'], device: DevicePeaks | null, types: Set<string>): Roof[] =>
    Object.entries(device?.tflops ?? {})
      .filter(([type]) => types.has(type))
      .map(([type, tflops]) => ({ side, type, peak: 1e12 * tflops, bandwidth: 1e9 * device!.memory_gbs }));
  if (baseline && candidate && baseline.device === candidate.device) return roofs('both', baseline, new Set([...used('a'), ...used('b')]));
  return [...roofs('a', baseline, used('a')), ...roofs('b', candidate, used('b'))];
}

/** FLOP/s that a roof allows at an arithmetic intensity. */
export function roofAt(roof: Roof, intensity: number): number {
  return roof.bandwidth > 0 ? Math.min(roof.peak, intensity * roof.bandwidth) : roof.peak;
}

/** Intensity at which the slope meets the flat peak, null without a slope. */
export const ridgeOf = (roof: Roof): number | null => (roof.bandwidth > 0 ? roof.peak / roof.bandwidth : null);

export interface LogAxis {
  low: number;
  high: number;
}

/** Range of whole decades that holds all values, at least one decade. */
export function decades(values: number[]): LogAxis {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return { low: 1, high: 10 };
  const low = Math.floor(Math.log10(Math.min(...positive)) + 1e-9);
  const high = Math.ceil(Math.log10(Math.max(...positive)) - 1e-9);
  return { low: 10 ** low, high: 10 ** Math.max(high, low + 1) };
}

/** Position on the axis: 0 at the lower end, 1 at the upper. */
export const shareOf = ({ low, high }: LogAxis, value: number): number => Math.log(value / low) / Math.log(high / low);

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** A power of ten with its SI prefix, such as `10 T`. */
export function powerText(power: number): string {
  const exponent = Math.round(Math.log10(power));
  if (exponent < 0) return exponent < -4 ? `1e${exponent}` : String(Number((10 ** exponent).toFixed(-exponent)));
  const thousands = Math.min(Math.floor(exponent / 3), PREFIXES.length - 1);
  return `${10 ** (exponent - 3 * thousands)}${thousands > 0 ? THIN : ''}${PREFIXES[thousands]}`;
}

/** Moves overlapping labels down until they are `least` apart; keeps the order of `heights`. */
export function apart(heights: number[], least: number): number[] {
  const found = [...heights];
  let last = -Infinity;
  for (const at of [...heights.keys()].sort((one, other) => heights[one]! - heights[other]!)) {
    last = Math.max(found[at]!, last + least);
    found[at] = last;
  }
  return found;
}

/** Powers of ten on the axis, about `most` of them. */
export function powers({ low, high }: LogAxis, most = 7): number[] {
  const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
  const step = Math.max(1, Math.ceil((last - first) / most));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => 10 ** (first + at * step));
}
