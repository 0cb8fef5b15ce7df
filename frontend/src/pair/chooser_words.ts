// Words of the choice of a run.

import { formatMany } from '../ui/format';

export const chooserWords = {
  filter: 'Search runs',
  shown: (shown: string, all: string) => `${shown} of ${all} runs`,
  folders: 'Folders',
  everywhere: 'All folders',
  several: 'Choose several',
  compare: (n: number) => (n === 0 ? 'Compare with the baseline' : `Compare ${formatMany(n, 'candidate')} with the baseline`),
  all: 'Runs',
  columns: { name: 'Run', modified: 'Modified', device: 'Device', steps: 'Steps', mean: 'Mean step', ranks: 'Ranks', format: 'Format', marked: 'Chosen' },
};
