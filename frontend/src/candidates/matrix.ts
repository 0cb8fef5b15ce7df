// Where each candidate's time changed: rows are parts of the step or rows of a table, columns are candidates.

import type { Look, Row, RowTimes } from './wire';

export interface MatrixRow {
  name: string;
  /** by place among the candidates; null: not compared, or not among that candidate's largest */
  cells: (RowTimes | null)[];
}

/** Rows that are shown at most. */
const MOST = 30;

const timesOf = (look: Look, table: string): RowTimes[] => (table === '' ? look.parts : look.table === table ? look.rows : []);

/** The table whose rows can be shown instead of the parts: the first candidate's that has one, "" for none. */
export const rowTable = (rows: (Row | undefined)[]): string => rows.find((row) => row?.look?.table)?.look?.table ?? '';

/** The time that came or went. */
export const deltaOf = (times: RowTimes): number => (times.candidate_us ?? 0) - (times.baseline_us ?? 0);

/** Rows of "" (the parts) or of a table, those that changed most in any candidate first; without those that are zero everywhere. */
export function matrixRows(rows: (Row | undefined)[], count: number, table: string): MatrixRow[] {
  const found = new Map<string, MatrixRow>();
  for (let place = 0; place < count; place += 1)
    for (const times of rows[place]?.look ? timesOf(rows[place]!.look!, table) : []) {
      const row = found.get(times.name) ?? { name: times.name, cells: Array.from({ length: count }, () => null) };
      row.cells[place] = times;
      found.set(times.name, row);
    }
  const size = (row: MatrixRow): number => Math.max(...row.cells.map((cell) => (cell ? Math.abs(deltaOf(cell)) : 0)));
  return [...found.values()]
    .filter((row) => row.cells.some((cell) => cell !== null && ((cell.baseline_us ?? 0) !== 0 || (cell.candidate_us ?? 0) !== 0)))
    .map((row) => ({ row, size: size(row) }))
    .sort((left, right) => right.size - left.size)
    .slice(0, MOST)
    .map(({ row }) => row);
}

/** What a change is measured against: the row's own time in A, or the whole step. */
export type Against = 'row' | 'step';

/** The change as a fraction; null where there is nothing to measure it against. */
export function changeOf(times: RowTimes, against: Against, step_us: number | null): number | null {
  const base = against === 'step' ? step_us : times.baseline_us;
  return base === null || base === 0 ? (deltaOf(times) === 0 ? 0 : null) : deltaOf(times) / base;
}

/** From where on each level is. */
export const LEVELS: Record<Against, number[]> = { row: [0.01, 0.05, 0.2, 0.5], step: [0.001, 0.01, 0.05, 0.2] };

/** How strong a colour is, 0 to 4 with its sign; what is new counts as the most. */
export function levelOf(times: RowTimes, against: Against, step_us: number | null): number {
  const change = changeOf(times, against, step_us);
  const delta = deltaOf(times);
  const level = change === null ? LEVELS[against].length : LEVELS[against].filter((least) => Math.abs(change) >= least).length;
  return Math.sign(delta) * level + 0;
}
