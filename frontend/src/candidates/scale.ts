// One scale for the intervals of all candidates, and their order.

import type { Row } from './wire';

export interface Scale {
  low: number;
  high: number;
}

const PAD = 0.06;
/** A far candidate must not flatten the others: the axis ends so many times beyond the typical reach. */
const FAR = 30;

interface Reach {
  low: number;
  high: number;
}

/** Shift with its interval as fractions; null where there is none. */
export function reachOf(row: Row | undefined): (Reach & { estimate: number }) | null {
  const { low = null, high = null, estimate = null } = row?.look?.headline.shift ?? {};
  return low === null || high === null || estimate === null ? null : { low, high, estimate };
}

/** Holds zero, the margin on both sides and every interval, or most of what is far beyond the others. */
export function scaleOf(rows: (Row | undefined)[]): Scale {
  const reaches = rows.flatMap((row) => reachOf(row) ?? []);
  const margin = Math.max(0.01, ...rows.map((row) => row?.look?.headline.margin ?? 0));
  const sizes = reaches.map(({ low, high }) => Math.max(Math.abs(low), Math.abs(high))).sort((a, b) => a - b);
  const typical = Math.max(margin, sizes[Math.floor((sizes.length - 1) / 2)] ?? 0);
  const most = sizes.length > 2 ? FAR * typical : Infinity;
  const low = Math.max(-most, Math.min(-1.5 * margin, ...reaches.map((reach) => reach.low)));
  const high = Math.min(most, Math.max(1.5 * margin, ...reaches.map((reach) => reach.high)));
  const pad = PAD * (high - low);
  return { low: low - pad, high: high + pad };
}

/** Places of the candidates in the order they are listed: as given, or the slowest first or last; without a shift last. */
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
