// Draws a row's steps as two small lines on one scale: A in the left lane, B in the right one.

import { formatTime } from '../../ui/format';
import { text } from '../../ui/strings';
import type { SideLine, StepLine } from '../../contract/sent';
import { words as stepWords } from './words';

export const LANE = 64;
const GAP = 8;
const INSET = 3;
export const WIDTH = 2 * LANE + GAP;
export const HEIGHT = 22;
/** The scale spans at least this fraction of the row's longest time, so that a steady row looks steady. */
const MIN_SPAN = 0.1;

/** Maps a time in microseconds to its y coordinate; both sides share the scale. */
export function scaleOf({ baseline, candidate }: StepLine): (us: number) => number {
  const times = [baseline, candidate].flatMap((side) => (side ? [...side.low_us, ...(side.high_us ?? [])] : []));
  let low = Math.min(...times);
  let high = Math.max(...times);
  const missing = (MIN_SPAN * high - (high - low)) / 2;
  if (missing > 0) {
    low -= missing;
    high += missing;
  }
  const room = HEIGHT - 2 * INSET;
  return (us) => (high > low ? INSET + (1 - (us - low) / (high - low)) * room : INSET + room / 2);
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** One line through all steps; if they were grouped (`high_us`), it runs from maximum to minimum in each group. */
export function linePath({ low_us, high_us }: SideLine, left: number, y: (us: number) => number): string {
  const slot = LANE / low_us.length;
  if (low_us.length === 1 && !high_us) return `M${left} ${round(y(low_us[0]!))}h${LANE}`;
  const points = low_us.map((low, at) => {
    const x = round(left + (at + 0.5) * slot);
    return high_us ? `${x} ${round(y(high_us[at]!))}L${x} ${round(y(low))}` : `${x} ${round(y(low))}`;
  });
  return `M${points.join('L')}`;
}

export type Drawn = ReturnType<typeof drawn>;

/** Paths of both lines and of `level`, A's median drawn in B's lane. */
export function drawn(line: StepLine, steps: { baseline: number; candidate: number }) {
  const { baseline, candidate } = line;
  const y = scaleOf(line);
  return {
    a: baseline ? linePath(baseline, 0, y) : '',
    b: candidate ? linePath(candidate, LANE + GAP, y) : '',
    level: baseline && candidate ? `M${LANE + GAP} ${round(y(baseline.median_us))}H${WIDTH}` : '',
    summary: `${text.letterA}: ${summaryOf(baseline, steps.baseline)}; ${text.letterB}: ${summaryOf(candidate, steps.candidate)}`,
  };
}

function summaryOf(side: SideLine | null, steps: number): string {
  if (!side) return stepWords.lines.absent;
  const low = side.low_us.reduce((least, us) => Math.min(least, us), Infinity);
  const high = (side.high_us ?? side.low_us).reduce((most, us) => Math.max(most, us), -Infinity);
  return stepWords.summary(steps, formatTime(side.median_us), formatTime(low), formatTime(high));
}
