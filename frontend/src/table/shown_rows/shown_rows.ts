// Which rows of a table are shown: filtered here if all rows are held, else by the server.

import { columnAt, roleAt, type Table, type TablePage } from '../../contract/wire';
import type { StatusFilter } from '../../host/url_state';
import { filterRows, isChange, sortRows, sumOf, type RowFilter, type SortKey } from '../data/order';
import { isCut } from '../data/rows';

/** A column's sums over the shown rows, the rows hidden only by the smallest-difference filter, and all rows; null if not known. */
type ColumnSums = Record<'shown' | 'hidden' | 'all', number | null>;

/** What the grid, the footer and the toolbar draw. */
export interface ShownRows {
  /** rows by number; of a longer table, those fetched so far */
  table: Table;
  /** row numbers in order */
  rows: number[];
  /** filter and sort that row numbers refer to, as query parameters; {} for all rows in default order */
  asked: Record<string, string>;
  total: number;
  hidden: number;
  sums: (column: string) => ColumnSums;
  /** number of rows with a status, among those that pass the other filters */
  withStatus: (status: StatusFilter) => number;
}

/** Filters and sorts the rows held. Of a cut table only these, its total row count and the sums of the missing rows are known. */
export function localRows(table: Table, filter: RowFilter, sort: SortKey[], leastWithStatus = 0): ShownRows {
  const filtered = filterRows(table, filter);
  const status = roleAt(table, 'status');
  const sums = (column: string): ColumnSums => {
    const index = columnAt(table, column);
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

/** Rows fetched page by page, indexed by their place in the server's answer. `places` is 0, 1, 2, ... for all matching rows. */
export function remoteRows(table: Table, pages: TablePage[], places: number[], asked: Record<string, string> = {}): ShownRows {
  const head = pages[0]!;
  const rows: Table['rows'] = new Array(head.matching_rows);
  for (const page of pages) page.rows.forEach((cells, index) => (rows[page.offset + index] = cells));
  return {
    table: { ...table, rows, short_names: Object.assign({}, table.short_names, ...pages.map((page) => page.short_names)) },
    rows: places,
    asked,
    total: head.total_rows,
    hidden: head.hidden.rows,
    sums: (column) => ({ shown: head.sums[column] ?? null, hidden: head.hidden.sums[column] ?? null, all: head.all_sums[column] ?? null }),
    withStatus: (word) => head.statuses[word] ?? 0,
  };
}

interface RowFilterQuery {
  q: string;
  status: StatusFilter;
  category: string | null;
  clear: boolean;
  /** smallest |difference| in microseconds */
  least: number;
  sort: SortKey[];
}

/** The filter and sort as query parameters of the server's routes. */
export function askedOf({ q, status, category, clear, least, sort }: RowFilterQuery): Record<string, string> {
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

/** Rows per request; the server sends fewer if they are long. */
export const ROWS_PER_REQUEST = 200;
/** Rows fetched before the first one in view. */
export const ROWS_BEFORE_VIEW = 50;
/** Rows prefetched on either side of those in view. */
const AHEAD = 100;

/** Offset of the next request: missing rows in the range, else just after it, else just before it; -1 if none are missing. */
export function firstMissing(rows: Table['rows'], first: number, end: number): number {
  const missing = (from: number, to: number): number => {
    for (let place = Math.max(0, from); place < Math.min(to, rows.length); place += 1) if (!rows[place]) return place;
    return -1;
  };
  let from = missing(first, end);
  if (from < 0) from = missing(end, end + AHEAD);
  if (from < 0) from = missing(first - AHEAD, first);
  if (from <= 0 || rows[from - 1]) return from;
  // after a jump: rows up to the next fetched ones, else some before those in view
  let next = from;
  while (next < from + ROWS_PER_REQUEST && next < rows.length && !rows[next]) next += 1;
  return Math.max(0, rows[next] ? next - ROWS_PER_REQUEST : from - ROWS_BEFORE_VIEW);
}
