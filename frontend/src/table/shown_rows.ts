// Which rows of a table are shown: of those that are here, or, of a longer table, as the server says.

import type { Table, TablePage } from '../contract/wire';
import type { StatusFilter } from '../host/url_state';
import { filterRows, isChange, sortRows, sumOf, type RowFilter, type SortKey } from './order';
import { isCut } from './rows';

/** Of a column: over the rows that are shown, those that only their size hides, and all. */
export type ColumnSums = Record<'shown' | 'hidden' | 'all', number | null>;

/** What the grid, the footer and the toolbar draw. */
export interface ShownRows {
  /** rows by number; of a longer table those that have come so far */
  table: Table;
  /** row numbers in order */
  rows: number[];
  /** the choice that the rows' numbers are places in, as parameters of the server's routes; {} for all in the usual order */
  asked: Record<string, string>;
  total: number;
  hidden: number;
  sums: (column: string) => ColumnSums;
  /** rows with a status, of those that pass the other choices */
  withStatus: (status: StatusFilter) => number;
}

/** Rows of a table that is here. Of one that is cut, all that is known is what is here, its length and sums. */
export function localRows(table: Table, filter: RowFilter, sort: SortKey[], leastWithStatus = 0): ShownRows {
  const filtered = filterRows(table, filter);
  const status = table.columns.findIndex((column) => column.role === 'status');
  const sums = (column: string): ColumnSums => {
    const index = table.columns.findIndex((one) => one.name === column);
    const sum = (rows: Iterable<number>): number | null => sumOf(table, index, rows);
    const missing = isCut(table) ? (table.left_out?.sums[column] ?? null) : 0;
    const here = sum(table.rows.keys());
    return { shown: sum(filtered.rows), hidden: sum(filtered.hidden), all: here === null || missing === null ? null : here + missing };
  };
  return {
    table,
    rows: sortRows(table, filtered.rows, sort),
    asked: {},
    total: table.total_rows ?? table.rows.length,
    hidden: filtered.hidden.length,
    sums,
    withStatus: (word) => (status < 0 ? 0 : filterRows(table, { ...filter, status: word, minDelta: leastWithStatus }).rows.length),
  };
}

/** Rows of a table that is mostly at the server, by their place in its answer. `places` are 0, 1, 2, ... for all that match. */
export function remoteRows(table: Table, pages: TablePage[], places: number[], asked: Record<string, string> = {}): ShownRows {
  const head = pages[0]!;
  const rows: Table['rows'] = new Array(head.matching_rows);
  for (const page of pages) page.rows.forEach((cells, index) => (rows[page.offset + index] = cells));
  return {
    table: { ...table, rows },
    rows: places,
    asked,
    total: head.total_rows,
    hidden: head.hidden.rows,
    sums: (column) => ({ shown: head.sums[column] ?? null, hidden: head.hidden.sums[column] ?? null, all: head.all_sums[column] ?? null }),
    withStatus: (word) => head.statuses[word] ?? 0,
  };
}

export interface Asked {
  q: string;
  status: StatusFilter;
  category: string | null;
  clear: boolean;
  /** smallest |difference| in microseconds */
  least: number;
  sort: SortKey[];
}

/** The same choice as parameters of the server's routes. */
export function askedOf({ q, status, category, clear, least, sort }: Asked): Record<string, string> {
  return {
    filter: q.trim(),
    status: status === 'all' || isChange(status) ? '' : status,
    change: isChange(status) ? status : '',
    category: category ?? '',
    clear: clear ? '1' : '',
    min_delta_us: least > 0 ? least.toFixed(6) : '',
    sort: sort.map(({ column, asks, size, descending }) => `${asks ?? (size ? `|${column}|` : column)}:${descending ? 'desc' : 'asc'}`).join(','),
  };
}

/** Rows of one request; the server sends fewer where they are long. */
export const AT_ONCE = 200;
/** Rows before the first one in view that come with it. */
export const BEFORE = 50;
/** Rows beyond those in view that are asked for before they come into view. */
const AHEAD = 100;

/** From which place on rows are missing in a range or, reading on, just beyond it; -1 if none are. */
export function missingFrom(rows: Table['rows'], first: number, end: number): number {
  const missing = (from: number, to: number): number => {
    for (let place = Math.max(0, from); place < Math.min(to, rows.length); place += 1) if (!rows[place]) return place;
    return -1;
  };
  let from = missing(first, end);
  if (from < 0) from = missing(end, end + AHEAD);
  if (from < 0) from = missing(first - AHEAD, first);
  if (from <= 0 || rows[from - 1]) return from;
  // rows come before those that are here, or around those in view
  let next = from;
  while (next < from + AT_ONCE && next < rows.length && !rows[next]) next += 1;
  return Math.max(0, rows[next] ? next - AT_ONCE : from - BEFORE);
}
