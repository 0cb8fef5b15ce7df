// Entity tables have several times per side, and rates if the work is known; one of them is shown at a time.

import { columnAt, type Column, type Table } from '../../contract/wire';
import { deltaIndexes } from './rows';
import { tableText } from './words';

/** A measure's columns for both sides and their difference, as column indexes. */
export interface Figure {
  /** the measure, as in links and as the prefix of column names; "" for the table's main time */
  name: string;
  label: string;
  a: number;
  b: number;
  delta: number;
}

/** A time. Rows are ordered, hidden and summed by it, even while a rate is shown in its place. */
export interface Metric extends Figure {
  rate?: Figure;
}

export const EXPOSED = 'exposed';
/** The main time's name in links, where "" means the default. */
export const MAIN = 'us';

/** The table's times; [] if it has no calls columns, so is no entity table. */
export function metricsOf(table: Table): Metric[] {
  return callsAt(table).includes(-1) ? [] : deltaIndexes(table).flatMap((delta) => figuresAt(table, delta));
}

/** Rates of work per second that any row has; [] if the table has no calls columns. */
export function ratesOf(table: Table): Figure[] {
  if (callsAt(table).includes(-1)) return [];
  const rates = table.columns.flatMap((column, delta) => (isRate(column) && column.role === 'delta' ? figuresAt(table, delta) : []));
  return rates.filter(({ a, b }) => table.rows.some((row) => row?.[a] || row?.[b]));
}

export function isRate({ kind, unit }: Column): boolean {
  return kind === 'number' && unit.endsWith('/s');
}

/** Both side columns of a difference column; [] if one is missing. */
function figuresAt(table: Table, delta: number): Figure[] {
  const { kind: own, measure: of } = table.columns[delta]!;
  const at = (wanted: Column['side']): number => table.columns.findIndex(({ kind, side, measure }) => kind === own && side === wanted && measure === of);
  const [a, b] = [at('baseline'), at('candidate')];
  return a < 0 || b < 0 ? [] : [{ name: of, label: table.columns[a]!.label.replace(/\s*A$/, '') || tableText.metricMain, a, b, delta }];
}

export function callsAt(table: Table): number[] {
  return ['baseline', 'candidate'].map((wanted) => table.columns.findIndex(({ measure, side }) => measure === 'calls' && side === wanted));
}

/** The chosen metric, or the one that rows are sorted by; else exposed time if any row has it, else the shown metric that
 *  changed most. null if there is none. */
export function metricOf(table: Table, chosen: string, sort = ''): Metric | null {
  const rate = chosen === '' ? undefined : ratesOf(table).find(({ name }) => name === chosen);
  const time = timeOf(table, chosen, sort);
  return time && rate ? { ...time, rate } : time;
}

function timeOf(table: Table, chosen: string, sort: string): Metric | null {
  const metrics = metricsOf(table);
  const change = ({ delta }: Metric): number => table.rows.reduce((sum, row) => sum + Math.abs(Number(row[delta]) || 0), 0);
  const ordered = columnAt(table, sort.replace(/^-|,.*/g, ''));
  const named = metrics.find(({ name }) => chosen !== '' && (name || MAIN) === chosen) ?? metrics.find(({ a, b, delta }) => [a, b, delta].includes(ordered) && chosen === '');
  const known = named ?? metrics.find((one) => one.name === EXPOSED && table.rows.some((row) => row[one.a] || row[one.b]));
  return known ?? metrics.filter(({ delta }) => table.columns[delta]!.shown).sort((one, other) => change(other) - change(one))[0] ?? null;
}
