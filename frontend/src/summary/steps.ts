// Step times out of the `steps` table, and what a comparison says about dropped steps.

import type { Comparison, Table } from '../contract/wire';

export interface StepTime {
  side: 'a' | 'b';
  step: string;
  capture: string;
  us: number;
  admitted: boolean;
  reason: string;
  /** of `us`, what device work that an earlier step launched owns; 0 where the table does not say */
  backlog: number;
  /** row in the steps table */
  row: number;
}

function sideOf(text: string): 'a' | 'b' {
  return /^(b$|cand|abn)/i.test(text) ? 'b' : 'a';
}

/** Steps of both sides in table order; [] where the table is absent or has other columns. */
export function stepTimes(comparison: Comparison): StepTime[] {
  const table: Table | undefined = comparison.tables['steps'];
  if (!table) return [];
  const at = (name: string): number => table.columns.findIndex((column) => column.name === name);
  const [side, step, capture, total, admitted, reason, backlog] = ['side', 'step', 'capture', 'total_us', 'admitted', 'reason', 'backlog_us'].map(at) as [
    number, number, number, number, number, number, number,
  ];
  if (side < 0 || total < 0) return [];
  return table.rows.flatMap((cells, row) => {
    const us = cells[total];
    if (typeof us !== 'number') return [];
    return [
      {
        side: sideOf(String(cells[side])),
        step: String(cells[step] ?? ''),
        capture: String(cells[capture] ?? ''),
        us,
        admitted: admitted < 0 || cells[admitted] !== false,
        reason: String(cells[reason] ?? ''),
        backlog: Number(cells[backlog] ?? 0),
        row,
      },
    ];
  });
}

export interface Axis {
  low: number;
  high: number;
}

/** An axis over the admitted steps; a dropped step far beyond them is drawn at the edge and labelled instead. */
export function stepAxis(steps: StepTime[]): Axis {
  const kept = steps.filter((step) => step.admitted);
  const times = (kept.length > 0 ? kept : steps).map((step) => step.us);
  if (times.length === 0) return { low: 0, high: 1 };
  const low = Math.min(...times);
  const high = Math.max(...times);
  const pad = Math.max((high - low) * 0.06, high * 0.01);
  return { low: Math.max(0, low - pad), high: high + pad };
}
