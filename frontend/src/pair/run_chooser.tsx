// The dialog that chooses one or several runs: a table, newest first, with a search and a choice of folders.

import { useMemo, useState } from 'preact/hooks';
import type { Problem, RunEntry } from '../contract/wire';
import { columnViews } from '../table/data/columns';
import { Grid } from '../table/grid';
import { filterRows, nextSort, sortRows, type SortKey } from '../table/data/order';
import { Problems } from '../ui/controls/problems';
import { SearchBox } from '../ui/controls/search_box';
import { Select } from '../ui/controls/select';
import { Button } from '../ui/buttons';
import { Dialog } from '../ui/controls/dialog';
import { Icon } from '../ui/icons';
import { text } from '../ui/strings';
import { useMatches } from '../ui/use_matches';
import { useSearch } from '../ui/search';
import { foldersOf, isBelow } from './folders';
import { chooserWords as words, PATH, runTable } from './run_table';

export interface ChooserProps {
  label: string;
  runs: RunEntry[];
  /** the chosen run, null for none */
  value: string | null;
  onChoose: (run: string) => void;
  /** takes several runs as candidates; absent if only one can be chosen */
  onSeveral?: ((runs: string[]) => void) | undefined;
  /** files that cannot be used as runs */
  problems?: Problem[] | undefined;
  /** shows the history of recorded runs; absent if there is none */
  onHistory?: (() => void) | undefined;
  onClose: () => void;
}

const TEXTS = new Set(['run', 'device', 'format']);

export function RunChooser({ label, onClose, ...props }: ChooserProps) {
  return <Dialog class="runs-dialog" title={label} onClose={onClose}>{(close) => <Runs {...props} close={close} />}</Dialog>;
}

function Runs({ runs, value, onChoose, onSeveral, problems = [], onHistory, close }: Omit<ChooserProps, 'label' | 'onClose'> & { close: () => void }) {
  const phone = useMatches('(max-width: 520px)');
  const [typed, setTyped] = useState('');
  const [folder, setFolder] = useState('');
  const [sort, setSort] = useState<SortKey[]>([{ column: 'modified', descending: true }]);
  const [selected, setSelected] = useState(-1);
  const [marked, setMarked] = useState<ReadonlySet<string> | null>(null);
  const folders = useMemo(() => foldersOf(runs.map(({ run }) => run)), [runs]);
  const table = useMemo(() => runTable(runs.filter(({ run }) => isBelow(run, folder)), folder, marked), [runs, folder, marked]);
  const views = useMemo(() => {
    const alike = [new Set(runs.map(({ format }) => format)).size > 1 ? '' : 'format', runs.some(({ workers }) => workers.length > 1) ? '' : 'workers', PATH];
    const all = columnViews(table).filter(({ column, blank }) => !blank && !alike.includes(column.name));
    const sized = phone ? all.map((view) => (view.column.name === 'run' ? { ...view, width: 190 } : view)) : all;
    return marked ? [...sized.slice(-1), ...sized.slice(0, -1)] : sized;
  }, [table, phone]);
  const { query, error } = useSearch(typed);
  const rows = useMemo(() => sortRows(table, filterRows(table, { query, category: null, status: 'all', minDelta: 0 }).rows, sort), [table, query, sort]);
  const choose = (place: number): void => {
    const run = table.rows[rows[place] ?? -1]?.[0];
    if (typeof run !== 'string') return;
    if (marked) {
      const next = new Set(marked);
      if (!next.delete(run)) next.add(run);
      return setMarked(next);
    }
    close();
    if (run !== value) onChoose(run);
  };
  /** Closes the dialog, then goes on elsewhere. */
  const leave = (next: () => void) => (): void => {
    close();
    next();
  };
  return (
    <>
      <p class="toolbar wrap">
        <SearchBox
          first
          label={words.filter}
          placeholder={words.filter}
          value={typed}
          problem={error}
          onSearch={(next) => {
            setTyped(next);
            setSelected(0);
          }}
          onKey={(event) => {
            if (event.key === 'Enter') choose(Math.max(0, selected));
            else if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('.runs-dialog .grid')?.focus();
          }}
        />
        {folders.length > 0 && (
          <Select label={words.folders} value={folder} options={[['', words.everywhere], ...folders.map(({ path, name, depth, runs: below }): [string, string] => [path, words.folder(name, depth, below)])]} onChoose={setFolder} />
        )}
        <span class="muted" role="status">
          {error || words.shown(rows.length, runs.length)}
        </span>
        {onSeveral && (
          <Button class="toggle" aria-pressed={marked !== null} onClick={() => setMarked(marked ? null : new Set())}>{words.several}</Button>
        )}
        {onSeveral && marked && (
          <Button class="primary" disabled={marked.size === 0} onClick={leave(() => onSeveral([...marked]))}>{words.compare(marked.size)}</Button>
        )}
        <span class="spacer" />
        {onHistory && (
          <Button onClick={leave(onHistory)}>
            <Icon name="history" /> {text.pages.history}
          </Button>
        )}
      </p>
      <div class="table-body">
        <Grid table={table} rows={rows} columns={views} sort={sort} id="run" selected={selected} onSort={(name, add) => setSort(nextSort(sort, name, !TEXTS.has(name), add))} onSelect={setSelected} onOpen={choose} />
      </div>
      <Problems problems={problems} />
    </>
  );
}
