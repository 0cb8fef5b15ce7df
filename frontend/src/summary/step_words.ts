// User-visible text of the step times; outside ui/strings.ts, so that it loads with the chart.

import { formatMany } from '../ui/format';
import type { MetricWords } from '../ui/strings';

export const words = {
  about: (words: MetricWords) => `every ${words.one} in order, both sides on one scale`,
  none: (words: MetricWords) => `The source has no ${words.times.toLowerCase()} to draw.`,
  pace: 'Pace of the machine',
  recorded: 'As recorded',
  onePace: 'At equal speed',
  onePaceAbout: 'Step times without the changes of machine speed',
  both: (paced: string, recorded: string) => `${paced} at equal machine speed, ${recorded} recorded`,
  dropped: 'hollow: not compared',
  step: (one: string, side: string, step: string, capture: string, time: string) => `${side}, ${one} ${step}${capture}: ${time}`,
  capture: (capture: string) => ` of capture ${capture}`,
  reason: (reason: string) => `not compared: ${reason}`,
  numbers: (many: string, first: string, last: string) => `${many} ${first}–${last}`,
  beyond: (side: string, n: number, words: MetricWords) => `${side}: ${formatMany(n, words.one, words.many)} beyond the axis`,
  hint: (words: MetricWords) => `Hover or press ← → to read a ${words.one}; Enter shows it in the table. Drag, or Shift with ← →, to compare a range only.`,
  order: (words: MetricWords, a: string, b: string) =>
    `${words.times} in order. A: ${a}. B: ${b}. Left and right go from ${words.one} to ${words.one}, up and down from run to run, Enter shows the ${words.one} in the table. With Shift, left and right choose a range; Enter then compares only these, Escape all.`,
  choosing: (range: string, words: MetricWords) => `${words.many} ${range.replace('-', '–')}: Enter compares only these, Esc cancels`,
  sideSummary: (n: number, dropped: number, low: string, high: string, words: MetricWords) =>
    `${formatMany(n, words.one, words.many)} from ${low} to ${high}${dropped > 0 ? `, ${dropped} not compared` : ''}`,
};
