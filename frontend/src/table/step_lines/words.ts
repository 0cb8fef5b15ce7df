// Strings of a row's steps; apart from ui/strings.ts so that they load with them.

import { formatCount } from '../../ui/format';
import type { MetricWords } from '../../ui/strings';

export const words = {
  region: 'The row step by step',
  title: 'Step by step',
  absent: 'does not have this row.',
  summary: (steps: number, median: string, low: string, high: string) => (steps === 1 ? `one step, ${median}` : `${formatCount(steps)} steps, median ${median}, ${low} to ${high}`),
  one: (step: string, time: string) => `step ${step}: ${time}`,

  lines: {
    label: (many: string) => many.charAt(0).toUpperCase() + many.slice(1),
    kind: 'picture',
    sides: 'A | B',
    about: (what: string, words: MetricWords) =>
      `${what} per ${words.one}, in order: A left, B right, on one scale from the row's minimum to its maximum. The dashed line in B is A's median. Where ${words.many} do not fit, a stroke spans the minimum to the maximum of several. Not copied or exported.`,
    absent: 'absent',
  },
};
