// How the columns of a table are shown: which ones, in which unit, how wide.

import type { Cell, Column, Table } from '../contract/wire';
import { isMeasuredDelta } from './rows';
import { tableText } from './words';
import { columnStyle, countDecimals, formatBytes, formatDecimal, formatDigits, formatIn, formatNumber, formatP, formatPercent, formatPoints, formatRate, formatUnit, NOT_MEASURED, type NumberStyle, plainDecimals } from '../ui/format';

export interface ColumnView {
  column: Column;
  /** place in the table's rows; -1 for what the page draws, which has no cell */
  index: number;
  numeric: boolean;
  /** for times: the unit all columns of one family share */
  style: NumberStyle | null;
  /** for counts and plain numbers: digits after the point, one number for the column so that points are below each other */
  decimals: number;
  /** the largest size in the column, for the bar of a delta; 0 elsewhere */
  largest: number;
  /** place of the text that gives the unit of a row's plain numbers, -1 where the column has one unit */
  unitAt: number;
  /** places of the columns that share its precision: both sides and their difference */
  related: number[];
  /** every cell is absent, empty or zero: such a column is not shown unless asked for */
  blank: boolean;
  /** length of the longest text, count or number in a multiple of its unit; 0 for other columns */
  letters: number;
  /** of a column that the page makes: its width, and what it says of a row; without the latter it is a picture */
  width?: number;
  derive?: (cells: Cell[]) => Derived;
  /** the value that rows are sorted by, and the same as the server is asked for it (comparison/tables/row_query.py) */
  order?: (cells: Cell[]) => Cell;
  asks?: string;
}

/** What the page says of a row that no cell of it says. */
export interface Derived {
  text: string;
  /** 1 worse, -1 better */
  sense?: -1 | 0 | 1;
  /** drawn as a chip of this look */
  chip?: string;
  title?: string;
}

/** p, q and their like, for one measure or several: probabilities, not quantities. */
export function isProbability(column: Column): boolean {
  return column.kind === 'number' && (column.statistic === 'p' || column.statistic === 'q');
}

/** q of a test of the row, for one of the table's measures. */
export function isQ(column: Column): boolean {
  return column.kind === 'number' && column.statistic === 'q';
}

export function isNumeric(column: Column): boolean {
  return column.kind !== 'text' && column.kind !== 'bool';
}

function numbersOf(table: Table, indexes: number[]): number[] {
  const numbers: number[] = [];
  for (const row of table.rows) for (const index of indexes) if (typeof row[index] === 'number') numbers.push(row[index]);
  return numbers;
}

/** Differences in units of their own in each row cannot share one scale. */
function hasOneUnit(table: Table, column: Column): boolean {
  return unitPlace(table, column) < 0 && (column.kind !== 'number' || (column.unit !== '' && column.unit !== 'number'));
}

function unitPlace(table: Table, column: Column): number {
  return column.kind === 'number' && !isProbability(column) ? table.columns.findIndex((one) => one.name === 'unit' && one.kind === 'text') : -1;
}

/** One precision for a measure; `known` keeps it for the measure's other columns. */
function precisionOf(table: Table, column: Column, index: number, known: Map<string, number>): Pick<ColumnView, 'decimals' | 'related'> {
  if (column.kind !== 'count' && column.kind !== 'number') return { decimals: 0, related: [] };
  const sides = (one: Column): boolean => one.side !== '' || one.role === 'delta';
  const related = table.columns.flatMap((one, place) => (place === index || (one.kind === column.kind && sides(one) && sides(column) && one.measure === column.measure) ? [place] : []));
  const key = related.join();
  if (!known.has(key)) known.set(key, (column.kind === 'count' ? countDecimals : plainDecimals)(numbersOf(table, related)));
  return { decimals: known.get(key) ?? 0, related };
}

function longestCount(values: number[]): number {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return formatNumber(largest, countDecimals(values)).length + (values.some((value) => value < 0) ? 1 : 0);
}

export function columnViews(table: Table): ColumnView[] {
  const styles = new Map<string, NumberStyle>();
  const families = new Map<string, number[]>();
  const precisions = new Map<string, number>();
  const compares = table.columns.some((column) => column.role === 'delta');
  table.columns.forEach((column, index) => {
    if (column.kind !== 'time_us') return;
    // parts of one total read best in one unit; that is what a table without differences holds
    const key = compares ? column.measure : '';
    families.set(key, [...(families.get(key) ?? []), index]);
  });
  for (const [key, indexes] of families) styles.set(key, columnStyle(numbersOf(table, indexes)));
  return table.columns.map((column, index) => ({
    column,
    index,
    numeric: isNumeric(column),
    style: column.kind === 'time_us' ? (styles.get(compares ? column.measure : '') ?? null) : null,
    unitAt: unitPlace(table, column),
    ...precisionOf(table, column, index, precisions),
    blank: table.rows.length > 0 && table.rows.every((row) => row[index] === null || row[index] === 0 || row[index] === '' || (column.name === 'unit' && SAID_UNITS.has(String(row[index])))),
    letters: column.kind === 'text' ? table.rows.reduce((most, row) => Math.max(most, String(row[index] ?? '').length), 0) : column.kind === 'count' ? longestCount(numbersOf(table, [index])) : (SCALED_LETTERS[column.unit] ?? 0),
    largest: isMeasuredDelta(column) && hasOneUnit(table, column) ? numbersOf(table, [index]).reduce((most, value) => Math.max(most, Math.abs(value)), 0) : 0,
  }));
}

/** Columns to draw: the chosen names, else those the server shows and that hold something; keys where there is room, the status as a chip next to the key. */
export function visibleColumns(views: ColumnView[], chosen: string): ColumnView[] {
  const names = chosen === '' ? null : new Set(chosen.split(','));
  return views.filter(({ column, blank }) => {
    if (column.role === 'status') return false;
    if (column.role === 'key') return column.shown;
    return names ? names.has(column.name) : column.shown && (!blank || isMain(column));
  });
}

/** Texts between the name and the figures behind these: a narrow screen shows how much changed before what else names the row. The name stays alone only if it tells most rows apart. */
export function figuresFirst(views: ColumnView[], name: number, rows: Table['rows']): ColumnView[] {
  const figures = views.findIndex((view) => view.numeric);
  const here = rows.filter(Boolean); // rows that have not come are holes
  if (2 * new Set(here.map((cells) => cells[name])).size <= here.length) return views;
  const behind = views.filter((view, at) => at < figures && view.index !== name);
  return [...views.filter((view) => !behind.includes(view)), ...behind];
}

/** The table's subject, drawn even where all of it is zero. */
function isMain({ measure, kind, role }: Column): boolean {
  return measure === '' && kind === 'time_us' && ['baseline', 'candidate', 'delta'].includes(role);
}

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
  return column.role === 'delta' || column.role === 'percent' || column.statistic.endsWith('_effect');
}

/** Units that cells and names of rows say themselves. */
const SAID_UNITS = new Set(['bytes', 'count']);
/** Units of plain numbers as text; those that say no more than the kind does have none. */
/** Of the longest number in a multiple of a unit, such as 90.4 TFLOP/s. */
const SCALED_LETTERS: Record<string, number> = { FLOP: 10, 'FLOP/s': 12, 'bytes/s': 9 };
const UNIT_TEXT: Record<string, string> = { percent: '%', number: '', fraction: '', bytes: '', 'bytes/s': '', FLOP: '', 'FLOP/s': '' };

/** A column's name without the unit in brackets of published names, where the header shows the unit anyway. */
export function headerLabel(view: ColumnView): string {
  const { label } = view.column;
  return headerUnit(view) === '' ? label : label.replace(/\s*\((us|%)\)$/, '');
}

/** Unit in the header, "" where the cell carries it or there is none. */
export function headerUnit(view: ColumnView): string {
  if (view.style) return view.style.unit;
  if (view.column.unit === 'percent' && view.column.role === 'delta') return 'pp';
  return view.column.kind === 'number' && view.unitAt < 0 ? (UNIT_TEXT[view.column.unit] ?? view.column.unit) : '';
}

/** `row` is the cell's row, for columns whose unit is there. */
export function cellText(view: ColumnView, cell: Cell | undefined, row?: Cell[]): string {
  if (view.derive) return view.derive(row ?? []).text || NOT_MEASURED;
  if (cell === null || cell === undefined || cell === '') return NOT_MEASURED;
  if (typeof cell === 'boolean') return cell ? tableText.yes : tableText.no;
  if (typeof cell === 'string') return view.column.name === 'unit' ? formatUnit(cell) : cell;
  const signed = isSigned(view.column);
  switch (view.column.kind) {
    case 'time_us':
      return view.style ? formatIn(view.style, cell, signed) : NOT_MEASURED;
    case 'fraction':
      return view.column.role === 'delta' ? formatPoints(cell) : formatPercent(cell, signed, view.column.statistic !== 'ratio');
    case 'count':
      return formatNumber(cell, view.decimals, signed);
    default:
      if (isProbability(view.column)) return formatP(cell);
      return view.unitAt < 0 || !row ? inUnit(cell, view.column.unit, view.decimals, signed) : inUnit(cell, String(row[view.unitAt]), rowDecimals(view, row), signed);
  }
}

function inUnit(value: number, unit: string, decimals: number, signed: boolean): string {
  if (unit === 'bytes') return formatBytes(value, signed);
  if (unit === 'FLOP' || unit === 'FLOP/s') return formatDecimal(value, unit, signed);
  if (unit === 'FLOP/byte') return formatDigits(value, signed);
  return unit === 'bytes/s' ? formatRate(value, signed) : formatNumber(value, decimals, signed);
}

function rowDecimals(view: ColumnView, row: Cell[]): number {
  return plainDecimals(view.related.flatMap((index) => (typeof row[index] === 'number' ? [row[index]] : [])));
}

/** What a difference means: 1 worse, -1 better, 0 neither. */
export function meaning(column: Column, cell: Cell | undefined): -1 | 0 | 1 {
  if (typeof cell !== 'number' || cell === 0 || !isSigned(column) || column.better === 'none') return 0;
  return cell > 0 === (column.better === 'lower') ? 1 : -1;
}
