// The table of the run chooser, and its strings.

import { PLAIN_COLUMN, PLAIN_TABLE, type Column, type RunEntry, type Table } from '../contract/wire';
import { formatCount, formatMany, formatMinute } from '../ui/format';
import { deviceName } from '../ui/run_names';
import { formatTitle } from './selection';

export const chooserWords = {
  filter: 'Search runs',
  shown: (shown: number, all: number) => (shown === all ? formatMany(all, 'run') : `${formatCount(shown)} of ${formatMany(all, 'run')}`),
  /** the list is made file by file; warm-up steps are determined only when runs are compared */
  counted: 'With warm-up, which a comparison leaves out',
  folders: 'Folders',
  everywhere: 'All folders',
  folder: (name: string, depth: number, runs: number) => `${'\u2003'.repeat(depth)}${name} (${formatCount(runs)})`,
  several: 'Choose several',
  compare: (n: number) => (n === 0 ? 'Compare with the baseline' : `Compare ${formatMany(n, 'candidate')} with the baseline`),
  all: 'Runs',
  columns: { name: 'Run', modified: 'Modified', device: 'Device', steps: 'Steps', mean: 'Mean step', workers: 'Workers', format: 'Format', marked: 'Chosen' },
};

export const PATH = 'path';

const column = (name: string, label: string, kind: Column['kind'] = 'text', more: Partial<Column> = {}): Column => ({ ...PLAIN_COLUMN, name, label, description: label, kind, ...more });

const words = chooserWords.columns;
const COLUMNS = [
  column(PATH, words.name), column('run', words.name, 'text', { role: 'key' }), column('modified', words.modified), column('device', words.device),
  column('steps', words.steps, 'count', { description: chooserWords.counted }), column('mean', words.mean, 'time_us', { unit: 'us', description: chooserWords.counted }), column('workers', words.workers, 'count'), column('format', words.format),
];

/** Device, steps and mean step (µs) of a run; null until all of its files have been read. */
function factsOf(run: RunEntry): [string | null, number | null, number | null] {
  const spans = run.workers.flatMap((worker) => worker.spans);
  const known = spans.flatMap((span) => span.known ?? []);
  if (known.length === 0 || known.length < spans.length) return [null, null, null];
  const timed = known.filter((one) => one.mean_step_us !== null);
  const steps = timed.reduce((sum, one) => sum + one.steps, 0);
  const total = timed.reduce((sum, one) => sum + one.steps * one.mean_step_us!, 0);
  return [[...new Set(known.map(({ device }) => deviceName(device)))].join(', '), known.reduce((sum, one) => sum + one.steps, 0), steps > 0 ? total / steps : null];
}

/** One row per run, named relative to its folder. With `marked`, a column shows which runs are selected. */
export function runTable(runs: RunEntry[], folder: string, marked: ReadonlySet<string> | null): Table {
  return {
    ...PLAIN_TABLE,
    title: chooserWords.all,
    columns: marked ? [...COLUMNS, column('marked', words.marked)] : COLUMNS,
    rows: runs.map((entry) => {
      const { run, workers, format } = entry;
      const files = workers.flatMap((worker) => worker.spans.flatMap((span) => span.files));
      const latest = files.reduce((last, { modified }) => Math.max(last, modified), 0);
      const cells = [
        run, folder === '' ? run : run.slice(folder.length + 1), latest === 0 ? null : formatMinute(latest), ...factsOf(entry), workers.length,
        format === undefined ? null : formatTitle(format),
      ];
      return marked ? [...cells, marked.has(run) ? '☑' : '☐'] : cells;
    }),
  };
}
