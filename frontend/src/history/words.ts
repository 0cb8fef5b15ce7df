// User-visible text of the history page.

import { formatCount, formatMany } from '../ui/format';

export const words = {
  title: 'History',
  region: 'History of recorded runs',
  series: 'Series',
  seriesOption: (name: string, n: number) => `${name} (${formatCount(n)})`,
  loading: 'Loading the history…',
  none: 'No history was recorded in this log directory.',
  noneHint: 'Record one: tb-perfcompare record RUN --into LOGDIR --series NAME',
  chart: (n: number, changes: number) =>
    `Median step time of ${formatMany(n, 'point')} in order of time, ${changes === 0 ? 'no change of level' : formatMany(changes, 'change of level', 'changes of level')}. Left and right go from point to point, Enter chooses a point as A and the next as B.`,
  about: 'median step of each recorded run; bars hold the middle half of its steps',
  hint: 'Click two points, here or in the table, to compare them.',
  above: (n: number) => `${formatMany(n, 'point')} above the axis ▴`,
  below: (n: number) => `${formatMany(n, 'point')} below the axis ▾`,
  legend: { level: 'level', change: 'change of level', usual: 'point', outlier: 'outlier of its level', unsure: 'inconclusive so far', unmeasured: 'not measured' },
  other: 'Choose another point as B.',
  compare: 'Compare A with B',
  clear: 'Choose again',
  withBefore: 'Compare with the previous one',
  withBeforeAbout: (label: string, other: string) => `Compare ${label} with ${other}`,
  head: { at: 'Recorded', label: 'Label', steps: 'Steps', median: 'Median', mean: 'Mean', difference: 'Against level', verdict: 'Verdict', letter: 'Chosen' },
  differenceAbout: 'Median compared with the previous points of the same level',
  verdict: { slower: 'Slower from here', faster: 'Faster from here', same: 'No change found', cannot_tell: 'Inconclusive so far' } as Record<string, string>,
  outlier: 'outlier',
  unmeasured: 'no step times',
  unreadable: 'not readable by this version',
  steps: (admitted: number, all: number) => (admitted === all ? formatCount(all) : `${formatCount(admitted)} of ${formatCount(all)}`),
  table: 'Points, the latest first; Enter or a click chooses A, then B',
  seriesLeftOut: (n: number) => `${formatMany(n, 'further series is', 'further series are')} not listed; name it in the address`,
  problems: (n: number) => formatMany(n, 'point cannot be read', 'points cannot be read'),
  pointText: (label: string, when: string, time: string, rest: string) => `${label}, ${when}: ${time}${rest === '' ? '' : `, ${rest}`}`,
  againstLevel: (difference: string) => `${difference} against its level`,
  p: (p: string) => `p ${p}`,
};

export function day(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' });
}
