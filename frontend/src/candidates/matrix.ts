// The matrix of where each candidate's time changed: rows are parts of the step or table rows, columns are candidates.

import type { CandidateResult, Row, RowTimes } from './wire';

interface MatrixRow {
  name: string;
  /** by index of the candidate; null if not compared, or not among that candidate's largest changes */
  cells: (RowTimes | null)[];
}

/** Most rows shown. */
const MAX_ROWS = 30;

/** A part that one side could not record has no change; a table's row that one side lacks is new or gone. */
const inBoth = ({ baseline_us, candidate_us }: RowTimes): boolean => baseline_us !== null && candidate_us !== null;

const timesOf = (result: CandidateResult, table: string): RowTimes[] => (table === '' ? result.parts.filter(inBoth) : result.table === table ? result.rows : []);

/** The table whose rows can be shown instead of parts of the step, from the first candidate that has one; "" for none. */
export const rowTable = (rows: (Row | undefined)[]): string => rows.find((row) => row?.result?.table)?.result?.table ?? '';

/** The difference in microseconds; an absent side counts as 0. */
export const deltaOf = (times: RowTimes): number => (times.candidate_us ?? 0) - (times.baseline_us ?? 0);

/** Rows for parts of the step (`table` "") or for a table's rows, without those that are zero everywhere. The largest change
 *  in any candidate comes first. */
export function matrixRows(rows: (Row | undefined)[], count: number, table: string): MatrixRow[] {
  const found = new Map<string, MatrixRow>();
  for (let place = 0; place < count; place += 1)
    for (const times of rows[place]?.result ? timesOf(rows[place]!.result!, table) : []) {
      const row = found.get(times.name) ?? { name: times.name, cells: Array.from({ length: count }, () => null) };
      row.cells[place] = times;
      found.set(times.name, row);
    }
  const size = (row: MatrixRow): number => Math.max(...row.cells.map((cell) => (cell ? Math.abs(deltaOf(cell)) : 0)));
  return [...found.values()]
    .filter((row) => row.cells.some((cell) => cell !== null && ((cell.baseline_us ?? 0) !== 0 || (cell.candidate_us ?? 0) !== 0)))
    .map((row) => ({ row, size: size(row) }))
    .sort((left, right) => right.size - left.size)
    .slice(0, MAX_ROWS)
    .map(({ row }) => row);
}

/** What a change is a fraction of: the row's time in A, or the whole step. */
export type Against = 'row' | 'step';

/** The change as a fraction; null if the base is zero or unknown and the change is not zero. */
export function changeOf(times: RowTimes, against: Against, step_us: number | null): number | null {
  const base = against === 'step' ? step_us : times.baseline_us;
  return base === null || base === 0 ? (deltaOf(times) === 0 ? 0 : null) : deltaOf(times) / base;
}

/** The least fraction of each color level. */
export const LEVELS: Record<Against, number[]> = { row: [0.01, 0.05, 0.2, 0.5], step: [0.001, 0.01, 0.05, 0.2] };

/** Color level from 0 to 4, with the sign of the change; new rows get the highest. */
export function levelOf(times: RowTimes, against: Against, step_us: number | null): number {
  const change = changeOf(times, against, step_us);
  const delta = deltaOf(times);
  const level = change === null ? LEVELS[against].length : LEVELS[against].filter((least) => Math.abs(change) >= least).length;
  return Math.sign(delta) * level + 0;
}
