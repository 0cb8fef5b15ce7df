// The column with a small picture of each row's steps: which tables have it, which time it draws, and what. The code that
// draws it is loaded when a table first has the column.

import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RowSource } from '../api/api';
import { PLAIN_COLUMN, type Comparison, type Table } from '../contract/wire';
import type { MetricWords } from '../ui/strings';
import type { ColumnView } from './data/columns';
import { EXPOSED } from './data/metric_choice';
import { words as stepWords } from './step_lines/words';
import { rowKey } from './data/rows';
import type { ShownRows } from './shown_rows/shown_rows';
import { tableText } from './data/words';
import type { LineRow, StepLines } from './step_lines/step_lines';

/** The column's name in links. The server has no such column: its data is fetched for the rows in view. */
export const STEP_COLUMN = 'step_lines';
const STEP_COLUMN_WIDTH = 148;
/** Pixels that must be left beside the other columns for it to be shown by default: its own width and some for names. */
export const STEP_COLUMN_ROOM = STEP_COLUMN_WIDTH + 94;

/** Whether rows have times of several steps: false for untested totals and for one recording per side. */
export function hasSteps(comparison: Comparison, name: string): boolean {
  return comparison.tables[name]?.per_step === true && comparison.headline.n.some((n) => n > 1) && testedMeasures(comparison.tables[name]).length > 0;
}

/** Names of the times that rows were tested by, step by step; "" is the main one. */
function testedMeasures(table: Table | undefined): string[] {
  return (table?.columns ?? []).flatMap(({ statistic, measure }) => (statistic === 'change' ? [measure] : []));
}

/** The time whose steps are drawn: the shown one if rows were tested by it, else the main one (""). */
export function drawnMeasure(table: Table, metric: string): string {
  // exposed time is known only for all steps together
  return metric !== EXPOSED && testedMeasures(table).includes(metric) ? metric : '';
}

/** The step column; its header names the drawn time unless that is the main time and also the one shown. */
export function stepColumn(views: ColumnView[], measure: string, metric: string, words: MetricWords): ColumnView {
  const label = views.find(({ column }) => column.role === 'baseline' && column.kind === 'time_us' && column.measure === measure)?.column.label ?? '';
  const what = label.replace(/\s*A$/, '') || tableText.metricMain;
  return {
    column: {
      ...PLAIN_COLUMN, name: STEP_COLUMN, label: stepWords.lines.label(words.many), unit: measure === metric && measure === '' ? stepWords.lines.sides : what, shown: true, measure, statistic: 'steps',
      description: stepWords.lines.about(what, words),
    },
    index: -1, numeric: false, style: null, decimals: 0, largest: 0, unitAt: -1, related: [], blank: false, letters: 0, width: STEP_COLUMN_WIDTH,
  };
}

/** Rows fetched on either side of those in view. */
const MARGIN = 40;

const load = () => import('./step_lines/step_lines').then((part) => part.StepLines);
let Part: typeof StepLines | null = null;

/** The picture of a row, by row number, and what takes which places are in view. If `source` is null, nothing is drawn or requested.
 *  `question` identifies the comparison and the state of its files. */
export function useStepLines(source: RowSource | null, question: string, measure: string, { table, rows, asked }: ShownRows) {
  const [, redraw] = useState(0);
  const again = useCallback(() => redraw((n) => n + 1), []);
  const wanted = source !== null;
  useLayoutEffect(() => {
    if (!wanted || Part) return;
    // on failure the column stays empty; server errors are reported elsewhere
    load().then((part) => ((Part = part), again()), () => undefined);
  }, [wanted]);
  const loaded = Part;
  const lines = useMemo(() => (loaded && source ? new loaded(source, question, measure, again) : null), [loaded, wanted, source?.table, source?.tag, question, measure]);
  useLayoutEffect(() => () => lines?.close(), [lines]);

  const view = useRef<[number, number]>([0, 0]);
  const loadInView = useCallback((): void => {
    /** fetched rows in view and up to `margin` rows on either side */
    const here = (margin: number): LineRow[] => {
      const [first, end] = view.current;
      const numbers = rows.slice(Math.max(0, first - margin), end + margin).filter((number) => table.rows[number]);
      return numbers.map((place) => ({ place, key: rowKey(table, place) }));
    };
    lines?.loadInView(() => here(0), () => here(MARGIN), asked);
  }, [lines, table, rows, asked]);
  useLayoutEffect(loadInView, [loadInView]);
  const onView = useCallback(
    (first: number, end: number): void => {
      view.current = [first, end];
      loadInView();
    },
    [loadInView],
  );
  return { picture: (row: number) => lines?.picture(rowKey(table, row)), onView };
}
