// Tables of entities give several times of both sides: one of them is shown at a time.

import type { Column, Table } from '../contract/wire';
import { text } from '../ui/strings';
import { deltaIndexes } from './rows';

/** A time with its difference, by the places of its columns. */
export interface Metric {
  /** in links and before the names of its columns; "" for the table's main one */
  name: string;
  label: string;
  a: number;
  b: number;
  delta: number;
}

export const EXPOSED = 'exposed';
/** What a link calls the main one, as "" is the usual one. */
export const MAIN = 'us';

/** None where the table is not of entities that are called. */
export function metricsOf(table: Table): Metric[] {
  if (callsAt(table).includes(-1)) return [];
  return deltaIndexes(table).flatMap((delta) => {
    const own = table.columns[delta]!.measure;
    const at = (wanted: Column['side']): number => table.columns.findIndex(({ kind, side, measure }) => kind === 'time_us' && side === wanted && measure === own);
    const [a, b] = [at('baseline'), at('candidate')];
    return a < 0 || b < 0 ? [] : [{ name: own, label: table.columns[a]!.label.replace(/\s*A$/, '') || text.table.metricMain, a, b, delta }];
  });
}

export function callsAt(table: Table): number[] {
  return ['baseline', 'candidate'].map((wanted) => table.columns.findIndex(({ measure, side }) => measure === 'calls' && side === wanted));
}

/** The chosen one, or the one that the rows are ordered by; else exposed time where it is known, else of those that the server shows the one that changed most. */
export function metricOf(table: Table, chosen: string, sort = ''): Metric | null {
  const metrics = metricsOf(table);
  const change = ({ delta }: Metric): number => table.rows.reduce((sum, row) => sum + Math.abs(Number(row[delta]) || 0), 0);
  const ordered = table.columns.findIndex(({ name }) => name === sort.replace(/^-|,.*/g, ''));
  const named = metrics.find(({ name }) => chosen !== '' && (name || MAIN) === chosen) ?? metrics.find(({ a, b, delta }) => [a, b, delta].includes(ordered) && chosen === '');
  const known = named ?? metrics.find((one) => one.name === EXPOSED && table.rows.some((row) => row[one.a] || row[one.b]));
  return known ?? metrics.filter(({ delta }) => table.columns[delta]!.shown).sort((one, other) => change(other) - change(one))[0] ?? null;
}
