// Strings of the page with several candidates.

import type { VerdictWord } from '../contract/wire';
import { formatMany } from '../ui/format';
import { text } from '../ui/strings';

export const words = {
  title: 'Candidates against one baseline',
  region: 'Candidates',
  noBaseline: 'Choose the baseline above.',
  noneYet: 'Add runs to compare with the baseline.',
  add: 'Add a candidate',
  folder: (name: string, n: number) => (name === '' ? `Add all ${n} other runs` : `Add all ${n} of ${name}/`),
  clear: 'Remove all',
  most: (n: number) => `At most ${n} candidates are compared at a time.`,
  leftOut: (n: number) => `${formatMany(n, 'further candidate', 'further candidates')} of this link left out.`,
  order: 'Order',
  orders: { '': 'As listed', '-shift': 'Slowest first', shift: 'Fastest first' } as Record<string, string>,
  goOn: 'Continue',
  done: (done: number, all: number) => (done === all ? `${formatMany(all, 'candidate')} compared` : `${done} of ${formatMany(all, 'candidate')} compared`),
  newer: 'Newer data.',
  head: {
    candidate: 'Candidate',
    verdict: 'Verdict',
    mean: 'Mean',
    shift: 'Change',
    notes: 'Notes',
    cause: 'Largest cause',
  },
  meanAbout: 'Mean per step of the candidate, and its difference from the baseline',
  shiftAbout: 'Change of the program at equal machine speed, or of the step where that speed is unknown, with its unadjusted 95 % CI, all on one scale. The band is the threshold.',
  changeOf: { program: 'program', machine: 'machine', amount: 'amount of work', recorded: 'step' },
  open: (name: string) => `Compare with ${name}`,
  remove: (name: string) => `Remove ${name}`,
  /** the verdict's words without "B is": each row has its own B */
  verdict: (word: VerdictWord) => text.verdict.word[word].replace(/^B is (.)/, (_, first: string) => first.toUpperCase()),
  waiting: 'waiting',
  notCompared: 'not compared',
  stands: (n: number) => `holds for ${n} comparisons`,
  falls: (n: number) => `does not hold for ${n} comparisons`,
  pAbout: (p: string, holm: string, n: number) => `p ${p}, adjusted p ${holm} (Holm, ${n} comparisons)`,
  dropped: (n: number, reason: string) => `${formatMany(n, 'step')} not compared: ${reason}`,
  moreChecks: (n: number) => `and ${formatMany(n, 'more check', 'more checks')}`,
  causes: (n: number) => `and ${formatMany(n, 'more cause', 'more causes')}`,
  noShift: 'not estimated',
  between: (low: string, high: string) => `${low} … ${high}`,
  beyond: 'beyond the scale',
  matrix: {
    title: 'Where the time changed',
    rows: 'Rows',
    of: { '': 'Parts of the step', kernels: 'Kernels', functions: 'Functions', operators: 'Operators' } as Record<string, string>,
    against: 'Change',
    share: { row: '% of row', step: '% of step' },
    label: (share: string) => `Change of each candidate against the baseline, ${share}`,
    whole: 'Mean',
    from: (least: string) => `from ${least}`,
    hint: 'A click opens the pair at that row.',
    about: (name: string, run: string, a: string, b: string, delta: string) => `${name}, ${run}: ${a} → ${b} per step, ${delta}`,
    notRecorded: (name: string, run: string) => `${name}: not recorded by the baseline and ${run} alike`,
    notListed: (name: string, run: string) => `${name}: not among the largest of ${run}`,
  },
  compared: (n: number, any: string, alpha: string) =>
    `With ${n} comparisons, chance alone shows a difference in up to ${any} of such tables; after adjustment, in at most ${alpha}.`,
  explained: [
    'Each row is the verdict of that pair alone. Among many rows some differ by chance.',
    'Adjusted: Holm’s procedure over the p values of all rows. It is valid whatever the rows share, here the baseline. “Same” claims no difference and is not adjusted.',
    'No adjustment helps against an unusual baseline: it shifts every row the same way. With one capture per side a verdict covers these captures only; three per side show how much separate starts differ.',
  ],
};
