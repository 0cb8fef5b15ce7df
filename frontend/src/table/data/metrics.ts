// The columns of an entity table for the metric shown.

import type { Column, Table } from '../../contract/wire';
import { text, type MetricWords } from '../../ui/strings';
import type { ColumnView } from './columns';
import { callsColumn, chipColumn, noiseOf, perCallColumn, rateColumn, rowPercentColumn, stepPercentColumn } from './computed_columns';
import { isRate, ratesOf, type Metric } from './metric_choice';
import { nameIndex } from './rows';
import { tableText } from './words';

/** Columns for one metric: both sides, the difference absolute, in % of row and in % of step, the calls, and a chip that
 *  says what changed. Other times are hidden. */
export function metricColumns(views: ColumnView[], table: Table, metric: Metric, stepTime: number | null, words: MetricWords, steps: ColumnView | null): ColumnView[] {
  const { a, b, delta } = metric.rate ?? metric;
  // rates shown beside a time, if the server shows them
  const rates = metric.rate ? [] : ratesOf(table).filter((rate) => table.columns[rate.a]!.shown);
  const said = tableText.computed(words);
  const computed = [rowPercentColumn(table, metric, said.rowPercent)];
  if (!metric.rate && stepTime !== null && stepTime > 0) computed.push(stepPercentColumn(table, metric, stepTime, said.stepPercent));
  computed.push(callsColumn(table, said.calls));
  if (rates.length > 0) computed.push(rateColumn(views, table, rates, said.rate));
  else if (!metric.rate) computed.push(perCallColumn(table, metric, said.perCall));
  const times = [a, b, delta, metric.delta];
  const shown = (index: number, label: string): ColumnView => {
    const view = views[index]!;
    return { ...view, blank: false, column: { ...view.column, shown: true, label } };
  };
  const leading = leadingColumns(views, table);
  const others = views.filter((view) => !leading.includes(view) && !times.includes(view.index)).map((view) => (isRepeated(view.column, rates.length > 0) ? hidden(view) : view));
  const trailing = others.filter(({ column: { shown: own, role } }) => own || role === 'key');
  return [
    ...leading,
    ...(steps ? [steps] : []),
    shown(a, text.letterA), shown(b, text.letterB), { ...shown(delta, 'Δ'), isNoise: noiseOf(table, metric) },
    ...computed,
    ...(metric.rate ? [shown(metric.delta, tableText.timeDelta)] : []),
    chipColumn(table, metric, said.chip),
    ...trailing,
    ...others.filter((view) => !trailing.includes(view)),
  ];
}

/** A column's label among those of several times: the time comes first, as in "Exposed A". */
export function fullLabel({ label, measure }: Column, metrics: Metric[]): string {
  const time = metrics.length > 1 ? metrics.find(({ name }) => name === measure)?.label : undefined;
  return time === undefined || label.startsWith(time) ? label : `${time} ${label}`;
}

/** Whether the metric's columns say what this one says, or it belongs to another metric. */
function isRepeated(column: Column, besideRates: boolean): boolean {
  const { kind, measure, role, side, statistic } = column;
  const ofSide = besideRates && kind === 'fraction' && side !== '';
  return kind === 'time_us' || role === 'percent' || measure === 'calls' || isRate(column) || ofSide || ['share', 'change', 'q'].includes(statistic);
}

function hidden(view: ColumnView): ColumnView {
  return { ...view, column: { ...view.column, shown: false } };
}

/** Characters that fit a text column at its least width, and the most for all columns before the figures. */
const LETTERS = 24;
const LEADING_LETTERS = 56;

/** Columns that name a row: the name, and further keys while they leave the figures in view. */
function leadingColumns(views: ColumnView[], table: Table): ColumnView[] {
  const named = nameIndex(table);
  let room = LEADING_LETTERS;
  return views.filter(({ column: { role }, index, letters }) => {
    if (role !== 'key' && index !== named) return false;
    room -= Math.min(letters, LETTERS);
    return index === named || room >= 0;
  });
}

/** Hides text columns behind the figures, last first, until the shown columns fit. */
export function textsWithin(views: ColumnView[], fits: (shown: ColumnView[]) => boolean): ColumnView[] {
  const figures = views.findIndex((view) => view.numeric);
  const given = new Set<ColumnView>();
  const left = (): ColumnView[] => views.filter((view) => !given.has(view));
  for (const view of [...views].reverse()) {
    const names = view.column.role === 'key' && views.indexOf(view) < figures;
    if (view.index < 0 || view.column.kind !== 'text' || names || view.column.role === 'status' || !view.column.shown) continue;
    if (fits(left())) break;
    given.add(view);
  }
  return views.map((view) => (given.has(view) ? hidden(view) : view));
}
