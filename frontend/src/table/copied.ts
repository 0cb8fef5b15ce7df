// Rows of a table as text to paste: into a spreadsheet, or into an issue or a review.

import type { Cell, Table } from '../contract/wire';
import { cellText, headerUnit, type ColumnView } from './columns';
import { guarded, withoutControls } from './csv';
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
