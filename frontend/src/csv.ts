// A table as CSV: full precision, `.` as decimal point, cells that a spreadsheet would run as formulas made harmless.

import type { Cell, Table } from './wire';

export function csvCell(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  const safe = guarded(cell);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A text without control characters; a spreadsheet runs one that starts like a formula, an apostrophe in front makes it a text again. */
export function guarded(cell: string): string {
  const safe = withoutControls(cell);
  return /^[=+\-@\t\r\n＝＋－＠]/.test(safe) ? `'${safe}` : safe;
}

/** Control characters written out, tabs and line ends left, as tb_perfcompare/render/printable.py does. */
export function withoutControls(cell: string): string {
  return cell.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** All columns of some rows, names with units in the first line, CRLF line ends. */
export function tableCsv(table: Table, rows: number[]): string {
  const lines = [table.columns.map((column) => csvCell(column.name)).join(',')];
  for (const row of rows) lines.push((table.rows[row] ?? []).map(csvCell).join(','));
  return lines.join('\r\n') + '\r\n';
}
