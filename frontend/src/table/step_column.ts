// The column of small pictures of each row's steps: which tables have it, of which time, and where it stands.

import { PLAIN_COLUMN, type Comparison, type Table } from '../contract/wire';
import { text, type MetricWords } from '../ui/strings';
import type { ColumnView } from './columns';
import { EXPOSED } from './metric_choice';

/** Its name in links. The server has no such column: what it draws is fetched for the rows in view. */
export const STEP_COLUMN = 'step_lines';
const STEP_COLUMN_WIDTH = 148;
/** Widths at which it is shown unless chosen otherwise. */
export const STEP_COLUMN_FITS = '(min-width: 1240px)';

/** Whether rows have times of several steps: not those of totals, which were not tested, nor of one recording a side. */
export function hasSteps(comparison: Comparison, name: string): boolean {
  return comparison.tables[name]?.per_step === true && comparison.headline.n.some((n) => n > 1) && testedMeasures(comparison.tables[name]).length > 0;
}

/** Names of the times that the rows are compared by step by step, "" the main one. */
function testedMeasures(table: Table | undefined): string[] {
  return (table?.columns ?? []).flatMap(({ statistic, measure }) => (statistic === 'change' ? [measure] : []));
}

/** The time whose steps are drawn: the one that is shown, where the rows were tested by it. */
export function drawnMeasure(table: Table, metric: string): string {
  // what a row owns of a step is known of the steps together only
  return metric !== EXPOSED && testedMeasures(table).includes(metric) ? metric : '';
}

/** The column of the steps. */
export function stepColumn(views: ColumnView[], measure: string, fits: boolean, words: MetricWords): ColumnView {
  const main = measure === '';
  const label = views.find(({ column }) => column.role === 'baseline' && column.kind === 'time_us' && column.measure === measure)?.column.label ?? '';
  const what = main ? text.stepLines.main : label.replace(/\s+A$/, '');
  return {
    column: {
      ...PLAIN_COLUMN, name: STEP_COLUMN, label: text.stepLines.label(words.many), unit: main ? text.stepLines.sides : what, shown: fits, measure, statistic: 'steps',
      description: text.stepLines.about(what, words),
    },
    index: -1, numeric: false, style: null, decimals: 0, largest: 0, unitAt: -1, related: [], blank: false, letters: 0, width: STEP_COLUMN_WIDTH,
  };
}
