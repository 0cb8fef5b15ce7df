// The choice among many runs: a table of them, the newest first, with a search.

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { PLAIN_COLUMN, PLAIN_TABLE, type Column, type RunEntry, type Table } from '../contract/wire';
import { columnViews } from '../table/columns';
import { Grid } from '../table/grid';
import { filterRows, nextSort, sortRows, type SortKey } from '../table/order';
import { formatCount } from '../ui/format';
import { IconButton } from '../ui/icons';
import { parseQuery } from '../ui/search';
import { text } from '../ui/strings';
import { formatTitle } from './selection';

interface Props {
  label: string;
  runs: RunEntry[];
  /** the run that is chosen now, null for none */
  value: string | null;
  onChoose: (run: string) => void;
  onClose: () => void;
}

const words = {
  name: 'Run',
  modified: 'Modified',
  workers: 'Workers',
  spans: 'Spans',
  size: 'Size',
  format: 'Format',
  rows: (shown: number, all: number) => `${formatCount(shown)} of ${formatCount(all)} runs`,
};

const column = (name: string, label: string, role: Column['role'], kind: Column['kind'], unit = ''): Column => ({ ...PLAIN_COLUMN, name, label, unit, description: label, role, kind });

/** Day and minute, in an order that is that of time. */
function stamp(seconds: number): string {
  const date = new Date(1000 * seconds - 60_000 * new Date(1000 * seconds).getTimezoneOffset());
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 16).replace('T', ' ');
}

export function runTable(runs: RunEntry[]): Table {
  return {
    ...PLAIN_TABLE,
    title: text.picker.all,
    columns: [
      column('run', words.name, 'key', 'text'), column('modified', words.modified, 'plain', 'text'), column('workers', words.workers, 'plain', 'count'),
      column('spans', words.spans, 'plain', 'count'), column('size', words.size, 'plain', 'number', 'bytes'), column('format', words.format, 'plain', 'text'),
    ],
    rows: runs.map(({ run, workers, format }) => {
      const spans = workers.flatMap((worker) => worker.spans);
      const files = spans.flatMap((span) => span.files);
      const latest = files.reduce((last, { modified }) => Math.max(last, modified), 0);
      return [run, latest === 0 ? null : stamp(latest), workers.length, spans.length, files.reduce((sum, { bytes }) => sum + bytes, 0), format === undefined ? null : formatTitle(format)];
    }),
  };
}

export function RunChooser({ label, runs, value, onChoose, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [sort, setSort] = useState<SortKey[]>([{ column: 'modified', descending: true }]);
  const [selected, setSelected] = useState(-1);
  const table = useMemo(() => runTable(runs), [runs]);
  const views = useMemo(() => columnViews(table), [table]);
  const query = parseQuery(typed);
  const rows = useMemo(() => sortRows(table, filterRows(table, { query, category: null, status: 'all', minDelta: 0 }).rows, sort), [table, typed, sort]);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const choose = (place: number): void => {
    const run = table.rows[rows[place] ?? -1]?.[0];
    if (typeof run !== 'string') return;
    dialog.current?.close();
    if (run !== value) onChoose(run);
  };
  return (
    <dialog ref={dialog} class="keys runs-dialog" aria-label={label} onClose={onClose}>
      <header>
        <h2>{label}</h2>
        <IconButton icon="close" label={text.panel.close} onClick={() => dialog.current?.close()} />
      </header>
      <p class="toolbar">
        <label class={`search${query.error ? ' invalid' : ''}`}>
          <input
            type="search"
            autofocus
            aria-label={text.picker.filter}
            placeholder={text.picker.filter}
            value={typed}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              setSelected(0);
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') choose(Math.max(0, selected));
              else if (event.key === 'ArrowDown') dialog.current?.querySelector<HTMLElement>('.grid')?.focus();
            }}
          />
        </label>
        <span class="muted" role="status">
          {query.error || words.rows(rows.length, runs.length)}
        </span>
      </p>
      <div class="table-body">
        <Grid table={table} rows={rows} columns={views} names={null} sort={sort} id="run" selected={selected} onSort={(name, add) => setSort(nextSort(sort, name, name !== 'run' && name !== 'format', add))} onSelect={setSelected} onOpen={choose} />
      </div>
    </dialog>
  );
}
