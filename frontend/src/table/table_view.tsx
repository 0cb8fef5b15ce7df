// One table with its search, filters, columns and sums.

import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RowSource } from '../api/api';
import type { Column, Table } from '../contract/wire';
import { copyText, saveFile } from '../host/host';
import type { Address } from '../host/url_state';
import type { Change } from '../host/use_address';
import { failureText } from '../states/failed';
import { formatCount, formatPercent, formatSetting } from '../ui/format';
import { Icon } from '../ui/icons';
import { Menu } from '../ui/menu';
import { shortNames } from '../ui/names';
import { isRegex, parseQuery } from '../ui/search';
import { sentence, text, type MetricWords } from '../ui/strings';
import { useMatches } from '../ui/use_matches';
import { cellText, columnViews, measureHeads, visibleColumns, type ColumnView } from './columns';
import { MOST_COPIED, tableMarkdown, tableTsv } from './copied';
import { tableCsv } from './csv';
import { Grid } from './grid';
import { deltaIndex, findRow, nameIndex, nextSort, parseSort, rowKey, writeSort } from './order';
import { RowPanel } from './row_panel';
import { askedOf, isCut, localRows, type ShownRows, usualMinimum } from './shown_rows';
import { drawnMeasure, STEP_COLUMN_FITS, withStepColumn } from './step_column';
import { Toolbar } from './toolbar';
import { useRemoteRows } from './use_remote_rows';
import { useStepLines } from './use_step_lines';
import { useWhole } from './use_whole';

/** Smallest |Δ| shown unless the reader chooses, as a fraction of the baseline step. */
/** How long a button says that it has done it. */
const COPIED_MS = 2000;

interface Props {
  name: string;
  /** the first rows of a long one */
  table: Table;
  /** where its other rows are; null for a table that has no others */
  source?: RowSource | null;
  /** the question that the rows answer, where they have times of several steps; "" elsewhere */
  stepped?: string;
  address: Address;
  /** baseline of the headline in the unit of the delta columns; null where the table's deltas are something else */
  stepTime: number | null;
  words: MetricWords;
  /** whether rows add up to something: false where one time stands in several rows */
  sums?: boolean;
  onChange: (change: Change) => void;
  /** a picture of the rows above them; `open` shows the details of a row */
  figure?: ((rows: FigureRows) => preact.ComponentChildren) | undefined;
  /** heads above columns that belong together, "" for none */
  group?: ((column: Column) => string) | undefined;
  /** a picture of the row with this key, in its details */
  detail?: ((key: string) => preact.ComponentChildren) | undefined;
  /** what the details of the row with this key offer besides the row, e.g. links */
  extra: (key: string) => preact.ComponentChildren;
}

/** The row whose details are open, by its key, "" for none; and how to open another one. */
export interface FigureRows {
  key: string;
  open: (key: string) => void;
}

export function TableView({ name, table: first, source = null, stepped = '', address, stepTime, words, sums = true, onChange, figure, group, detail, extra }: Props) {
  const [open, setOpen] = useState(address.row !== '');
  const grid = useRef<HTMLDivElement>(null);
  // a regular expression is this page's own: all rows are fetched for it
  const regex = isRegex(address.q) && isCut(first) && source !== null;
  const whole = useWhole(regex ? source : null, first, []);
  const base = (regex ? whole.table : null) ?? first;
  const views = useMemo(() => columnViews(base), [base]);
  const fits = useMatches(STEP_COLUMN_FITS);
  const measure = drawnMeasure(base, address.sort);
  const choices = useMemo(() => (stepped === '' ? views : withStepColumn(views, measure, fits, words)), [views, stepped, measure, fits, words]);
  const columns = visibleColumns(choices, address.columns);
  const sort = parseSort(address.sort);
  const hasDelta = stepTime !== null && deltaIndex(first) >= 0;
  // who looks for something must find it, however little it changed
  const looking = address.q !== '' || address.status !== 'all';
  // single launches are small, each of them, and their order is what one reads
  const usual = looking ? 0 : usualMinimum(first);
  const minimum = hasDelta ? (address.min ?? usual) : 0;
  const query = parseQuery(address.q);
  const category = address.category === '' ? null : address.category;
  const least = minimum * (stepTime ?? 0);
  const local = useMemo(
    () => localRows(base, { query, category, status: address.status, minDelta: least, clear: address.clear }, sort, (address.min ?? 0) * (stepTime ?? 0)),
    [base, address.min, address.q, category, address.status, address.clear, least, address.sort],
  );
  const remote = useRemoteRows(isCut(first) && !regex ? source : null, first, askedOf({ q: address.q, status: address.status, category, clear: address.clear, least, sort }), address.row);
  const shown = remote.shown ?? local;
  const { table, rows } = shown;
  const names = useMemo(() => keyNames(table), [table]);
  const lines = useStepLines(columns.some((view) => view.index < 0) ? source : null, stepped, measure, shown);
  const onView = useCallback(
    (from: number, end: number): void => {
      remote.onView(from, end);
      lines.onView(from, end);
    },
    [remote.onView, lines.onView],
  );
  const failure = remote.failure ?? whole.failure;
  const waiting = remote.waiting || (regex && whole.table === null && failure === null);
  const selectedRow = useMemo(() => (address.row === '' ? -1 : findRow(table, address.row)), [table, address.row]);
  const selected = selectedRow < 0 ? -1 : rows.indexOf(selectedRow);

  useLayoutEffect(() => {
    if (address.row !== '') setOpen(true);
  }, [name]);

  const focusGrid = (): void => grid.current?.querySelector<HTMLElement>('.grid')?.focus();
  const select = (place: number): void => {
    if (table.rows[rows[place] ?? -1]) onChange({ row: rowKey(table, rows[place]!) }); // others are on their way
  };
  const close = (): void => {
    setOpen(false);
    onChange({ row: '' });
    focusGrid();
  };
  const filtered = looking || address.clear || category !== null || minimum > 0;
  const everything: Change = { q: '', status: 'all', category: '', clear: false, min: hasDelta ? 0 : null };
  const clear = (): void => onChange(everything);
  /** of a row that the filters may hide */
  const openRow = (key: string): void => {
    onChange({ ...(rows.includes(findRow(table, key)) ? {} : everything), row: key });
    setOpen(true);
  };
  const [copied, setCopied] = useState(false);
  const copy = async (draw: (from: Table, numbers: number[], columns: ColumnView[]) => string): Promise<void> => {
    const every = remote.shown ? await remote.all() : table;
    setCopied(await copyText(draw(every, remote.shown ? [...every.rows.keys()] : rows, columns.filter((view) => view.index >= 0))));
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  const save = (from: Table, numbers: number[]): void => saveFile(`${name}.csv`, tableCsv(from, numbers), 'text/csv;charset=utf-8');

  return (
    <div class="table-view" ref={grid} aria-busy={waiting}>
      {figure?.({ key: address.row, open: openRow })}
      <Toolbar table={first} withStatus={shown.withStatus} views={choices} address={address} minimum={hasDelta ? minimum : null} error={query.error} whole={words.whole} onChange={onChange}>
        <Menu label={copied ? text.table.copyDone : text.table.copy} icon={copied ? 'check' : 'copy'} align="right" disabled={rows.length === 0}>
          {(close) =>
            (
              [
                [text.table.copyMarkdown, tableMarkdown],
                [text.table.copyTsv, tableTsv],
              ] as const
            ).map(([label, draw]) => (
              <button
                key={label}
                type="button"
                class="pop-item"
                title={text.table.copyAbout(formatCount(MOST_COPIED))}
                onClick={() => {
                  close();
                  void copy(draw);
                }}
              >
                {label}
              </button>
            ))
          }
        </Menu>
        <button
          type="button"
          class="button"
          title={text.actions.shownCsv}
          onClick={() => (remote.shown ? void remote.all().then((every) => save(every, [...every.rows.keys()])) : save(table, rows))}
        >
          <Icon name="export" />
          <span class="button-text">{text.table.csv}</span>
        </button>
      </Toolbar>
      {failure && (
        <p class="table-notes error-text" role="alert">
          {sentence(failureText(failure).message)} {sentence(failureText(failure).hint)}
        </p>
      )}
      {regex && whole.table && isCut(whole.table) && <p class="table-notes muted">{text.table.searched(whole.table.rows.length)}</p>}
      {table.notes.length > 0 && <Notes notes={table.notes} />}
      <div class="table-body">
        {rows.length > 0 ? (
          <Grid
            table={table}
            rows={rows}
            columns={columns}
            names={names}
            sort={sort}
            group={group ?? measureHeads(table.columns)}
            selected={selected}
            onSort={(column, add) => {
              const view = views.find((one) => one.column.name === column);
              onChange({ sort: writeSort(nextSort(sort, column, view?.numeric ?? false, add)) });
            }}
            onSelect={select}
            picture={lines.picture}
            onView={onView}
            onOpen={(place) => {
              select(place);
              setOpen(true);
            }}
          />
        ) : (
          <div class="nothing" role="status">
            <p>{waiting ? text.lazy.loading : nothingText(shown, minimum, words)}</p>
            {shown.total > 0 && filtered && (
              <button type="button" class="button" onClick={clear}>
                {text.table.clearFilters}
              </button>
            )}
          </div>
        )}
        {open && selectedRow >= 0 && table.rows[selectedRow] && (
          <RowPanel
            table={table}
            views={views}
            row={selectedRow}
            onMove={(step) => {
              const next = selected + step;
              if (next >= 0 && next < rows.length && table.rows[rows[next]!]) select(next);
            }}
            onClose={close}
            picture={detail?.(rowKey(table, selectedRow))}
          >
            {extra(rowKey(table, selectedRow))}
          </RowPanel>
        )}
      </div>
      <Footer shown={shown} views={views} minimum={minimum} words={words} sums={sums} onShow={() => onChange({ min: 0 })} />
    </div>
  );
}

/** Short names by row number, of the rows that are here. */
function keyNames(table: Table): string[] | null {
  const name = nameIndex(table);
  if (name < 0) return null;
  const here = [...table.rows.keys()].filter((row) => table.rows[row]);
  const short = shortNames(here.map((row) => String(table.rows[row]![name] ?? '')));
  const names: string[] = [];
  here.forEach((row, index) => (names[row] = short[index]!));
  return names;
}

function nothingText({ total, hidden }: ShownRows, minimum: number, words: MetricWords): string {
  if (total === 0) return text.table.empty;
  if (hidden > 0) return text.table.hiddenAll(formatPercent(minimum), words.the);
  return text.table.nothing;
}

function Notes({ notes }: { notes: string[] }) {
  const [first = '', ...rest] = notes.map(sentence);
  if (rest.length === 0) return <p class="table-notes muted">{first}</p>;
  return (
    <details class="table-notes muted">
      <summary>{first}</summary>
      {rest.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </details>
  );
}

interface FooterProps {
  shown: ShownRows;
  views: ColumnView[];
  minimum: number;
  words: MetricWords;
  sums: boolean;
  onShow: () => void;
}

function Footer({ shown, views, minimum, words, sums, onShow }: FooterProps) {
  const index = sums ? deltaIndex(shown.table) : -1;
  const view = index < 0 ? undefined : views[index];
  const sum = (of: number | null): string => (view ? `${cellText(view, of, text.table)}${view.style ? `\u202f${view.style.unit}` : ''}` : '');
  return (
    <footer class="table-footer">
      <span role="status">{text.table.rows(shown.rows.length, shown.total)}</span>
      {view?.style && shown.rows.length > 0 && <span>{text.table.sumShown(sum(shown.sums.shown))}</span>}
      {view?.style && shown.rows.length < shown.total && <span>{text.table.sumAll(sum(shown.sums.all))}</span>}
      {shown.hidden > 0 && (
        <span>
          {text.table.hidden(shown.hidden, formatSetting(minimum), words.the, sum(shown.sums.hidden))}{' '}
          <button type="button" class="link-button" onClick={onShow}>
            {text.table.show}
          </button>
        </span>
      )}
    </footer>
  );
}
