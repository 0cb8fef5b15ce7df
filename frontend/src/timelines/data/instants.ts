// Instants of a step in nanoseconds from its start: round ones for the ruler, and the event at one.

import { firstIndex, length, placed, SHORTEST_NS, type TimeRange } from '../../charts/time_range';
import { niceStep } from '../../charts/ticks';
import { formatNumber, THIN } from '../../ui/format';
import type { Row } from './wire';

/** Range around an event, with `room` times its length on each side. */
export function around(whole: TimeRange, from: number, to: number, room = 1): TimeRange {
  const wanted = Math.max((to - from) * (1 + 2 * room), SHORTEST_NS);
  return placed(whole, (from + to - wanted) / 2, wanted);
}

/** First mark of a row that ends after an instant; the number of marks if there is none. */
export function firstEndingAfter(row: Row, at: number): number {
  return firstIndex(row.count, (mark) => row.end[mark]! > at);
}

/** Mark at an instant, or the nearest one within `reach`; -1 if there is none. */
export function markAt(row: Row, at: number, reach: number): number {
  const next = firstEndingAfter(row, at - reach);
  let best = -1;
  let nearest = reach;
  for (let mark = Math.max(0, next - 1); mark < row.count && row.start[mark]! <= at + reach; mark += 1) {
    const away = Math.max(row.start[mark]! - at, at - row.end[mark]!, 0);
    if (away <= nearest && (best < 0 || away < nearest)) {
      best = mark;
      nearest = away;
    }
  }
  return best;
}

const UNITS: [number, string][] = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];

export interface Ruler {
  /** labeled instants */
  ticks: { at: number; label: string }[];
  /** distance between two ticks in nanoseconds */
  step: number;
  /** instant from which labels count, and its label; "" if that is the start of the step */
  base: number;
  baseLabel: string;
}

/** Formats an instant in the unit, with as many decimals as ticks `step` apart need. */
export function instant(ns: number, unit: [number, string], step: number): string {
  const decimals = Math.max(0, Math.ceil(Math.log10(unit[0] / step) - 1e-9));
  const shown = Number((ns / unit[0]).toFixed(decimals)); // rounded first: an instant near the start reads 0, not <0.01
  return `${formatNumber(shown, decimals)}${THIN}${unit[1]}`;
}

/** Largest unit in which a time is at least 1. */
export function unitOf(ns: number): [number, string] {
  return UNITS.find(([size]) => Math.abs(ns) >= size) ?? UNITS[3]!;
}

/** If an instant is more ticks from zero than this, labels count from a base to keep their digits readable. */
const MAX_DIGITS = 1e4;

/** Round ticks for an axis `room` pixels wide, with a label about every `apart` pixels. */
export function rulerOf(range: TimeRange, room: number, apart = 110): Ruler {
  const step = niceStep(Math.max(1, (length(range) / Math.max(room, 1)) * apart));
  const far = Math.max(Math.abs(range.from), Math.abs(range.to));
  const based = far / step > MAX_DIGITS;
  const coarse = step * 10 ** Math.ceil(Math.log10(Math.max(length(range) / step, 1)));
  const base = based ? Math.floor(range.from / coarse) * coarse : 0;
  const unit = unitOf(based ? step : far);
  const ticks: Ruler['ticks'] = [];
  for (let index = Math.ceil(range.from / step - 1e-9); index * step <= range.to + step * 1e-9; index += 1) {
    const at = index * step;
    ticks.push({ at, label: (based ? '+' : '') + instant(at - base, unit, step) });
  }
  return { ticks, step, base, baseLabel: based ? instant(base, unitOf(base), coarse) : '' };
}
