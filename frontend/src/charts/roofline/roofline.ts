// What the roofline draws: rates of operators against the work they do for each byte, and what the devices can do. No drawing.

import type { DevicePeaks, Peaks } from '../../contract/sent';
import type { Table } from '../../contract/wire';
import { THIN } from '../../ui/format';
import { add, nothingLeft, type Left } from '../scatter/scatter';

/** A row on one side: FLOP for each byte moved, FLOP per second, the time that has them, share of the device's roof, which roof bounds it. */
export interface Spot {
  intensity: number;
  rate: number;
  us: number;
  share: number | null;
  type: string;
  bound: string;
}

export interface Point {
  /** row in the table */
  row: number;
  name: string;
  a: Spot | null;
  b: Spot | null;
}

export interface Roofline {
  /** largest by time first */
  points: Point[];
  /** too small to be among the points */
  small: Left;
  /** without floating-point operations on either side: moves bytes only, or its work is not known */
  unmeasured: Left;
  largest_us: number;
}

/** A line of what a device can do: the slope of its memory up to the flat part of one data type. */
export interface Roof {
  /** whose, both where the devices are one */
  side: 'a' | 'b' | 'both';
  type: string;
  /** FLOP/s */
  peak: number;
  /** bytes/s, 0: not known */
  bandwidth: number;
}

/** At most so many rows are drawn, with two marks each. */
export const MOST_POINTS = 120;

const SIDES = ['baseline', 'candidate'] as const;
const FIGURES = ['intensity', 'flop_rate', 'modelled_us', 'roof_share', 'data_type', 'bound'];

/** Columns that the picture needs besides the keys. */
export const ROOFLINE_COLUMNS = SIDES.flatMap((side) => FIGURES.map((name) => `${side}_${name}`));

const placeOf = (table: Table, name: string): number => table.columns.findIndex((column) => column.name === name);

/** Whether the table has rates of work. */
export function hasRates(table: Table): boolean {
  return SIDES.some((side) => placeOf(table, `${side}_flop_rate`) >= 0);
}

const time = (point: Point): number => Math.max(point.a?.us ?? 0, point.b?.us ?? 0);

export function rooflineOf(table: Table, most = MOST_POINTS): Roofline {
  const keys = table.columns.flatMap((column, at) => (column.role === 'key' ? [at] : []));
  const at = SIDES.map((side) => FIGURES.map((name) => placeOf(table, `${side}_${name}`)));
  const unmeasured = nothingLeft();
  const points: Point[] = [];
  table.rows.forEach((cells, row) => {
    const figures = at.map((places) => places.map((place) => cells[place] ?? null));
    const [a, b] = figures.map(spotOf);
    if (a || b) points.push({ row, name: keys.map((key) => String(cells[key] ?? '')).join(' › '), a: a ?? null, b: b ?? null });
    else if (figures.some(([, , us]) => typeof us === 'number' && us > 0)) add(unmeasured, number(figures[0]![2]), number(figures[1]![2]));
  });
  points.sort((left, right) => time(right) - time(left));
  const small = nothingLeft();
  for (const point of points.slice(most)) add(small, point.a?.us ?? 0, point.b?.us ?? 0);
  const drawn = points.slice(0, most);
  return { points: drawn, small, unmeasured, largest_us: Math.max(0, ...drawn.map(time)) };
}

const text = (cell: unknown): string => (typeof cell === 'string' ? cell : '');

const number = (cell: unknown): number | null => (typeof cell === 'number' ? cell : null);

/** Places on logarithmic axes are above zero. */
function spotOf([intensity, rate, us, share, type, bound]: unknown[]): Spot | null {
  if (typeof intensity !== 'number' || typeof rate !== 'number' || typeof us !== 'number' || !(intensity > 0 && rate > 0 && us > 0)) return null;
  return { intensity, rate, us, share: number(share), type: text(type), bound: text(bound) };
}

/** The roofs of the data types that the points have. Devices of one name have one set. */
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

/** FLOP/s that a roof allows at an intensity. */
export function roofAt(roof: Roof, intensity: number): number {
  return roof.bandwidth > 0 ? Math.min(roof.peak, intensity * roof.bandwidth) : roof.peak;
}

/** Where the slope meets the flat part, null without one. */
export const ridgeOf = (roof: Roof): number | null => (roof.bandwidth > 0 ? roof.peak / roof.bandwidth : null);

export interface LogAxis {
  low: number;
  high: number;
}

/** Whole decades that hold all values, at least one. */
export function decades(values: number[]): LogAxis {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return { low: 1, high: 10 };
  const low = Math.floor(Math.log10(Math.min(...positive)) + 1e-9);
  const high = Math.ceil(Math.log10(Math.max(...positive)) - 1e-9);
  return { low: 10 ** low, high: 10 ** Math.max(high, low + 1) };
}

/** 0 at the lower end of the axis, 1 at the upper. */
export const shareOf = ({ low, high }: LogAxis, value: number): number => Math.log(value / low) / Math.log(high / low);

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** A power of ten with the prefix of its thousands: 10 T. */
export function powerText(power: number): string {
  const exponent = Math.round(Math.log10(power));
  if (exponent < 0) return exponent < -4 ? `1e${exponent}` : String(Number((10 ** exponent).toFixed(-exponent)));
  const thousands = Math.min(Math.floor(exponent / 3), PREFIXES.length - 1);
  return `${10 ** (exponent - 3 * thousands)}${thousands > 0 ? THIN : ''}${PREFIXES[thousands]}`;
}

/** Heights of labels that would lie on each other, moved down so far that they do not; in the order of `heights`. */
export function apart(heights: number[], least: number): number[] {
  const found = [...heights];
  let last = -Infinity;
  for (const at of [...heights.keys()].sort((one, other) => heights[one]! - heights[other]!)) {
    last = Math.max(found[at]!, last + least);
    found[at] = last;
  }
  return found;
}

/** Powers of ten on the axis, at most about `most` of them. */
export function powers({ low, high }: LogAxis, most = 7): number[] {
  const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
  const step = Math.max(1, Math.ceil((last - first) / most));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => 10 ** (first + at * step));
}
