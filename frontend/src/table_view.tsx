// One table with its search, filters, columns and sums.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { cellText, columnViews, visibleColumns, type ColumnView } from './columns';
import { tableCsv } from './csv';
import { formatPercent } from './format';
import { Grid } from './grid';
import type { Address } from './hash';
import { saveFile } from './host';
import { Icon } from './icons';
import { shortNames } from './names';
import { deltaIndex, filterRows, findRow, nameIndex, nextSort, parseSort, rowKey, sortRows, sumOf, writeSort } from './order';
import { RowPanel } from './row_panel';
import { parseQuery } from './search';
import { sentence, text, type MetricWords } from './strings';
import { percentText, Toolbar } from './table_toolbar';
import type { Change } from './use_address';
import type { Column, Table } from './wire';

/** Smallest |Δ| shown unless the reader chooses, as a fraction of the baseline step. */
const DEFAULT_MINIMUM = 0.001;

interface Props {
  name: string;
  table: Table;
  address: Address;
  /** baseline of the headline in the unit of the delta columns; null where the table's deltas are something else */
  stepTime: number | null;
  words: MetricWords;
  /** whether rows add up to something: false where one time stands in several rows */
  sums?: boolean;
  onChange: (change: Change) => void;
  /** a picture of the rows above them; `open` shows the details of a row */
  figure?: ((rows: { selected: number; open: (row: number) => void }) => preact.ComponentChildren) | undefined;
  /** heads above columns that belong together, "" for none */
  group?: ((column: Column) => string) | undefined;
  /** what the row details offer besides the row, e.g. a link */
  extra: preact.ComponentChildren;
}

export function TableView({ name, table, address, stepTime, words, sums = true, onChange, figure, group, extra }: Props) {
  const [open, setOpen] = useState(address.row !== '');
  const grid = useRef<HTMLDivElement>(null);
  const views = useMemo(() => columnViews(table), [table]);
  const names = useMemo(() => keyNames(table), [table]);
  const columns = visibleColumns(views, address.columns);
  const sort = parseSort(address.sort);
  const hasDelta = stepTime !== null && deltaIndex(table) >= 0;
  // who looks for something must find it, however little it changed
  const looking = address.q !== '' || address.status !== 'all';
  // single launches are small, each of them, and their order is what one reads
  const usual = looking || table.columns[nameIndex(table)]?.role !== 'key' ? 0 : DEFAULT_MINIMUM;
  const minimum = hasDelta ? (address.min ?? usual) : 0;
  const query = parseQuery(address.q);
  const category = address.category === '' ? null : address.category;
  const { chosen, rows } = useMemo(() => {
    const filtered = filterRows(table, { query, category, status: address.status, minDelta: minimum * (stepTime ?? 0), clear: address.clear });
    return { chosen: filtered, rows: sortRows(table, filtered.rows, sort) };
  }, [table, address.q, category, address.status, address.clear, minimum, stepTime, address.sort]);
  const selectedRow = useMemo(() => (address.row === '' ? -1 : findRow(table, address.row)), [table, address.row]);
  const selected = selectedRow < 0 ? -1 : rows.indexOf(selectedRow);

  useEffect(() => {
    if (address.row !== '') setOpen(true);
  }, [name]);

  const focusGrid = (): void => grid.current?.querySelector<HTMLElement>('.grid')?.focus();
  const select = (place: number): void => onChange({ row: rowKey(table, rows[place] ?? -1) });
  const close = (): void => {
    setOpen(false);
    onChange({ row: '' });
    focusGrid();
  };
  const filtered = looking || address.clear || category !== null || minimum > 0;
  const everything: Change = { q: '', status: 'all', category: '', clear: false, min: hasDelta ? 0 : null };
  const clear = (): void => onChange(everything);
  /** of a row that the filters may hide */
  const openRow = (row: number): void => {
    onChange({ ...(rows.includes(row) ? {} : everything), row: rowKey(table, row) });
    setOpen(true);
  };

  return (
    <div class="table-view" ref={grid}>
      {figure?.({ selected: selectedRow, open: openRow })}
      <Toolbar table={table} views={views} address={address} minimum={hasDelta ? minimum : null} error={query.error} whole={words.whole} onChange={onChange}>
        <button
          type="button"
          class="button"
          title={text.actions.shownCsv}
          onClick={() => saveFile(`${name}.csv`, tableCsv(table, rows), 'text/csv;charset=utf-8')}
        >
          <Icon name="export" />
          <span class="button-text">{text.table.csv}</span>
        </button>
      </Toolbar>
      {table.notes.length > 0 && <Notes notes={table.notes} />}
      <div class="table-body">
        {rows.length > 0 ? (
          <Grid
            table={table}
            rows={rows}
            columns={columns}
            names={names}
            sort={sort}
            group={group}
            selected={selected}
            onSort={(column, add) => {
              const view = views.find((one) => one.column.name === column);
              onChange({ sort: writeSort(nextSort(sort, column, view?.numeric ?? false, add)) });
            }}
            onSelect={select}
            onOpen={(place) => {
              select(place);
              setOpen(true);
            }}
          />
        ) : (
          <div class="nothing" role="status">
            <p>{nothingText(table, chosen.hidden.length, minimum, words)}</p>
            {table.rows.length > 0 && filtered && (
              <button type="button" class="button" onClick={clear}>
                {text.table.clearFilters}
              </button>
            )}
          </div>
        )}
        {open && selectedRow >= 0 && (
          <RowPanel
            table={table}
            views={views}
            row={selectedRow}
            onMove={(step) => {
              const next = selected + step;
              if (next >= 0 && next < rows.length) select(next);
            }}
            onClose={close}
          >
            {extra}
          </RowPanel>
        )}
      </div>
      <Footer table={table} views={views} rows={rows} hidden={chosen.hidden} minimum={minimum} words={words} sums={sums} onShow={() => onChange({ min: 0 })} />
    </div>
  );
}

function keyNames(table: Table): string[] | null {
  const name = nameIndex(table);
  return name < 0 ? null : shortNames(table.rows.map((row) => String(row[name] ?? '')));
}

function nothingText(table: Table, hidden: number, minimum: number, words: MetricWords): string {
  if (table.rows.length === 0) return text.table.empty;
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
  table: Table;
  views: ColumnView[];
  rows: number[];
  hidden: number[];
  minimum: number;
  words: MetricWords;
  sums: boolean;
  onShow: () => void;
}

function Footer({ table, views, rows, hidden, minimum, words, sums, onShow }: FooterProps) {
  const index = sums ? deltaIndex(table) : -1;
  const view = index < 0 ? undefined : views[index];
  const sum = (which: Iterable<number>): string =>
    view ? `${cellText(view, sumOf(table, view.index, which), text.table)}${view.style ? `\u202f${view.style.unit}` : ''}` : '';
  return (
    <footer class="table-footer">
      <span role="status">{text.table.rows(rows.length, table.rows.length)}</span>
      {view?.style && rows.length > 0 && <span>{text.table.sumShown(sum(rows))}</span>}
      {view?.style && rows.length < table.rows.length && <span>{text.table.sumAll(sum(table.rows.keys()))}</span>}
      {hidden.length > 0 && (
        <span>
          {text.table.hidden(hidden.length, percentText(minimum), words.the, sum(hidden))}{' '}
          <button type="button" class="link-button" onClick={onShow}>
            {text.table.show}
          </button>
        </span>
      )}
    </footer>
  );
}
