// How the columns of a table are shown: which ones, in which unit, how wide.

import { columnStyle, formatBytes, formatCount, formatIn, formatPercent, formatPlain, NOT_MEASURED, type NumberStyle } from './format';
import type { Cell, Column, Table } from './wire';

export interface ColumnView {
  column: Column;
  /** place in the table's rows */
  index: number;
  numeric: boolean;
  /** for times: the unit all columns of one family share */
  style: NumberStyle | null;
  /** the largest size in the column, for the bar of a delta; 0 elsewhere */
  largest: number;
  /** every cell is absent, empty or zero: such a column is not shown unless asked for */
  blank: boolean;
  /** length of the longest text, 0 for other columns */
  letters: number;
}

const SIDE_PREFIX = /^(baseline|candidate|delta|count_effect|rate_effect)_/;

/** `baseline_x_us`, `candidate_x_us` and `x_delta_us` are one measure, x_us. */
export function family(name: string): string {
  return name.replace(SIDE_PREFIX, '').replace(/_delta_/, '_');
}

/** Differences of a whole measure, not the parts a difference is split into. */
export function isMeasuredDelta(column: Column): boolean {
  return column.role === 'delta' && !/^(count|rate)_effect_/.test(column.name);
}

export function isNumeric(column: Column): boolean {
  return column.kind !== 'text' && column.kind !== 'bool';
}

function numbersOf(table: Table, indexes: number[]): number[] {
  const numbers: number[] = [];
  for (const row of table.rows) for (const index of indexes) if (typeof row[index] === 'number') numbers.push(row[index]);
  return numbers;
}

export function columnViews(table: Table): ColumnView[] {
  const styles = new Map<string, NumberStyle>();
  const families = new Map<string, number[]>();
  const compares = table.columns.some((column) => column.role === 'delta');
  table.columns.forEach((column, index) => {
    if (column.kind !== 'time_us') return;
    // parts of one total read best in one unit; that is what a table without differences holds
    const key = compares ? family(column.name) : '';
    families.set(key, [...(families.get(key) ?? []), index]);
  });
  for (const [key, indexes] of families) styles.set(key, columnStyle(numbersOf(table, indexes)));
  return table.columns.map((column, index) => ({
    column,
    index,
    numeric: isNumeric(column),
    style: column.kind === 'time_us' ? (styles.get(compares ? family(column.name) : '') ?? null) : null,
    blank: table.rows.length > 0 && table.rows.every((row) => row[index] === null || row[index] === 0 || row[index] === ''),
    letters: column.kind === 'text' ? table.rows.reduce((most, row) => Math.max(most, String(row[index] ?? '').length), 0) : 0,
    largest: isMeasuredDelta(column) ? numbersOf(table, [index]).reduce((most, value) => Math.max(most, Math.abs(value)), 0) : 0,
  }));
}

/** Columns to draw: the chosen names, else those the server shows and that hold something; keys always, the status as a chip beside the key. */
export function visibleColumns(views: ColumnView[], chosen: string): ColumnView[] {
  const names = chosen === '' ? null : new Set(chosen.split(','));
  return views.filter(({ column, blank }) => {
    if (column.role === 'status') return false;
    if (column.role === 'key') return true;
    return names ? names.has(column.name) : column.shown && (!blank || MAIN.has(column.name));
  });
}

/** The table's subject, drawn even where all of it is zero. */
const MAIN = new Set(['baseline_us', 'candidate_us', 'delta_us']);

/** The choice with one column switched, "" when it equals the server's. */
export function toggleColumn(views: ColumnView[], chosen: string, name: string): string {
  const shown = new Set(visibleColumns(views, chosen).map((view) => view.column.name));
  if (!shown.delete(name)) shown.add(name);
  const free = views.filter(({ column }) => column.role !== 'key' && column.role !== 'status');
  const usual = new Set(visibleColumns(views, '').map((view) => view.column.name));
  if (free.every(({ column }) => usual.has(column.name) === shown.has(column.name))) return '';
  const names = free.filter(({ column }) => shown.has(column.name)).map(({ column }) => column.name);
  return names.length > 0 ? names.join(',') : ',';
}

export function isSigned(column: Column): boolean {
  return column.role === 'delta' || column.role === 'percent' || /^(count|rate)_effect_/.test(column.name);
}

/** Units of plain numbers as text; those that say no more than the kind does have none. */
const UNIT_TEXT: Record<string, string> = { percent: '%', number: '', fraction: '', bytes: '' };

/** Unit in the header, "" where the cell carries it or there is none. */
export function headerUnit(view: ColumnView): string {
  if (view.style) return view.style.unit;
  return view.column.kind === 'number' ? (UNIT_TEXT[view.column.unit] ?? view.column.unit) : '';
}

export function cellText(view: ColumnView, cell: Cell | undefined, words: { yes: string; no: string }): string {
  if (cell === null || cell === undefined || cell === '') return NOT_MEASURED;
  if (typeof cell === 'boolean') return cell ? words.yes : words.no;
  if (typeof cell === 'string') return cell;
  const signed = isSigned(view.column);
  switch (view.column.kind) {
    case 'time_us':
      return view.style ? formatIn(view.style, cell, signed) : NOT_MEASURED;
    case 'fraction':
      return formatPercent(cell, signed);
    case 'count':
      return formatCount(cell, signed);
    default:
      return view.column.unit === 'bytes' ? formatBytes(cell) : formatPlain(cell, signed);
  }
}

/** What a difference means: 1 worse, -1 better, 0 neither. */
export function meaning(column: Column, cell: Cell | undefined): -1 | 0 | 1 {
  if (typeof cell !== 'number' || cell === 0 || !isSigned(column) || column.better === 'none') return 0;
  return cell > 0 === (column.better === 'lower') ? 1 : -1;
}
