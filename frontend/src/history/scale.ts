// Positions of a history's points in the chart.

import { niceTicks } from '../charts/ticks';
import type { History, Point } from './wire';

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export type Scale = ReturnType<typeof scaleOf>;

const PAD = 0.08;
/** Limits the axis to this many times the 10 to 90 % spread beyond it, so that an outlier does not flatten the
 *  series. */
const FAR = 4;

function quantile(sorted: number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(q * (sorted.length - 1))))] ?? 0;
}

/** Axis range that holds all levels and all points except outliers; `above` and `below` count the points outside. */
export function scaleOf(history: History, frame: Frame) {
  const times = history.points.flatMap((point) => point.median_step_us ?? []).sort((a, b) => a - b);
  const levels = history.segments.map((segment) => segment.typical_us);
  const [first, last] = [quantile(times, 0), quantile(times, 1)];
  const [lower, upper] = [Math.min(quantile(times, 0.1), ...levels), Math.max(quantile(times, 0.9), ...levels)];
  const room = FAR * Math.max(upper - lower, 0.01 * upper);
  let low = Math.max(first, lower - room);
  let high = Math.min(last, upper + room);
  const pad = Math.max(PAD * (high - low), 0.005 * high);
  low = Math.max(0, low - pad);
  high += pad;
  const count = history.points.length;
  const x = (place: number): number => (count < 2 ? (frame.left + frame.right) / 2 : frame.left + (place / (count - 1)) * (frame.right - frame.left));
  const y = (us: number): number => frame.bottom - ((Math.min(high, Math.max(low, us)) - low) / (high - low || 1)) * (frame.bottom - frame.top);
  return { x, y, low, high, above: times.filter((us) => us > high).length, below: times.filter((us) => us < low).length };
}

/** Indices of the points whose dates are written: about `most`, always including the last. */
export function datedPlaces(count: number, most: number): number[] {
  if (count === 0) return [];
  const ticks = count > 1 ? niceTicks(0, count - 1, Math.max(1, most - 1)).filter(Number.isInteger) : [0];
  const last = count - 1;
  const gap = ticks.length > 1 ? ticks[1]! - ticks[0]! : 1;
  return [...ticks.filter((tick) => last - tick >= 0.6 * gap || tick === last), last].filter((tick, index, all) => all.indexOf(tick) === index);
}

export type Kind = 'usual' | 'outlier' | 'unsure' | 'change' | 'unmeasured';

/** Kind of mark for a point. */
export function kindOf(point: Point): Kind {
  if (point.median_step_us === null) return 'unmeasured';
  if (point.verdict === 'slower' || point.verdict === 'faster') return 'change';
  if (point.verdict === 'cannot_tell') return 'unsure';
  return point.outlier ? 'outlier' : 'usual';
}

/** Index of the last measured point before this one whose run can be opened, -1 for none. */
export function before(history: History, place: number): number {
  for (let at = place - 1; at >= 0; at -= 1) if (history.points[at]?.run != null && history.points[at]?.median_step_us != null) return at;
  return -1;
}
