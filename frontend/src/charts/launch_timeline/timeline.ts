// Launches of both runs side by side along one axis: where each begins, and what part of the axis is in view.

import type { Table } from '../../contract/wire';
import { boundClass } from '../bound';
import { placed, type Span } from '../span';

export const STATUSES = ['both', 'replaced', 'added', 'removed'] as const;

/** One run's launches, by row of the table; NaN where a figure is absent. */
export interface Lane {
  us: Float64Array;
  tensor: Float64Array;
  dram: Float64Array;
  /** place in BOUND_CLASSES */
  bound: Uint8Array;
}

/**
 * Every row has a slot as long as its longer launch, so that both runs stay aligned and nothing overlaps.
 * start has one more entry than there are rows: slot i is start[i] to start[i + 1], in microseconds.
 */
export interface Timeline {
  count: number;
  start: Float64Array;
  a: Lane;
  b: Lane;
  /** place in STATUSES */
  status: Uint8Array;
  hasUtilisation: boolean;
}

export function timelineOf(table: Table): Timeline | null {
  const at = (name: string): number => table.columns.findIndex((column) => column.name === name);
  const [timeA, timeB, status] = [at('baseline_us'), at('candidate_us'), table.columns.findIndex((column) => column.role === 'status')];
  if (timeA < 0 || timeB < 0 || table.rows.length === 0) return null;
  const count = table.rows.length;
  const column = (index: number): Float64Array =>
    Float64Array.from(table.rows, (row) => (index >= 0 && typeof row[index] === 'number' ? row[index] : NaN));
  const lane = (side: 'baseline' | 'candidate', time: number): Lane => {
    const [us, tensor, dram] = [column(time), column(at(`${side}_tensor_active`)), column(at(`${side}_dram_active`))];
    const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
    return { us, tensor, dram, bound: Uint8Array.from(us, (_, row) => boundClass(known(tensor[row]!), known(dram[row]!))) };
  };
  const [a, b] = [lane('baseline', timeA), lane('candidate', timeB)];
  const start = new Float64Array(count + 1);
  for (let row = 0; row < count; row += 1) start[row + 1] = start[row]! + slot(a.us[row]!, b.us[row]!);
  return {
    count,
    start,
    a,
    b,
    status: Uint8Array.from(table.rows, (row) => Math.max(0, STATUSES.indexOf(String(row[status]) as (typeof STATUSES)[number]))),
    hasUtilisation: [a, b].some((side) => side.bound.some((value) => value !== 4)),
  };
}

function slot(a: number, b: number): number {
  return Math.max(Number.isNaN(a) ? 0 : a, Number.isNaN(b) ? 0 : b);
}

export function whole(timeline: Timeline): Span {
  return { from: 0, to: Math.max(timeline.start[timeline.count]!, 1e-6) };
}

/** Row whose slot holds a place of the axis; the nearest one beyond the ends. */
export function rowAt(timeline: Timeline, us: number): number {
  let low = 0;
  let high = timeline.count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (timeline.start[middle]! <= us) low = middle;
    else high = middle - 1;
  }
  // slots without a length lie at the same place: the one that is drawn there is the last before the next
  return low;
}

/** Closer in than this many slots of mean length there is nothing more to see. */
const FEWEST_SLOTS = 3;

export function shortest(timeline: Timeline): number {
  const all = whole(timeline).to;
  return Math.min(all, (FEWEST_SLOTS * all) / timeline.count);
}

/** The window moved just so far that a row is in view. */
export function revealing(timeline: Timeline, window: Span, row: number): Span {
  const [from, to] = [timeline.start[row]!, timeline.start[row + 1]!];
  if (from >= window.from && to <= window.to) return window;
  const length = window.to - window.from;
  return placed(whole(timeline), from < window.from || to - from > length ? from - 0.1 * length : to - 0.9 * length, length, shortest(timeline));
}

/** What falls on each pixel, for launches too short to be drawn one by one. */
export interface Bins {
  /** time per pixel and class, BOUND_CLASSES.length numbers per pixel */
  classes: Float64Array;
  /** time-weighted figures: time that carries one, and its sum */
  weight: Float64Array;
  sum: Float64Array;
}

/** Of a run's launches shorter than one pixel; `shade` is the figure that is averaged. */
export function bins(timeline: Timeline, lane: Lane, shade: Float64Array, window: Span, width: number): Bins {
  const found: Bins = { classes: new Float64Array(5 * width), weight: new Float64Array(width), sum: new Float64Array(width) };
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

/** Change per pixel as a share of the slots on it, -1 to 1; a row of at least one pixel fills all of its pixels. */
export function changes(timeline: Timeline, window: Span, width: number): Float64Array {
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
