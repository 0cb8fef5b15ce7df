// Accessors for the ledger, the attribution of step time in exact integers.

import { columnAt, PLAIN_COLUMN as plain, PLAIN_TABLE, type Cell, type Ledger, type LedgerRow, type Table } from '../contract/wire';
import type { text } from '../ui/strings';

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

export type Amounts = Pick<LedgerRow, 'baseline' | 'candidate' | 'delta' | 'count_effect' | 'rate_effect'>;

/** Exact sum of the rows not listed individually. */
export function restOf(rows: LedgerRow[]): Amounts & { count: number } {
  const sum = (of: keyof Amounts): number => rows.reduce((total, row) => total + row[of], 0);
  return { count: rows.length, baseline: sum('baseline'), candidate: sum('candidate'), delta: sum('delta'), count_effect: sum('count_effect'), rate_effect: sum('rate_effect') };
}

/** Whether the categories add up to the headline exactly; values are integers, so `===` is intended. */
export function isExactSum(ledger: Ledger): boolean {
  return categories(ledger).reduce((sum, row) => sum + row.delta, 0) === ledger.delta;
}

/** All entities as a table in the server's format, so that sorting, filters and exports work. */
export function ledgerTable(ledger: Ledger, words: ReturnType<typeof text.attribution>): Table {
  const time = { ...plain, unit: 'us', better: 'lower', kind: 'time_us' } as const;
  const calls = { ...plain, kind: 'count', measure: 'calls' } as const;
  const about = words.about;
  const rows = ledger.rows.filter((row) => row.path.length === 2).sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
  const us = (value: number): number => ledgerUs(ledger, value);
  return {
    ...PLAIN_TABLE,
    title: words.title,
    columns: [
      { ...plain, name: 'entity', label: words.entity, description: about.entity, role: 'key' },
      { ...plain, name: 'category', label: words.category, description: about.category, role: 'key' },
      { ...time, name: 'baseline_us', label: words.baseline, description: about.side, role: 'baseline', side: 'baseline' },
      { ...time, name: 'candidate_us', label: words.candidate, description: about.side, role: 'candidate', side: 'candidate' },
      { ...time, name: 'delta_us', label: words.delta, description: about.delta, role: 'delta', statistic: 'delta' },
      { ...calls, name: 'baseline_calls', label: words.callsA, description: about.calls, side: 'baseline' },
      { ...calls, name: 'candidate_calls', label: words.callsB, description: about.calls, side: 'candidate' },
      { ...time, name: 'count_effect_us', label: words.count, description: about.count, statistic: 'count_effect' },
      { ...time, name: 'rate_effect_us', label: words.rate, description: about.rate, statistic: 'rate_effect' },
      { ...plain, name: 'status', label: words.status, description: about.status, role: 'status' },
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
