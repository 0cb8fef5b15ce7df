// Rows of a table as text: to paste into a spreadsheet, an issue or a review, and as CSV with full precision and `.` as decimal
// point. Cells that a spreadsheet would run as formulas are made harmless.

import type { Cell, Table } from '../contract/wire';
import { cellText, headerUnit, type ColumnView } from './columns';
import { tableText } from './words';

/** More rows than this are a file, not something to paste. */
export const MOST_COPIED = 1000;

/** The columns that are shown, full precision, tabs between them. */
export function tableTsv(table: Table, rows: number[], columns: ColumnView[]): string {
  const cell = (value: Cell | undefined): string => (value === null || value === undefined ? '' : typeof value === 'string' ? guarded(value).replace(/[\t\r\n]+/g, ' ') : String(value));
  const lines = rows.slice(0, MOST_COPIED).map((row) => columns.map((view) => cell(table.rows[row]?.[view.index])).join('\t'));
  return [columns.map((view) => view.column.name).join('\t'), ...lines, ''].join('\n');
}

/** The same as it is written on the page, as a Markdown table. */
export function tableMarkdown(table: Table, rows: number[], columns: ColumnView[]): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  const head = columns.map((view) => markdownText([view.column.label || view.column.name, headerUnit(view)].filter(Boolean).join(' ')));
  const rule = columns.map((view) => (view.numeric ? '---:' : '---'));
  const lines = rows.slice(0, MOST_COPIED).map((row) => {
    const cells = table.rows[row] ?? [];
    return line(columns.map((view) => markdownText(cellText(view, cells[view.index], cells))));
  });
  const rest = rows.length - lines.length;
  return [line(head), line(rule), ...lines, ...(rest > 0 ? ['', tableText.copyRest(rest)] : []), ''].join('\n');
}

/** No markup, no control character, no other cell and no other line comes of it. */
export function markdownText(value: string): string {
  return withoutControls(value).replace(/\s*[\r\n]+\s*/g, ' ').replace(/[\\|<>*_`[\]#~&]/g, '\\$&');
}

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
