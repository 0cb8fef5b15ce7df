// A table as CSV: full precision, `.` as decimal point, cells that a spreadsheet would run as formulas made harmless.

import type { Cell, Table } from '../contract/wire';

export function csvCell(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  const safe = guarded(cell);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A spreadsheet runs a text that starts like a formula; an apostrophe in front makes it a text again. */
export function guarded(cell: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell;
}

/** All columns of some rows, names with units in the first line, CRLF line ends. */
export function tableCsv(table: Table, rows: number[]): string {
  const lines = [table.columns.map((column) => csvCell(column.name)).join(',')];
  for (const row of rows) lines.push((table.rows[row] ?? []).map(csvCell).join(','));
  return lines.join('\r\n') + '\r\n';
}
