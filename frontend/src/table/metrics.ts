// The columns of a table of entities while one of its times is shown.

import { PLAIN_COLUMN, type Cell, type Table } from '../contract/wire';
import { direction, formatCount, formatP, formatPercent, formatTime, NOT_MEASURED } from '../ui/format';
import { text, type MetricWords } from '../ui/strings';
import type { ColumnView, Derived } from './columns';
import { callsAt, type Metric } from './metric_choice';
import { tableText } from './words';

/** The columns with those of one metric in sight: both sides, the difference in its three scales, calls, and in one word what changed. */
export function metricColumns(views: ColumnView[], table: Table, metric: Metric, stepTime: number | null, words: MetricWords, steps: ColumnView | null): ColumnView[] {
  const times = [metric.a, metric.b, metric.delta];
  const [callsA, callsB] = callsAt(table) as [number, number];
  const number = (cells: Cell[], index: number): number | null => (typeof cells[index] === 'number' ? cells[index] : null);
  const [row, step, calls, perCall] = tableText.derived(words);
  const each = (cells: Cell[], time: number, count: number): number | null => ((number(cells, count) ?? 0) > 0 && number(cells, time) !== null ? number(cells, time)! / number(cells, count)! : null);
  // in colour where it is more than chance, or was not tested
  const change = figureAt(table, metric, 'change');
  const changed = (cells: Cell[], value: number | null, share: boolean): Derived => ({ text: formatPercent(value, true, share), sense: /^(unchanged|cannot)/.test(String(cells[change] ?? '')) ? 0 : direction(value) });
  const derived = [
    column('row_percent', row!, 90, (cells) => {
      const [a, delta] = [number(cells, metric.a), number(cells, metric.delta)];
      return changed(cells, a && delta !== null && number(cells, metric.b) !== null ? delta / a : null, false);
    }),
    ...(stepTime === null || stepTime <= 0 ? [] : [column('step_percent', step!, 90, (cells) => changed(cells, number(cells, metric.delta) === null ? null : number(cells, metric.delta)! / stepTime, true))]),
    column('calls', calls!, 86, (cells) => ({ text: arrow(number(cells, callsA), number(cells, callsB), formatCount) })),
    column('per_call', perCall!, 130, (cells) => ({ text: arrow(each(cells, metric.a, callsA), each(cells, metric.b, callsB), formatTime) })),
  ];
  const chip = chipColumn(table, metric);
  const shown = (view: ColumnView, on: boolean, label = view.column.label): ColumnView => ({ ...view, column: { ...view.column, shown: on, label } });
  const hides = ({ column: { kind, measure, statistic } }: ColumnView): boolean => kind === 'time_us' || measure === 'calls' || ['share', 'change', 'q'].includes(statistic);
  const keys = views.filter(({ column: { role, kind, statistic, shown: own } }) => role === 'key' || (own && kind === 'text' && role !== 'status' && statistic !== 'change'));
  const others = views.filter((view) => !keys.includes(view) && !times.includes(view.index)).map((view) => (hides(view) ? shown(view, false) : view));
  return [...keys, ...(steps ? [steps] : []), ...times.map((index, place) => shown(views[index]!, true, [text.letterA, text.letterB, 'Δ'][place])), ...derived, ...others.filter((view) => view.column.shown), chip, ...others.filter((view) => !view.column.shown)];
}

/** Place of what the test of the metric says. */
function figureAt(table: Table, metric: Metric, wanted: string): number {
  return table.columns.findIndex(({ measure, statistic }) => measure === metric.name && statistic === wanted);
}

function column(name: string, { label, about }: { label: string; about: string }, width: number, derive: (cells: Cell[]) => Derived): ColumnView {
  return {
    column: { ...PLAIN_COLUMN, name, label, description: about, measure: name },
    index: -1, numeric: true, style: null, decimals: 0, largest: 0, unitAt: -1, related: [], blank: false, letters: 0, width, derive,
  };
}

function arrow(a: number | null, b: number | null, format: (value: number | null) => string): string {
  const [one, other] = [a, b].map((value) => (value === null ? NOT_MEASURED : format(value)));
  return one === other ? one! : `${one} → ${other}`;
}

/** new, gone, replaced, slower, faster or n.s.: the row's status, else what the test of this time says. */
function chipColumn(table: Table, metric: Metric): ColumnView {
  const [status, change, q] = [table.columns.findIndex(({ role }) => role === 'status'), figureAt(table, metric, 'change'), figureAt(table, metric, 'q')];
  const view = column('chip', { label: tableText.chip, about: tableText.chipAbout }, 86, (cells) => {
    const kept = String(cells[status] ?? '');
    const said = typeof cells[change] === 'string' ? cells[change] : '';
    const word = kept in text.table.chips && kept !== 'both' ? kept : (said.split(',')[0] ?? '');
    const chip = text.table.chips[word];
    const tested = typeof cells[q] === 'number' ? `q ${formatP(cells[q])}` : '';
    return { text: chip?.word ?? said, chip: chip?.look ?? (said === '' ? '' : 'idle'), title: [chip?.about || said, tested].filter(Boolean).join(', ') };
  });
  return { ...view, numeric: false };
}
