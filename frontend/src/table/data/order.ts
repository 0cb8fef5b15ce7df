// Filters and sorts a table's rows. Works on row numbers; the rows themselves do not move.

import { columnAt, roleAt, type Cell, type Column, type Table } from '../../contract/wire';
import { CHANGES, type StatusFilter } from '../../host/url_state';
import type { Query } from '../../ui/search';
import { isNumeric, isQ } from './columns';
import { deltaIndexes, isMeasuredDelta, reaches } from './rows';

export interface SortKey {
  column: string;
  descending: boolean;
  /** sorts by absolute value */
  size?: boolean;
  /** for a column that the page computes: the value that rows are sorted by */
  of?: ((cells: Cell[]) => Cell) | undefined;
  /** the same as a sort expression for the server, which knows only its own columns */
  asks?: string | undefined;
}

/** Reads the form used in links: `-delta_us` is descending, `name` ascending, several separated by commas. */
export function parseSort(text: string): SortKey[] {
  return text
    .split(',')
    .filter((part) => part !== '' && part !== '-')
    .map((part) => (part.startsWith('-') ? { column: part.slice(1), descending: true } : { column: part, descending: false }));
}

export function writeSort(keys: SortKey[]): string {
  return keys.map((key) => (key.descending ? '-' : '') + key.column).join(',');
}

/** Sort keys after a click on a header: largest first (texts: A first), then reversed, then the table's default order. */
export function nextSort(keys: SortKey[], column: string, numeric: boolean, add: boolean): SortKey[] {
  const others = add ? keys.filter((key) => key.column !== column) : [];
  const current = keys.find((key) => key.column === column && !key.size);
  if (!current) return [...others, { column, descending: numeric }];
  if (current.descending === numeric) return [...others, { column, descending: !numeric }];
  return others;
}

function compareCells(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  const left = String(a);
  const right = String(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Sorts row numbers by the keys. Missing values come last in either direction; ties are in row order. */
export function sortRows(table: Table, rows: number[], keys: SortKey[]): number[] {
  const places = keys
    .map((key) => ({ index: columnAt(table, key.column), sign: key.descending ? -1 : 1, size: key.size, of: key.of }))
    .filter((place) => place.index >= 0 || place.of);
  if (places.length === 0) return rows;
  const cell = (row: number, index: number, of: SortKey['of']): Cell => (of ? of(table.rows[row] ?? []) : (table.rows[row]?.[index] ?? null));
  return [...rows].sort((left, right) => {
    for (const { index, sign, size, of } of places) {
      const [a, b] = [cell(left, index, of), cell(right, index, of)].map((value) => (size && typeof value === 'number' ? Math.abs(value) : value)) as [Cell, Cell];
      if (a === null || b === null) {
        if (a !== b) return a === null ? 1 : -1;
        continue;
      }
      const order = compareCells(a, b);
      if (order !== 0) return sign * order;
    }
    return left - right;
  });
}

/** The single column that the rows as sent are sorted by, [] if there is none. Tries differences, then figures, then the first key. */
export function ownOrder(table: Table, columns: Column[]): SortKey[] {
  const rows = [...table.rows.keys()].filter((row) => table.rows[row]); // rows not fetched yet are holes
  const deltas = columns.filter(isMeasuredDelta).map(({ name }): SortKey => ({ column: name, descending: true, size: true }));
  const figures = columns.filter((column) => isNumeric(column) && column.role !== 'delta').map(({ name }): SortKey => ({ column: name, descending: true }));
  const names = columns.filter(({ role }) => role === 'key').slice(0, 1).map(({ name }): SortKey => ({ column: name, descending: false }));
  const differ = (key: SortKey): boolean => {
    const index = columnAt(table, key.column);
    const values = new Set(rows.map((row) => table.rows[row]![index])).size;
    // a figure that most rows share may be in order by chance
    return figures.includes(key) ? 2 * values > rows.length : values > 1;
  };
  const found = [...deltas, ...figures, ...names].find((key) => differ(key) && sortRows(table, rows, [key]).every((row, place) => row === rows[place]));
  return found ? [found] : [];
}

export function isChange(status: StatusFilter): boolean {
  return CHANGES.some((word) => word === status);
}

/** Indexes of the columns that say in a word how one of the row's times changed. */
export function changeIndexes(table: Table): number[] {
  return table.columns.flatMap((column, index) => (column.statistic === 'change' ? [index] : []));
}

export interface RowFilter {
  query: Query;
  /** only this category, if the table has a category column; null for all */
  category: string | null;
  status: StatusFilter;
  /** smallest |delta| shown, in microseconds: one of the row's times must reach it; 0 shows all */
  minDelta: number;
  /** only rows with a q of at most CLEAR_Q, if the table has q values */
  clear?: boolean;
}

/** Differences with a q up to this are significant; the server uses the same limit. */
const CLEAR_Q = 0.05;

export interface Selected {
  /** rows that pass all filters, in table order */
  rows: number[];
  /** rows that only the smallest-delta filter hides */
  hidden: number[];
}

/** Index of the column for filtering by part of the step; -1 if there is none or if the parts are the rows. */
export function categoryIndex(table: Table): number {
  const index = columnAt(table, 'category');
  return roleAt(table, 'key') === index ? -1 : index;
}

/** Indexes of the q columns, one per measure; [] if no row was tested. */
export function qIndexes(table: Table): number[] {
  const found = table.columns.flatMap((column, index) => (isQ(column) ? [index] : []));
  return found.some((index) => table.rows.some((row) => typeof row[index] === 'number')) ? found : [];
}

export function filterRows(table: Table, filter: RowFilter): Selected {
  const texts = table.columns.flatMap((column, index) => (column.kind === 'text' && column.role !== 'status' ? [index] : []));
  const status = roleAt(table, 'status');
  const changes = isChange(filter.status) ? changeIndexes(table) : [];
  const category = categoryIndex(table);
  const deltas = deltaIndexes(table);
  const qs = filter.clear ? qIndexes(table) : [];
  const rows: number[] = [];
  const hidden: number[] = [];
  table.rows.forEach((row, number) => {
    if (filter.category !== null && category >= 0 && row[category] !== filter.category) return;
    if (filter.status !== 'all' && !isChange(filter.status) && status >= 0 && row[status] !== filter.status) return;
    if (changes.length > 0 && !changes.some((index) => row[index] === filter.status)) return;
    if (!filter.query.empty && !filter.query.test(texts.map((index) => row[index] ?? '').join('\n'))) return;
    if (qs.length > 0 && !qs.some((index) => typeof row[index] === 'number' && row[index] <= CLEAR_Q)) return;
    const small = filter.minDelta > 0 && deltas.length > 0 && !reaches(row, deltas, filter.minDelta);
    (small ? hidden : rows).push(number);
  });
  return { rows, hidden };
}

/** Sum of one column over the given rows; null if none was measured. */
export function sumOf(table: Table, index: number, rows: Iterable<number>): number | null {
  let sum: number | null = null;
  for (const row of rows) {
    const value = table.rows[row]?.[index];
    if (typeof value === 'number') sum = (sum ?? 0) + value;
  }
  return sum;
}
