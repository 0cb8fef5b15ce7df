// Finds table rows by name and by size of difference, for the summary and the tabs, without drawing them.

import { columnAt, roleAt, type Column, type Table } from '../../contract/wire';

/** Whether a column is the measured difference of a measure, not a part or an estimate of it. */
export function isMeasuredDelta(column: Column): boolean {
  return column.statistic === 'delta';
}

/** Indexes of the time differences, the main one first. */
export function deltaIndexes(table: Table): number[] {
  return table.columns.flatMap((column, index) => (isMeasuredDelta(column) && column.kind === 'time_us' ? [index] : []));
}

/** Whether the absolute value of any of a row's differences is at least `least`. */
export function reaches(cells: Table['rows'][number], deltas: number[], least: number): boolean {
  return deltas.some((index) => typeof cells[index] === 'number' && Math.abs(cells[index]) >= least);
}

/** Index of the column that names a row to a reader: the first key, or the first text column if that key is not text; -1 for none. */
export function nameIndex(table: Table): number {
  const key = roleAt(table, 'key');
  return key < 0 || table.columns[key]!.kind === 'text' ? key : table.columns.findIndex((column) => column.kind === 'text' && column.role !== 'status');
}

export function isCut(table: Table): boolean {
  return table.total_rows !== undefined && table.total_rows > table.rows.length;
}

const DEFAULT_MINIMUM = 0.001;
/** Tables with fewer rows hide no small differences by default, and need no choice of it. */
const SMALL = 30;

export function isSmall(table: Table): boolean {
  return (table.total_rows ?? table.rows.length) < SMALL;
}

/** Whether a row's name identifies it; single launches are identified by their position. */
export function hasNamedRows(table: Table): boolean {
  return table.columns[nameIndex(table)]?.role === 'key';
}

/** Default threshold of the differences shown, as a fraction of the step; 0 for single launches, which are short. */
export function defaultThreshold(table: Table): number {
  return !isSmall(table) && hasNamedRows(table) ? DEFAULT_MINIMUM : 0;
}

export function joinKey(parts: string[]): string {
  return parts.join(' \u203a ');
}

/** Text that names a row in links and findings: its joined key cells, or its number if the table has no key. */
export function rowKey(table: Table, row: number): string {
  const cells = table.rows[row];
  if (!cells) return '';
  const keys = table.columns.flatMap((column, index) => (column.role === 'key' ? [String(cells[index] ?? '')] : []));
  return joinKey(keys.length > 0 ? keys : [String(row)]);
}

/** Row with this key, else the first row with a text cell equal to it; -1 if there is none. */
export function findRow(table: Table, key: string): number {
  const exact = table.rows.findIndex((_, row) => rowKey(table, row) === key);
  if (exact >= 0) return exact;
  const texts = table.columns.flatMap((column, index) => (column.kind === 'text' ? [index] : []));
  return table.rows.findIndex((cells) => texts.some((index) => cells?.[index] === key));
}

/** The step time that thresholds are fractions of: the shorter side's, so that swapping the sides shows the same rows.
 *  null if either is unknown. */
export function shorterStep(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.min(a, b);
}

export interface StepTime {
  side: 'a' | 'b';
  step: string;
  capture: string;
  us: number;
  admitted: boolean;
  reason: string;
  /** part of `us` owned by device work that an earlier step launched; 0 if the table does not say */
  backlog: number;
  /** its time had the machine kept one pace; null if the pace is unknown */
  paced: number | null;
  /** row in the steps table */
  row: number;
}

/** Steps of both sides from the steps table, in its order; [] if it is absent or has other columns. */
export function stepTimes(table: Table | undefined): StepTime[] {
  if (!table) return [];
  const at = (name: string): number => columnAt(table, name);
  const [side, step, capture, total, admitted, reason, backlog, pace] = ['side', 'step', 'capture', 'total_us', 'admitted', 'reason', 'backlog_us', 'at_one_pace_us'].map(at) as [
    number, number, number, number, number, number, number, number,
  ];
  if (side < 0 || total < 0) return [];
  return table.rows.flatMap((cells, row) => {
    const us = cells[total];
    if (typeof us !== 'number') return [];
    return [
      {
        side: cells[side] === 'candidate' ? 'b' : 'a',
        step: String(cells[step] ?? ''),
        capture: String(cells[capture] ?? ''),
        us,
        admitted: admitted < 0 || cells[admitted] !== false,
        reason: String(cells[reason] ?? ''),
        backlog: Number(cells[backlog] ?? 0),
        paced: typeof cells[pace] === 'number' ? cells[pace] : null,
        row,
      },
    ];
  });
}
