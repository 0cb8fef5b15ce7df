// Strings of the run chooser.

import { formatMany } from '../ui/format';

export const chooserWords = {
  filter: 'Search runs',
  shown: (shown: string, all: string) => `${shown} of ${all} runs`,
  /** the list is made file by file; warm-up steps are determined only when runs are compared */
  counted: 'Steps and mean step include warm-up; a comparison leaves it out.',
  folders: 'Folders',
  everywhere: 'All folders',
  several: 'Choose several',
  compare: (n: number) => (n === 0 ? 'Compare with the baseline' : `Compare ${formatMany(n, 'candidate')} with the baseline`),
  all: 'Runs',
  columns: { name: 'Run', modified: 'Modified', device: 'Device', steps: 'Steps', mean: 'Mean step', workers: 'Workers', format: 'Format', marked: 'Chosen' },
};
