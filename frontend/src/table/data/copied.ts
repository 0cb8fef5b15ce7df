// Table rows as text: TSV and Markdown to paste, and CSV with full precision and `.` as the decimal point. Cells that a
// spreadsheet would run as formulas are escaped.

import type { Cell, Table } from '../../contract/wire';
import { cellText, headerUnit, type ColumnView } from './columns';
import { tableText } from './words';

/** Most rows that are copied; more belong in a file. */
export const MAX_COPIED = 1000;

/** The shown columns as TSV with full precision. A computed column's figures are columns of their own. */
export function tableTsv(table: Table, rows: number[], columns: ColumnView[]): string {
  const cell = (value: Cell): string => (value === null ? '' : typeof value === 'string' ? guarded(value).replace(/[\t\r\n]+/g, ' ') : String(value));
  // by name, as a computed column may have the figures of another one
  const copied = [...new Map(columns.flatMap(copiedColumns))];
  const lines = rows.slice(0, MAX_COPIED).map((row) => copied.map(([, of]) => cell(of(table.rows[row] ?? []))).join('\t'));
  return [copied.map(([name]) => name).join('\t'), ...lines, ''].join('\n');
}

function copiedColumns({ column, index, copied }: ColumnView): NonNullable<ColumnView['copied']> {
  return copied ?? [[column.name, (cells) => cells[index] ?? null]];
}

/** The shown columns as a Markdown table, formatted as on the page. */
export function tableMarkdown(table: Table, rows: number[], columns: ColumnView[]): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  const head = columns.map((view) => markdownText([view.column.label || view.column.name, headerUnit(view)].filter(Boolean).join(' ')));
  const rule = columns.map((view) => (view.numeric ? '---:' : '---'));
  const lines = rows.slice(0, MAX_COPIED).map((row) => {
    const cells = table.rows[row] ?? [];
    return line(columns.map((view) => markdownText(cellText(view, cells[view.index], cells))));
  });
  const rest = rows.length - lines.length;
  return [line(head), line(rule), ...lines, ...(rest > 0 ? ['', tableText.copyRest(rest)] : []), ''].join('\n');
}

/** Escapes a text so that it stays one Markdown cell: no markup, control characters or line breaks. */
export function markdownText(value: string): string {
  return withoutControls(value).replace(/\s*[\r\n]+\s*/g, ' ').replace(/[\\|<>*_`[\]#~&]/g, '\\$&');
}

export function csvCell(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  const safe = guarded(cell);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Escapes control characters, and prefixes an apostrophe to text that a spreadsheet would run as a formula. */
function guarded(cell: string): string {
  const safe = withoutControls(cell);
  return /^[=+\-@\t\r\n＝＋－＠]/.test(safe) ? `'${safe}` : safe;
}

/** Writes control characters as \xNN, except tabs and line breaks, as tb_perfcompare/render/printable.py does. */
function withoutControls(cell: string): string {
  return cell.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** All columns of the given rows as CSV: column names in the first line, CRLF line breaks. */
export function tableCsv(table: Table, rows: number[]): string {
  const lines = [table.columns.map((column) => csvCell(column.name)).join(',')];
  for (const row of rows) lines.push((table.rows[row] ?? []).map(csvCell).join(','));
  return lines.join('\r\n') + '\r\n';
}
