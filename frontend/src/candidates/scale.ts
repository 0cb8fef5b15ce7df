// The shared scale for all candidates' intervals, and the order of candidates.

import { deciding } from '../summary/verdict';
import type { Row } from './wire';

export interface Scale {
  low: number;
  high: number;
}

const PAD = 0.06;
/** The axis ends at this multiple of the median reach (at least the margin), so that one far candidate does not flatten the
 *  others. */
const FAR = 30;

/** The change that the verdict is about and its interval as fractions; null if there is none. */
export function reachOf(row: Row | undefined): { low: number; high: number; estimate: number } | null {
  const { low = null, high = null, estimate = null } = (row?.result && deciding(row.result.headline)) ?? {};
  return low === null || high === null || estimate === null ? null : { low, high, estimate };
}

/** A scale that includes zero, the margin on both sides and every interval, except the parts far beyond the others. */
export function scaleOf(rows: (Row | undefined)[]): Scale {
  const reaches = rows.flatMap((row) => reachOf(row) ?? []);
  const margin = Math.max(0.01, ...rows.map((row) => row?.result?.headline.margin ?? 0));
  const sizes = reaches.map(({ low, high }) => Math.max(Math.abs(low), Math.abs(high))).sort((a, b) => a - b);
  const typical = Math.max(margin, sizes[Math.floor((sizes.length - 1) / 2)] ?? 0);
  const most = sizes.length > 2 ? FAR * typical : Infinity;
  const low = Math.max(-most, Math.min(-1.5 * margin, ...reaches.map((reach) => reach.low)));
  const high = Math.min(most, Math.max(1.5 * margin, ...reaches.map((reach) => reach.high)));
  const pad = PAD * (high - low);
  return { low: low - pad, high: high + pad };
}

/** Indexes of the candidates in listed order: as given, slowest first (`-shift`) or fastest first (`shift`); those without a
 *  shift come last. */
export function orderOf(rows: (Row | undefined)[], count: number, sort: string): number[] {
  const places = Array.from({ length: count }, (_, place) => place);
  if (sort !== '-shift' && sort !== 'shift') return places;
  const way = sort === 'shift' ? 1 : -1;
  const value = (place: number): number | null => reachOf(rows[place])?.estimate ?? null;
  return places.sort((left, right) => {
    const [a, b] = [value(left), value(right)];
    if (a === null || b === null) return a === b ? left - right : a === null ? 1 : -1;
    return way * (a - b) || left - right;
  });
}
