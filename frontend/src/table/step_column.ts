// The column of small pictures of each row's steps: which tables have it, of which time, and where it stands.

import type { Comparison, Table } from '../contract/wire';
import { text, type MetricWords } from '../ui/strings';
import type { ColumnView } from './columns';
import { parseSort } from './order';

/** Its name in links. The server has no such column: what it draws is fetched for the rows in view. */
export const STEP_COLUMN = 'step_lines';
export const STEP_COLUMN_WIDTH = 148;
/** Widths at which it is shown unless chosen otherwise. */
export const STEP_COLUMN_FITS = '(min-width: 1280px)';

/** Whether rows have times of several steps: not those of totals, which were not tested, nor of one recording a side. */
export function hasSteps(comparison: Comparison, name: string): boolean {
  return comparison.tables[name]?.per_step === true && comparison.headline.n.some((n) => n > 1) && testedMeasures(comparison.tables[name]).length > 0;
}

/** Names of the times that the rows are compared by step by step, "" the main one. */
function testedMeasures(table: Table | undefined): string[] {
  return (table?.columns ?? []).flatMap(({ statistic, measure }) => (statistic === 'change' ? [measure] : []));
}

/** The time that is drawn: the one by which the rows are ordered, else the main one. */
export function drawnMeasure(table: Table, sort: string): string {
  const column = parseSort(sort)[0]?.column ?? '';
  const measure = table.columns.find(({ name }) => name === column)?.measure ?? '';
  return testedMeasures(table).includes(measure) ? measure : '';
}

/** The columns with that of the steps before the times. */
export function withStepColumn(views: ColumnView[], measure: string, fits: boolean, words: MetricWords): ColumnView[] {
  const main = measure === '';
  const label = views.find(({ column }) => column.role === 'baseline' && column.kind === 'time_us' && column.measure === measure)?.column.label ?? '';
  const what = main ? text.stepLines.main : label.replace(/\s+A$/, '');
  const view: ColumnView = {
    column: {
      name: STEP_COLUMN, label: text.stepLines.label(words.many), unit: main ? text.stepLines.sides : what, better: 'none', role: 'plain', kind: 'text', shown: fits, measure, side: '', statistic: '',
      description: text.stepLines.about(what, words),
    },
    index: -1, numeric: false, style: null, decimals: 0, largest: 0, unitAt: -1, related: [], blank: false, letters: 0,
  };
  const before = views.findIndex(({ column }) => column.role === 'baseline');
  return [...views.slice(0, Math.max(0, before)), view, ...views.slice(Math.max(0, before))];
}
