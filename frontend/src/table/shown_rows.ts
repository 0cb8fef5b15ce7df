// Which rows of a table are shown: of those that are here, or, of a longer table, as the server says.

import type { Table, TablePage } from '../contract/wire';
import type { StatusFilter } from '../host/url_state';
import { deltaIndex, filterRows, isChange, nameIndex, sortRows, sumOf, type RowFilter, type SortKey } from './order';
import { parseQuery } from '../ui/search';

/** What the grid, the footer and the toolbar draw. Sums are of the table's main difference. */
export interface ShownRows {
  /** rows by number; of a longer table those that have come so far */
  table: Table;
  /** row numbers in order */
  rows: number[];
  /** the choice of which the rows' numbers are places, as parameters of the server's routes; {} for all in the usual order */
  asked: Record<string, string>;
  total: number;
  hidden: number;
  sums: { shown: number | null; hidden: number | null; all: number | null };
  /** rows with a status, of those that pass the other choices */
  withStatus: (status: StatusFilter) => number;
}

const DEFAULT_MINIMUM = 0.001;

/** Smallest difference that is shown at first, as a fraction of the step; single launches are small, each of them. */
export function usualMinimum(table: Table): number {
  return table.columns[nameIndex(table)]?.role === 'key' ? DEFAULT_MINIMUM : 0;
}

/** How many rows the table shows at first. Where all that came of a cut one are large enough, nobody knows how many more are: all are counted. */
export function usualCount(table: Table, stepTime: number | null): number {
  const total = table.total_rows ?? table.rows.length;
  if (stepTime === null || deltaIndex(table) < 0) return total;
  const least = usualMinimum(table) * stepTime;
  const { rows } = filterRows(table, { query: parseQuery(''), category: null, status: 'all', minDelta: least, clear: false });
  return rows.length < table.rows.length ? rows.length : total;
}

export function isCut(table: Table): boolean {
  return table.total_rows !== undefined && table.total_rows > table.rows.length;
}

/** Rows of a table that is here. Of one that is cut, what is here is all that is told, but for its length and sums. */
export function localRows(table: Table, filter: RowFilter, sort: SortKey[], leastWithStatus = 0): ShownRows {
  const filtered = filterRows(table, filter);
  const delta = deltaIndex(table);
  const status = table.columns.findIndex((column) => column.role === 'status');
  const sum = (rows: Iterable<number>): number | null => (delta < 0 ? null : sumOf(table, delta, rows));
  const missing = isCut(table) ? (table.left_out?.sums[table.columns[delta]?.name ?? ''] ?? null) : 0;
  const here = sum(table.rows.keys());
  return {
    table,
    rows: sortRows(table, filtered.rows, sort),
    asked: {},
    total: table.total_rows ?? table.rows.length,
    hidden: filtered.hidden.length,
    sums: { shown: sum(filtered.rows), hidden: sum(filtered.hidden), all: here === null || missing === null ? null : here + missing },
    withStatus: (word) => (status < 0 ? 0 : filterRows(table, { ...filter, status: word, minDelta: leastWithStatus }).rows.length),
  };
}

/** Rows of a table most of which is at the server, by their place in its answer. `places` are 0, 1, 2, ... for all that match. */
export function remoteRows(table: Table, pages: TablePage[], places: number[], asked: Record<string, string> = {}): ShownRows {
  const head = pages[0]!;
  const rows: Table['rows'] = new Array(head.matching_rows);
  for (const page of pages) page.rows.forEach((cells, index) => (rows[page.offset + index] = cells));
  const name = table.columns[deltaIndex(table)]?.name ?? '';
  return {
    table: { ...table, rows },
    rows: places,
    asked,
    total: head.total_rows,
    hidden: head.hidden.rows,
    sums: { shown: head.sums[name] ?? null, hidden: head.hidden.sums[name] ?? null, all: head.all_sums[name] ?? null },
    withStatus: (word) => head.statuses[word] ?? 0,
  };
}

/** The step that rows are measured against: the shorter side's, so that the same ones pass whichever side is which. */
export function shorterStep(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.min(a, b);
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
    sort: sort.map((key) => `${key.column}:${key.descending ? 'desc' : 'asc'}`).join(','),
  };
}

/** The first place in a range that is not here, -1 if all are. */
export function firstMissing(rows: Table['rows'], first: number, end: number): number {
  for (let place = first; place < Math.min(end, rows.length); place += 1) if (!rows[place]) return place;
  return -1;
}
