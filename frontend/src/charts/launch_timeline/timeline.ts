// Launches of both runs aligned on one axis: start positions and visible range.

import { columnAt, roleAt, type Table } from '../../contract/wire';
import { boundClass } from '../bound';
import { firstIndex, placed, type TimeRange } from '../time_range';

export const STATUSES = ['both', 'replaced', 'added', 'removed'] as const;

/** Launches of both runs in slots, one per table row. A slot is as long as its longer launch, which keeps the runs aligned without
 *  overlap. */
export type Timeline = NonNullable<ReturnType<typeof timelineOf>>;
/** Launches of one run by table row; NaN for missing values. */
export type Lane = Timeline['a'];

/** null for a table without rows or times */
export function timelineOf(table: Table) {
  const at = (name: string): number => columnAt(table, name);
  const [timeA, timeB, status] = [at('baseline_us'), at('candidate_us'), roleAt(table, 'status')];
  if (timeA < 0 || timeB < 0 || table.rows.length === 0) return null;
  const count = table.rows.length;
  const column = (index: number): Float64Array =>
    Float64Array.from(table.rows, (row) => (index >= 0 && typeof row[index] === 'number' ? row[index] : NaN));
  const lane = (side: 'baseline' | 'candidate', time: number) => {
    const [us, tensor, dram] = [column(time), column(at(`${side}_tensor_active`)), column(at(`${side}_dram_active`))];
    const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
    return {
      us, tensor, dram,
      /** index in BOUND_CLASSES */
      bound: Uint8Array.from(us, (_, row) => boundClass(known(tensor[row]!), known(dram[row]!))),
    };
  };
  const [a, b] = [lane('baseline', timeA), lane('candidate', timeB)];
  const start = new Float64Array(count + 1);
  for (let row = 0; row < count; row += 1) start[row + 1] = start[row]! + slot(a.us[row]!, b.us[row]!);
  return {
    count, a, b,
    /** slot i is start[i] to start[i + 1], in microseconds */
    start,
    /** index in STATUSES */
    status: Uint8Array.from(table.rows, (row) => Math.max(0, STATUSES.indexOf(String(row[status]) as (typeof STATUSES)[number]))),
    hasUtilization: [a, b].some((side) => side.bound.some((value) => value !== 4)),
  };
}

function slot(a: number, b: number): number {
  return Math.max(Number.isNaN(a) ? 0 : a, Number.isNaN(b) ? 0 : b);
}

export function whole(timeline: Timeline): TimeRange {
  return { from: 0, to: Math.max(timeline.start[timeline.count]!, 1e-6) };
}

/** Row whose slot contains a position on the axis; beyond the ends, the first or last row. */
export function rowAt(timeline: Timeline, us: number): number {
  // zero-length slots share a position: the last of them is the one drawn there
  return Math.max(0, firstIndex(timeline.count, (row) => timeline.start[row]! > us) - 1);
}

/** Zoom limit: at least this many slots of mean length stay in view. */
const MIN_SLOTS = 3;

export function shortest(timeline: Timeline): number {
  const all = whole(timeline).to;
  return Math.min(all, (MIN_SLOTS * all) / timeline.count);
}

/** Moves the window just far enough to show a row. */
export function windowShowing(timeline: Timeline, window: TimeRange, row: number): TimeRange {
  const [from, to] = [timeline.start[row]!, timeline.start[row + 1]!];
  if (from >= window.from && to <= window.to) return window;
  const length = window.to - window.from;
  return placed(whole(timeline), from < window.from || to - from > length ? from - 0.1 * length : to - 0.9 * length, length, shortest(timeline));
}

/** Totals per pixel of a run's launches shorter than one pixel: the time in each class, BOUND_CLASSES.length numbers per pixel; and for
 *  time-weighted means of `shade`, the time that has a value and the sum of time times value. */
export function bins(timeline: Timeline, lane: Lane, shade: Float64Array, window: TimeRange, width: number) {
  const found = { classes: new Float64Array(5 * width), weight: new Float64Array(width), sum: new Float64Array(width) };
  const scale = width / (window.to - window.from);
  for (let row = rowAt(timeline, window.from); row < timeline.count && timeline.start[row]! < window.to; row += 1) {
    const us = lane.us[row]!;
    if (!(us > 0) || us * scale >= 1) continue;
    const pixel = Math.floor((timeline.start[row]! - window.from) * scale);
    if (pixel < 0 || pixel >= width) continue;
    found.classes[5 * pixel + lane.bound[row]!]! += us;
    const value = shade[row]!;
    if (Number.isNaN(value)) continue;
    found.weight[pixel]! += us;
    found.sum[pixel]! += us * value;
  }
  return found;
}

/** Change per pixel as a share of its slots, -1 to 1. A row at least one pixel long fills all of its pixels. */
export function changes(timeline: Timeline, window: TimeRange, width: number): Float64Array {
  const delta = new Float64Array(width);
  const room = new Float64Array(width);
  const scale = width / (window.to - window.from);
  for (let row = rowAt(timeline, window.from); row < timeline.count && timeline.start[row]! < window.to; row += 1) {
    const [a, b] = [timeline.a.us[row]!, timeline.b.us[row]!];
    const change = (Number.isNaN(b) ? 0 : b) - (Number.isNaN(a) ? 0 : a);
    const [from, to] = [(timeline.start[row]! - window.from) * scale, (timeline.start[row + 1]! - window.from) * scale];
    const first = Math.max(0, Math.floor(from));
    const last = Math.min(width - 1, Math.max(first, Math.ceil(to) - 1));
    for (let pixel = first; pixel <= last; pixel += 1) {
      const part = to > from ? Math.max(0, Math.min(to, pixel + 1) - Math.max(from, pixel)) / (to - from) : 0;
      delta[pixel]! += change * part;
      room[pixel]! += slot(a, b) * part;
    }
  }
  return delta.map((value, pixel) => (room[pixel]! > 0 ? value / room[pixel]! : 0));
}
