// User-visible text of the step chart; outside ui/strings.ts, so that it loads with the chart.

import { formatMany } from '../../ui/format';

export const words = {
  title: (one: string) => `Parts of each ${one}`,
  about: (one: string) => `exposed time; every instant of a ${one} belongs to one part`,
  measure: 'Height',
  measures: { time: 'Time', share: 'Share' } as Record<'time' | 'share', string>,
  measuresAbout: (one: string): Record<'time' | 'share', string> => ({ time: `Time of each ${one}`, share: `Parts as shares of each ${one}` }),
  legend: 'One part alone',
  only: (part: string) => `${part} alone`,
  every: 'All parts',
  mean: (n: number, many: string) => `each column is the mean of ${n} ${many}`,
  dropped: 'outlined: not compared',
  step: (one: string, step: string, side: string) => `${side}, ${one} ${step}`,
  steps: (many: string, first: string, last: string, side: string) => `${side}, mean of ${many} ${first} to ${last}`,
  reason: (reason: string) => `not compared: ${reason}`,
  label: (a: number, b: number, words: { one: string; many: string }) =>
    `Parts of each ${words.one}: ${formatMany(a, words.one, words.many)} of A above ${formatMany(b, words.one, words.many)} of B. Left and right go from ${words.one} to ${words.one}, up and down from run to run, Enter shows the row; with Shift, left and right choose a range.`,
  partText: (what: string, total: string, parts: string) => `${what}: ${total}. ${parts}`,
  hint: (one: string) => `A click or Enter shows a ${one} in the table. Drag, or Shift with ← →, to compare a range only.`,
  choosing: (range: string, many: string) => `${many} ${range.replace('-', '–')}: Enter compares only these, Esc cancels`,
};
