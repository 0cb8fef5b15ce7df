// Memory held on a device over time in both runs: the server's table as lines, and look-ups at a position.

import { columnAt, type Cell, type Table } from '../../contract/wire';
import { byteUnit } from '../../ui/format';
import { niceTicks } from '../ticks';
import { firstIndex } from '../time_range';

export const AXES = ['place', 'time_us'] as const;
/** Horizontal axis: by step, which aligns both runs' steps, or by time. */
export type Axis = (typeof AXES)[number];

export const COLUMNS = ['side', 'capture', 'device', 'point', 'step', 'time_us', 'place', 'allocated', 'reserved'];

/** One capture of one side: bytes held from each record until the next. NaN if the allocator's bytes were not
 *  recorded. */
export interface Line {
  side: 'a' | 'b';
  capture: number;
  at: Float64Array;
  allocated: Float64Array;
  reserved: Float64Array;
  /** names of the steps by index, "" if unknown: labels[1] is the second step */
  labels: string[];
}

export function devicesOf(table: Table): string[] {
  const at = columnAt(table, 'device');
  const names = [...new Set(table.rows.map((row) => String(row[at] ?? '')))];
  // accelerators first: they run out of memory sooner than the host
  const rank = (name: string): number => (name === 'CPU' ? 1 : 0);
  return names.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

export function linesOf(table: Table, device: string, axis: Axis): Line[] {
  const at = (name: string): number => columnAt(table, name);
  const [side, capture, where, x, allocated, reserved] = ['side', 'capture', 'device', axis, 'allocated', 'reserved'].map(at) as [number, number, number, number, number, number];
  const groups = new Map<string, Cell[][]>();
  for (const row of table.rows) {
    if (row[where] !== device) continue;
    const key = `${row[side]}\n${row[capture]}`;
    const rows = groups.get(key);
    if (rows) rows.push(row);
    else groups.set(key, [row]);
  }
  const column = (rows: Cell[][], index: number): Float64Array => Float64Array.from(rows, (row) => (typeof row[index] === 'number' ? row[index] : NaN));
  return [...groups.values()].map((rows) => ({
    side: rows[0]![side] === 'candidate' ? 'b' : 'a',
    capture: Number(rows[0]![capture]),
    at: column(rows, x),
    allocated: column(rows, allocated),
    reserved: column(rows, reserved),
    labels: labelsOf(
      rows.map((row) => String(row[at('step')] ?? '')),
      column(rows, at('place')),
    ),
  }));
}

/** Names of the steps, from the names at the points; the last point is the end of the last step. A step without a
 *  point gets a number if all other steps are numbered with the same offset, else "". */
function labelsOf(label: string[], place: Float64Array): string[] {
  const steps = Math.round(place[place.length - 1] ?? 0);
  const known = new Map(label.slice(0, -1).map((name, index): [number, string] => [Math.floor(place[index]!), name]));
  if (steps > 0) known.set(steps - 1, label[label.length - 1]!);
  const first = [...known].map(([step, name]) => Number(name) - step);
  const counted = first.every((one) => one === first[0]) ? first[0]! : NaN;
  return Array.from({ length: steps }, (_, step) => known.get(step) ?? (Number.isNaN(counted) ? '' : String(counted + step)));
}

/** Step names of a side by index; null if its captures disagree, empty without a line. */
export function stepNames(lines: Line[], side: 'a' | 'b'): string[] | null {
  const names: string[] = [];
  for (const line of lines)
    if (line.side === side)
      for (const [step, name] of line.labels.entries()) {
        if (names[step] === undefined || names[step] === '') names[step] = name;
        else if (name !== '' && names[step] !== name) return null;
      }
  return names;
}

export type Names = ReturnType<typeof namesOf>;

/** Step names of both sides by index; `#1`, `#2`, ... if a side's captures disagree. `same`: both sides name all shared steps the
 *  same. */
export function namesOf(lines: Line[]) {
  const [a, b] = [stepNames(lines, 'a'), stepNames(lines, 'b')];
  const order = Array.from({ length: Math.max(0, ...lines.map((line) => line.labels.length)) }, (_, step) => `#${step + 1}`);
  const names = { a: a ?? order, b: b ?? order };
  const shared = Math.min(names.a.length, names.b.length);
  return { ...names, same: names.a.slice(0, shared).every((name, step) => name === names.b[step]) };
}

/** Step at a position: its name on each side, and the fraction of it that has passed. */
export function stepAt(names: Names, place: number): { a: string; b: string; passed: number } {
  const last = Math.max(names.a.length, names.b.length) - 1;
  const step = Math.max(0, Math.min(Math.floor(place), last));
  return { a: names.a[step] ?? '', b: names.b[step] ?? '', passed: place - step };
}

/** Index of the last record at or before a position, -1 before the first. */
export function recordAt(line: Line, x: number): number {
  return firstIndex(line.at.length, (index) => line.at[index]! > x) - 1;
}

export interface Held {
  allocated: number;
  reserved: number;
}

const larger = (one: number, other: number): number => (Number.isNaN(one) ? other : Number.isNaN(other) ? one : Math.max(one, other));

/** Bytes a side held at a position, largest of its captures; null before the first record and after the last step. */
export function heldAt(lines: Line[], side: 'a' | 'b', x: number): Held | null {
  let held: Held | null = null;
  for (const line of lines) {
    const record = line.side === side && x <= line.at[line.at.length - 1]! ? recordAt(line, x) : -1;
    if (record < 0) continue;
    const [allocated, reserved] = [line.allocated[record]!, line.reserved[record]!];
    held = held ? { allocated: larger(held.allocated, allocated), reserved: larger(held.reserved, reserved) } : { allocated, reserved };
  }
  return held;
}

export interface Peak {
  x: number;
  bytes: number;
}

/** Peak of a side, and the position where it is first reached. */
export function peakOf(lines: Line[], side: 'a' | 'b'): Peak | null {
  let peak: Peak | null = null;
  for (const line of lines)
    if (line.side === side)
      line.allocated.forEach((bytes, index) => {
        if (!peak || bytes > peak.bytes) peak = { x: line.at[index]!, bytes };
      });
  return peak;
}

interface Extent {
  low: number;
  high: number;
}

/** Ranges of positions and bytes. Bytes start at zero, or below if the curve is relative to its first record. */
export function extents(lines: Line[]): { x: Extent; y: Extent } {
  const x = { low: 0, high: 0 };
  const y = { low: 0, high: 0 };
  for (const line of lines) {
    for (const at of line.at) {
      x.low = Math.min(x.low, at);
      x.high = Math.max(x.high, at);
    }
    for (const values of [line.allocated, line.reserved])
      for (const bytes of values) {
        if (Number.isNaN(bytes)) continue;
        y.low = Math.min(y.low, bytes);
        y.high = Math.max(y.high, bytes);
      }
  }
  return { x: { low: x.low, high: x.high > x.low ? x.high : x.low + 1 }, y: { low: y.low, high: y.high > y.low ? y.high : y.low + 1 } };
}

/** SVG path of a staircase: each value holds until the next record; "" if nothing was recorded. */
export function stairs(at: Float64Array, values: Float64Array, x: (place: number) => number, y: (bytes: number) => number, end: number): string {
  let path = '';
  for (let index = 0; index < at.length; index += 1) {
    if (Number.isNaN(values[index]!)) continue;
    const [px, py] = [x(at[index]!).toFixed(1), y(values[index]!).toFixed(1)];
    path += path === '' ? `M${px} ${py}` : `H${px}V${py}`;
  }
  return path === '' ? '' : `${path}H${x(end).toFixed(1)}`;
}

/** Round tick values for an axis of bytes, in the unit of the largest value. */
export function byteTicks({ low, high }: Extent, wanted: number): number[] {
  const unit = byteUnit(Math.max(Math.abs(low), high));
  return niceTicks(low / unit, high / unit, wanted).map((tick) => tick * unit);
}
