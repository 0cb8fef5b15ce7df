// Where the bars of the waterfall from A to B lie. Input in any unit; output in the same unit, scaled by `place`.

export interface WaterfallRow {
  label: string;
  delta: number;
}

export interface Bar {
  label: string;
  delta: number;
  from: number;
  to: number;
}

export interface Waterfall {
  bars: Bar[];
  low: number;
  high: number;
  /** the axis does not start at zero: the two totals are drawn with a break */
  broken: boolean;
}

/** Parts that change by less than this share of the largest change are folded. */
const LITTLE = 0.002;

/** The bars to show, and those folded into one line: at least two small ones, the selected one not among them. */
export function foldedBars(bars: Bar[], selected: string): [shown: Bar[], folded: Bar[]] {
  const little = LITTLE * Math.abs(bars[0]?.delta ?? 0);
  const at = bars.findIndex((bar) => bar.delta === 0 || Math.abs(bar.delta) < little);
  const fold = at >= 0 && at < bars.length - 1 && !bars.slice(at).some((bar) => bar.label === selected);
  return fold ? [bars.slice(0, at), bars.slice(at)] : [bars, []];
}

/** Rows by size of their delta, each bar starting where the one before ended; the last one ends at the candidate. */
export function waterfall(baseline: number, candidate: number, rows: WaterfallRow[]): Waterfall {
  const ordered = rows
    .map((row, index) => ({ ...row, index }))
    .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || a.index - b.index);
  let at = baseline;
  let low = Math.min(baseline, candidate);
  let high = Math.max(baseline, candidate);
  const bars = ordered.map(({ label, delta }) => {
    const from = at;
    at += delta;
    low = Math.min(low, at);
    high = Math.max(high, at);
    return { label, delta, from, to: at };
  });
  const span = high - low;
  // the smallest bar end is well right of zero, and the changes would be slivers on an axis from zero
  const broken = low > 0 && span < 0.5 * high;
  const pad = span > 0 ? span * 0.12 : high * 0.05 || 1;
  return { bars, low: broken ? Math.max(0, low - 2 * pad) : Math.min(0, low), high: high + pad * 0.5, broken };
}
