// Accessors for the ledger, the attribution of step time in exact integers.

import { columnAt, PLAIN_COLUMN, PLAIN_TABLE, type Cell, type Column, type Ledger, type LedgerRow, type Table } from '../contract/wire';
import { text } from '../ui/strings';

/** Converts a ledger integer to microseconds per step. */
export function ledgerUs(ledger: Ledger, value: number): number {
  return value / ledger.denominator / 1000;
}

export function categories(ledger: Ledger): LedgerRow[] {
  return ledger.rows.filter((row) => row.path.length === 1);
}

/** Whether each side could record the category; if not, its time is missing, not zero. */
export function recorded(ledger: Ledger, category: string): [boolean, boolean] {
  const [a, b] = ledger.not_recorded;
  return [!a.includes(category), !b.includes(category)];
}

/** Whether the time is split into categories; a per-cycle table has just one, because overlaps were not recorded. */
export function isSplit(ledger: Ledger): boolean {
  return categories(ledger).length > 1;
}

/** Entities of a category, largest change first. */
export function entities(ledger: Ledger, category: string): LedgerRow[] {
  return ledger.rows
    .filter((row) => row.path.length === 2 && row.path[0] === category)
    .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
}

/** Parts of an entity by caller and input shape, largest change first; empty if there is only one. */
export function partsOf(ledger: Ledger, entity: LedgerRow): LedgerRow[] {
  return ledger.rows.filter((row) => row.path.length === 3 && row.path[0] === entity.path[0] && row.path[1] === entity.path[1]);
}

export type Amounts = Pick<LedgerRow, 'baseline' | 'candidate' | 'delta'>;

/** Exact sum of the rows not listed individually. */
export function restOf(rows: LedgerRow[]): Amounts & { count: number } {
  const sum = (of: keyof Amounts): number => rows.reduce((total, row) => total + row[of], 0);
  return { count: rows.length, baseline: sum('baseline'), candidate: sum('candidate'), delta: sum('delta') };
}

/** Whether the categories add up to the headline exactly; values are integers, so `===` is intended. */
export function isExactSum(ledger: Ledger): boolean {
  return categories(ledger).reduce((sum, row) => sum + row.delta, 0) === ledger.delta;
}

/** All entities as a table in the server's format, so that sorting, filters and exports work. */
export function ledgerTable(ledger: Ledger, words: ReturnType<typeof text.attribution>): Table {
  const time = { unit: 'us', better: 'lower', kind: 'time_us' } as const;
  const calls = { kind: 'count', measure: 'calls' } as const;
  const column = (name: keyof typeof words, more: Partial<Column>): Column => ({ ...PLAIN_COLUMN, name, label: words[name][0]!, description: words[name][1]!, ...more });
  const rows = ledger.rows.filter((row) => row.path.length === 2).sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
  const us = (value: number): number => ledgerUs(ledger, value);
  return {
    ...PLAIN_TABLE,
    ...(ledger.short_names && { short_names: ledger.short_names }),
    title: text.tabs.attribution,
    columns: [
      column('entity', { role: 'key' }),
      column('category', { role: 'key' }),
      column('baseline_us', { ...time, role: 'baseline', side: 'baseline' }),
      column('candidate_us', { ...time, role: 'candidate', side: 'candidate' }),
      column('delta_us', { ...time, role: 'delta', statistic: 'delta' }),
      column('baseline_calls', { ...calls, side: 'baseline' }),
      column('candidate_calls', { ...calls, side: 'candidate' }),
      column('count_effect_us', { ...time, statistic: 'count_effect' }),
      column('rate_effect_us', { ...time, statistic: 'rate_effect' }),
      column('status', { role: 'status' }),
    ],
    rows: rows.map((row) => {
      const [a, b] = recorded(ledger, row.path[0]!);
      return [
        row.path[1] ?? '',
        row.path[0] ?? '',
        row.status === 'added' ? null : us(row.baseline),
        row.status === 'removed' ? null : us(row.candidate),
        us(row.delta),
        a ? row.calls[0] : null,
        b ? row.calls[1] : null,
        us(row.count_effect),
        us(row.rate_effect),
        row.status,
      ];
    }),
  };
}

/** Category -> change at equal machine speed in microseconds per step, and its p; empty if they are not known. */
export function atEqualSpeed(table: Table | undefined): Map<Cell, [us: number, p: Cell]> {
  const change = columnAt(table, 'paced_delta_us');
  // p is in the next column
  return new Map(table?.rows.filter((row) => typeof row[change] === 'number').map((row) => [row[0]!, [row[change] as number, row[change + 1]!]]));
}
