// Positions of the bars in the waterfall from A to B, in the unit of the input.

export interface Bar {
  label: string;
  delta: number;
  from: number;
  to: number;
}

export type Waterfall = ReturnType<typeof waterfall>;

/** Bars that change by less than this share of the largest change are folded. */
const LITTLE = 0.002;

/** Splits bars into those shown and those folded into one line. Folds at least two, and never the selected one. */
export function foldedBars(bars: Bar[], selected: string): [shown: Bar[], folded: Bar[]] {
  const little = LITTLE * Math.abs(bars[0]?.delta ?? 0);
  const at = bars.findIndex((bar) => bar.delta === 0 || Math.abs(bar.delta) < little);
  const fold = at >= 0 && at < bars.length - 1 && !bars.slice(at).some((bar) => bar.label === selected);
  return fold ? [bars.slice(0, at), bars.slice(at)] : [bars, []];
}

/** Orders rows by size of change; each bar starts where the previous one ends, and the last ends at the candidate. `broken`: the axis
 *  does not start at zero, so the two totals are drawn with a break. */
export function waterfall(baseline: number, candidate: number, rows: Pick<Bar, 'label' | 'delta'>[]) {
  const ordered = [...rows].sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
  let at = baseline;
  let low = Math.min(baseline, candidate);
  let high = Math.max(baseline, candidate);
  const bars = ordered.map(({ label, delta }): Bar => {
    const from = at;
    at += delta;
    low = Math.min(low, at);
    high = Math.max(high, at);
    return { label, delta, from, to: at };
  });
  const span = high - low;
  // all bars end far from zero, so an axis from zero would reduce the changes to slivers
  const broken = low > 0 && span < 0.5 * high;
  const pad = span > 0 ? span * 0.12 : high * 0.05 || 1;
  return { bars, low: broken ? Math.max(0, low - 2 * pad) : Math.min(0, low), high: high + pad * 0.5, broken };
}
