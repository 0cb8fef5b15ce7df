// One table with its search, filters, columns and sums.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { cellText, columnViews, toggleColumn, visibleColumns, type ColumnView } from './columns';
import { tableCsv } from './csv';
import { formatPercent } from './format';
import { Grid } from './grid';
import type { Address } from './hash';
import { saveFile } from './host';
import { Icon } from './icons';
import { Menu } from './menu';
import { shortNames } from './names';
import {
  categoryIndex,
  columnIndex,
  deltaIndex,
  filterRows,
  findRow,
  nextSort,
  parseSort,
  rowKey,
  sortRows,
  sumOf,
  writeSort,
  type StatusFilter,
} from './order';
import { RowPanel } from './row_panel';
import { parseQuery } from './search';
import { text } from './strings';
import type { Change } from './use_address';
import type { Table } from './wire';

/** Smallest |Δ| shown, as fractions of the baseline step. */
const MINIMA = [0, 0.0001, 0.001, 0.005, 0.01];
export const DEFAULT_MINIMUM = 0.001;

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

interface ToolbarProps {
  table: Table;
  views: ColumnView[];
  address: Address;
  /** null where the table has no difference to filter by */
  minimum: number | null;
  error: string;
  onChange: (change: Change) => void;
  children: preact.ComponentChildren;
}

function Toolbar({ table, views, address, minimum, error, onChange, children }: ToolbarProps) {
  const hasCategory = categoryIndex(table) >= 0;
  return (
    <div class="toolbar">
      <label class={`search${error ? ' invalid' : ''}`}>
        <Icon name="search" size={14} />
        <input
          type="search"
          aria-label={text.table.search}
          title={error ? text.table.badRegex(error) : text.table.search}
          aria-invalid={error !== ''}
          placeholder={text.table.searchShort}
          spellcheck={false}
          value={address.q}
          onInput={(event) => onChange({ q: event.currentTarget.value })}
        />
      </label>
      {error && (
        <span class="error-text" role="alert">
          {text.table.badRegex(error)}
        </span>
      )}
      {minimum !== null && (
        <select class="select" aria-label={text.table.minDelta} value={String(minimum)} onChange={(event) => onChange({ min: Number(event.currentTarget.value) })}>
          {[...new Set([...MINIMA, minimum])].map((value) => (
            <option key={value} value={String(value)}>
              {value === 0 ? text.table.minAll : text.table.minOf(percentText(value))}
            </option>
          ))}
        </select>
      )}
      <StatusChoice table={table} value={address.status} onChange={(status) => onChange({ status })} />
      {address.category !== '' && (
        <span class={`chip chip-filter${hasCategory ? '' : ' chip-idle'}`}>
          {hasCategory ? text.table.category(address.category) : text.table.categoryMissing(address.category)}
          <button type="button" class="chip-button" aria-label={`${text.table.category(address.category)}: ${text.table.clear}`} onClick={() => onChange({ category: '' })}>
            <Icon name="close" size={10} />
          </button>
        </span>
      )}
      <span class="spacer" />
      {address.sort !== '' && (
        <button type="button" class="link-button" onClick={() => onChange({ sort: '' })}>
          {text.table.usualOrder}
        </button>
      )}
      <ColumnMenu views={views} chosen={address.columns} onChange={(columns) => onChange({ columns })} />
      {children}
    </div>
  );
}

function percentText(fraction: number): string {
  return `${(fraction * 100).toLocaleString(undefined, { maximumFractionDigits: 3 })}\u202f%`;
}

function StatusChoice({ table, value, onChange }: { table: Table; value: StatusFilter; onChange: (value: StatusFilter) => void }) {
  const status = columnIndex(table, (column) => column.role === 'status');
  if (status < 0) return null;
  const count = (word: string): number => table.rows.filter((row) => row[status] === word).length;
  const choices: [StatusFilter, string, string][] = [
    ['all', text.table.all, ''],
    ['added', `${text.table.added} ${count('added').toLocaleString()}`, text.table.addedAbout],
    ['removed', `${text.table.removed} ${count('removed').toLocaleString()}`, text.table.removedAbout],
  ];
  return (
    <span class="segments" role="group">
      {choices.map(([choice, label, about]) => (
        <button key={choice} type="button" aria-pressed={value === choice} title={about} onClick={() => onChange(choice)}>
          {label}
        </button>
      ))}
    </span>
  );
}

function ColumnMenu({ views, chosen, onChange }: { views: ColumnView[]; chosen: string; onChange: (chosen: string) => void }) {
  const shown = new Set(visibleColumns(views, chosen).map((view) => view.column.name));
  const free = views.filter(({ column }) => column.role !== 'key' && column.role !== 'status');
  return (
    <Menu label={text.table.columns} icon="columns" align="right">
      {() => (
        <>
          <ul class="pop-list checks">
            {free.map(({ column }) => (
              <li key={column.name}>
                <label title={column.description}>
                  <input type="checkbox" checked={shown.has(column.name)} onChange={() => onChange(toggleColumn(views, chosen, column.name))} />
                  <span>{column.label}</span>
                  <span class="muted">{text.kinds[column.kind]}</span>
                </label>
              </li>
            ))}
          </ul>
          {chosen !== '' && (
            <button type="button" class="link-button" onClick={() => onChange('')}>
              {text.table.resetColumns}
            </button>
          )}
        </>
      )}
    </Menu>
  );
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
