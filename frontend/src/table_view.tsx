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
import { columnIndex, deltaIndex, filterRows, findRow, nextSort, parseSort, rowKey, sortRows, sumOf, writeSort } from './order';
import { RowPanel } from './row_panel';
import { parseQuery } from './search';
import { text } from './strings';
import { percentText, Toolbar } from './table_toolbar';
import type { Change } from './use_address';
import type { Table } from './wire';

/** Smallest |Δ| shown unless the reader chooses, as a fraction of the baseline step. */
const DEFAULT_MINIMUM = 0.001;

interface Props {
  name: string;
  table: Table;
  address: Address;
  /** baseline of the headline in the unit of the delta columns; null where the table's deltas are something else */
  stepTime: number | null;
  onChange: (change: Change) => void;
  /** what the row details offer besides the row, e.g. a link */
  extra: preact.ComponentChildren;
}

export function TableView({ name, table, address, stepTime, onChange, extra }: Props) {
  const [open, setOpen] = useState(address.row !== '');
  const grid = useRef<HTMLDivElement>(null);
  const views = useMemo(() => columnViews(table), [table]);
  const names = useMemo(() => keyNames(table), [table]);
  const columns = visibleColumns(views, address.columns);
  const sort = parseSort(address.sort);
  const hasDelta = stepTime !== null && deltaIndex(table) >= 0;
  // who looks for something must find it, however little it changed
  const looking = address.q !== '' || address.status !== 'all';
  const minimum = hasDelta ? (address.min ?? (looking ? 0 : DEFAULT_MINIMUM)) : 0;
  const query = parseQuery(address.q);
  const category = address.category === '' ? null : address.category;
  const { chosen, rows } = useMemo(() => {
    const filtered = filterRows(table, { query, category, status: address.status, minDelta: minimum * (stepTime ?? 0) });
    return { chosen: filtered, rows: sortRows(table, filtered.rows, sort) };
  }, [table, address.q, category, address.status, minimum, stepTime, address.sort]);
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
  const filtered = address.q !== '' || address.status !== 'all' || category !== null || minimum > 0;
  const clear = (): void => onChange({ q: '', status: 'all', category: '', min: hasDelta ? 0 : null });

  return (
    <div class="table-view" ref={grid}>
      <Toolbar table={table} views={views} address={address} minimum={hasDelta ? minimum : null} error={query.error} onChange={onChange}>
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
            <p>{nothingText(table, chosen.hidden.length, minimum)}</p>
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
      <Footer table={table} views={views} rows={rows} hidden={chosen.hidden} minimum={minimum} onShow={() => onChange({ min: 0 })} />
    </div>
  );
}

function keyNames(table: Table): string[] | null {
  const key = columnIndex(table, (column) => column.role === 'key');
  return key < 0 ? null : shortNames(table.rows.map((row) => String(row[key] ?? '')));
}

function nothingText(table: Table, hidden: number, minimum: number): string {
  if (table.rows.length === 0) return text.table.empty;
  if (hidden > 0) return text.table.hiddenAll(formatPercent(minimum));
  return text.table.nothing;
}

function Notes({ notes }: { notes: string[] }) {
  if (notes.length === 1) return <p class="table-notes muted">{notes[0]}</p>;
  return (
    <details class="table-notes muted">
      <summary>{notes[0]}</summary>
      {notes.slice(1).map((note) => (
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
  onShow: () => void;
}

function Footer({ table, views, rows, hidden, minimum, onShow }: FooterProps) {
  const index = deltaIndex(table);
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
          {text.table.hidden(hidden.length, percentText(minimum), sum(hidden))}{' '}
          <button type="button" class="link-button" onClick={onShow}>
            {text.table.show}
          </button>
        </span>
      )}
    </footer>
  );
}
