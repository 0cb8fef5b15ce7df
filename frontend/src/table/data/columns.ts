// How the columns of a table are shown: which ones, in which unit, how wide.

import type { Cell, Column, Table } from '../../contract/wire';
import { isMeasuredDelta } from './rows';
import { tableText } from './words';
import { columnStyle, countDecimals, formatBytes, formatDecimal, formatDigits, formatIn, formatNumber, formatP, formatPercent, formatPoints, formatRate, formatUnit, NOT_MEASURED, type NumberStyle, plainDecimals } from '../../ui/format';

export interface ColumnView {
  column: Column;
  /** index of its cell in a row; -1 for columns that the page computes, which have no cell */
  index: number;
  numeric: boolean;
  /** for times: unit and decimals, shared by the columns of one measure, or by all in a table without differences */
  style: NumberStyle | null;
  /** for counts and plain numbers: decimal places, the same in every row so that decimal points align */
  decimals: number;
  /** largest absolute value in the column, which scales the bars of a delta; 0 for other columns */
  largest: number;
  /** index of the text column that gives each row's unit of plain numbers; -1 if the whole column has one unit */
  unitAt: number;
  /** indexes of the columns that share its precision: both sides and their difference */
  related: number[];
  /** every cell is absent, empty or zero; hidden unless the reader chooses the column */
  blank: boolean;
  /** characters in the longest text, count or scaled number (90.4 TFLOP/s); 0 for other columns */
  letters: number;
  /** for columns that the page computes: width in pixels, and what a row's cell says; without `derive` the cell is a picture */
  width?: number;
  derive?: (cells: Cell[]) => Derived;
  /** whether a row's difference is not significant, so that it is not colored */
  isNoise?: (cells: Cell[]) => boolean;
  /** the value that rows are sorted by, and its sort expression for the server (comparison/tables/row_query.py) */
  order?: (cells: Cell[]) => Cell;
  asks?: string;
  /** for columns that the page computes: the columns that take its place in a copy for a spreadsheet, with their names */
  copied?: [string, (cells: Cell[]) => Cell][];
}

/** A cell that the page computes from the row's other cells. */
export interface Derived {
  text: string;
  /** 1 worse, -1 better */
  sense?: -1 | 0 | 1;
  /** style of the chip that it is drawn as */
  chip?: string;
  title?: string;
}

/** Whether a column holds p or q values: probabilities, not quantities. */
function isProbability(column: Column): boolean {
  return column.kind === 'number' && (column.statistic === 'p' || column.statistic === 'q');
}

/** Whether a column holds the q values of one of the table's measures. */
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

/** Whether all rows share one unit; otherwise the bars of their differences cannot share a scale. */
function hasOneUnit(table: Table, column: Column): boolean {
  return unitPlace(table, column) < 0 && (column.kind !== 'number' || (column.unit !== '' && column.unit !== 'number'));
}

function unitPlace(table: Table, column: Column): number {
  return column.kind === 'number' && !isProbability(column) ? table.columns.findIndex((one) => one.name === 'unit' && one.kind === 'text') : -1;
}

/** One precision per measure; `known` caches it for the measure's other columns. */
function precisionOf(table: Table, column: Column, index: number, known: Map<string, number>): Pick<ColumnView, 'decimals' | 'related'> {
  if (column.kind !== 'count' && column.kind !== 'number') return { decimals: 0, related: [] };
  const sides = (one: Column): boolean => one.side !== '' || one.role === 'delta';
  const related = table.columns.flatMap((one, place) => (place === index || (one.kind === column.kind && sides(one) && sides(column) && one.measure === column.measure) ? [place] : []));
  const key = related.join();
  if (!known.has(key)) known.set(key, (column.kind === 'count' ? countDecimals : plainDecimals)(numbersOf(table, related)));
  return { decimals: known.get(key) ?? 0, related };
}

/** Characters in the longest of these numbers. */
function longestOf(values: number[], decimals: number): number {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return formatNumber(largest, decimals).length + (values.some((value) => value < 0) ? 1 : 0);
}

/** Characters for which a column needs more room than others; 0 if it does not. */
function lettersOf(table: Table, column: Column, index: number): number {
  if (column.kind === 'text') return table.rows.reduce((most, row) => Math.max(most, String(row[index] ?? '').length), 0);
  const values = numbersOf(table, [index]);
  if (column.kind === 'count') return longestOf(values, countDecimals(values));
  if (column.unit in SCALED_LETTERS || column.kind !== 'number') return SCALED_LETTERS[column.unit] ?? 0;
  const unit = unitPlace(table, column);
  const plain = numbersOf({ ...table, rows: table.rows.filter((row) => !(String(unit < 0 ? column.unit : row?.[unit]) in SCALED_LETTERS)) }, [index]);
  const letters = longestOf(plain, plainDecimals(plain));
  return letters > USUAL_LETTERS ? letters : 0;
}

export function columnViews(table: Table): ColumnView[] {
  const styles = new Map<string, NumberStyle>();
  const families = new Map<string, number[]>();
  const precisions = new Map<string, number>();
  const compares = table.columns.some((column) => column.role === 'delta');
  table.columns.forEach((column, index) => {
    if (column.kind !== 'time_us') return;
    // a table without differences lists parts of one total, which read best in one unit
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
    letters: lettersOf(table, column, index),
    largest: isMeasuredDelta(column) && hasOneUnit(table, column) ? numbersOf(table, [index]).reduce((most, value) => Math.max(most, Math.abs(value)), 0) : 0,
  }));
}

/** Columns to draw: the chosen names, else those the server shows that are not blank or are the main time. Shown keys
 *  always stay; the status is a chip next to the key. */
export function visibleColumns(views: ColumnView[], chosen: string): ColumnView[] {
  const names = chosen === '' ? null : new Set(chosen.split(','));
  return views.filter(({ column, blank }) => {
    if (column.role === 'status') return false;
    if (column.role === 'key') return column.shown;
    return names ? names.has(column.name) : column.shown && (!blank || isMain(column));
  });
}

/** Moves the other leading columns behind the figures, so that a narrow screen shows the change right after the name.
 *  Unchanged if the name alone does not tell most rows apart. */
export function figuresFirst(views: ColumnView[], name: number, rows: Table['rows']): ColumnView[] {
  const figures = views.findIndex((view) => view.numeric);
  const here = rows.filter(Boolean); // rows not fetched yet are holes
  if (2 * new Set(here.map((cells) => cells[name])).size <= here.length) return views;
  const behind = views.filter((view, at) => at < figures && view.index !== name);
  return [...views.filter((view) => !behind.includes(view)), ...behind];
}

/** Keeps the bars of the first difference alone: others, such as parts of it, are read as figures. */
export function oneBar(views: ColumnView[]): ColumnView[] {
  const first = views.find(({ largest }) => largest > 0);
  return views.map((view) => (view === first || view.largest === 0 ? view : { ...view, largest: 0 }));
}

/** Leaves out A and B of all measures but the main one whose difference is shown. */
export function differencesOnly(views: ColumnView[]): ColumnView[] {
  const compared = new Set(views.flatMap(({ column }) => (isMeasuredDelta(column) && column.measure !== '' ? [column.measure] : [])));
  return views.filter(({ column }) => column.side === '' || !compared.has(column.measure));
}

/** Leaves out columns from the right until the others fit: a row's details have them. Names and the first A, B and Δ stay. */
export function cutToFit(views: ColumnView[], fits: (left: ColumnView[]) => boolean): ColumnView[] {
  const stays = ['baseline', 'candidate', 'delta'].map((role) => views.find(({ column }) => column.role === role));
  const left = [...views];
  for (const view of [...views].reverse()) {
    if (fits(left)) break;
    if (view.column.role !== 'key' && !stays.includes(view)) left.splice(left.indexOf(view), 1);
  }
  return left;
}

/** Whether a column is part of the table's main time, which is drawn even if every cell is zero. */
function isMain({ measure, kind, role }: Column): boolean {
  return measure === '' && kind === 'time_us' && ['baseline', 'candidate', 'delta'].includes(role);
}

/** Shows or hides one column and returns the new choice; "" if it equals the default. */
export function toggleColumn(views: ColumnView[], chosen: string, name: string): string {
  const shown = new Set(visibleColumns(views, chosen).map((view) => view.column.name));
  if (!shown.delete(name)) shown.add(name);
  const free = views.filter(({ column }) => column.role !== 'key' && column.role !== 'status');
  const usual = new Set(visibleColumns(views, '').map((view) => view.column.name));
  if (free.every(({ column }) => usual.has(column.name) === shown.has(column.name))) return '';
  const names = free.filter(({ column }) => shown.has(column.name)).map(({ column }) => column.name);
  return names.length > 0 ? names.join(',') : ',';
}

function isSigned(column: Column): boolean {
  return column.role === 'delta' || column.role === 'percent' || column.statistic.endsWith('_effect');
}

/** Units that need no column of their own: formatted bytes carry theirs, counts have none. */
const SAID_UNITS = new Set(['bytes', 'count']);
/** Characters that fit a column of plain numbers at its usual width. */
const USUAL_LETTERS = 8;
/** Characters in the longest scaled number of each unit, such as 90.4 TFLOP/s. */
const SCALED_LETTERS: Record<string, number> = { bytes: 0, FLOP: 10, 'FLOP/s': 12, 'bytes/s': 9 };
/** Header text of each unit of plain numbers; "" if the cells carry the unit or there is none to name. */
const UNIT_TEXT: Record<string, string> = { percent: '%', number: '', fraction: '', bytes: '', 'bytes/s': '', FLOP: '', 'FLOP/s': '', 'FLOP/byte': 'FLOP/B' };

/** A column's label, without the trailing "(us)" or "(%)" if the header shows the unit separately. */
export function headerLabel(view: ColumnView): string {
  const { label } = view.column;
  return headerUnit(view) === '' ? label : label.replace(/\s*\((us|%)\)$/, '');
}

/** Unit shown in the header; "" if the cells carry it or there is none. */
export function headerUnit(view: ColumnView): string {
  if (view.style) return view.style.unit;
  if (view.column.unit === 'percent' && view.column.role === 'delta') return 'pp';
  return view.column.kind === 'number' && view.unitAt < 0 ? (UNIT_TEXT[view.column.unit] ?? view.column.unit) : '';
}

/** The cell as shown. `row` is the cell's row, needed for computed columns and for units given per row. */
export function cellText(view: ColumnView, cell: Cell | undefined, row?: Cell[]): string {
  if (view.derive) return view.derive(row ?? []).text || NOT_MEASURED;
  if (cell === null || cell === undefined || cell === '') return NOT_MEASURED;
  if (typeof cell === 'boolean') return cell ? tableText.yes : tableText.no;
  if (typeof cell === 'string') return view.column.name === 'unit' ? formatUnit(cell) : view.column.name === 'input_shape' ? shapesText(cell) : cell;
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

/** Input shapes without the brackets around all and without scalars: `[8, 64], [64, 24]` for `[[8, 64], [64, 24], []]`. */
function shapesText(shapes: string): string {
  const some = shapes.slice(1, -1).replaceAll(/(?:^|, )\[\](?=,|$)/g, '').replace(/^, /, '');
  return some.startsWith('[') ? some : shapes;
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

/** Whether a difference is worse (1), better (-1) or neither (0). */
export function meaning(column: Column, cell: Cell | undefined): -1 | 0 | 1 {
  if (typeof cell !== 'number' || cell === 0 || !isSigned(column) || column.better === 'none') return 0;
  return cell > 0 === (column.better === 'lower') ? 1 : -1;
}
