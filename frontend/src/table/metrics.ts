// The columns of an entity table for the metric shown.

import { PLAIN_COLUMN, type Cell, type Table } from '../contract/wire';
import { direction, formatCount, formatP, formatPercent, formatTime, NOT_MEASURED } from '../ui/format';
import { text, type MetricWords } from '../ui/strings';
import { cellText, type ColumnView, type Derived } from './columns';
import { callsAt, isRate, ratesOf, type Metric } from './metric_choice';
import { nameIndex } from './rows';
import { tableText } from './words';

/** Columns for one metric: both sides, the difference absolute, in % of row and in % of step, the calls, and a chip that
 *  says what changed. Other times are hidden. */
export function metricColumns(views: ColumnView[], table: Table, metric: Metric, stepTime: number | null, words: MetricWords, steps: ColumnView | null): ColumnView[] {
  const figure = metric.rate ?? metric;
  const figures = [figure.a, figure.b, figure.delta];
  const [callsA, callsB] = callsAt(table) as [number, number];
  // rates shown beside a time, if the server shows them
  const rates = ratesOf(table).filter(({ a }) => table.columns[a]!.shown);
  const [row, step, calls, perCall, rate] = tableText.derived(words);
  const each = (cells: Cell[], time: number, count: number): number | null => ((numberAt(cells, count) ?? 0) > 0 && numberAt(cells, time) !== null ? numberAt(cells, time)! / numberAt(cells, count)! : null);
  // coloured if significant or not tested
  const change = figureAt(table, metric, 'change');
  const changed = (cells: Cell[], value: number | null, share: boolean): Derived => ({ text: formatPercent(value, true, share), sense: /^(unchanged|cannot)/.test(String(cells[change] ?? '')) ? 0 : direction(value) });
  const rowShare = (cells: Cell[]): number | null => {
    const [a, delta] = [numberAt(cells, figure.a), numberAt(cells, figure.delta)];
    return a && delta !== null && numberAt(cells, figure.b) !== null ? delta / a : null;
  };
  const name = (index: number): string => table.columns[index]!.name;
  /** first nonzero value; callers pass B before A */
  const later = (...pairs: (number | null)[]): number | null => pairs.find(Boolean) ?? null;
  const callsText = (cells: Cell[]): string => arrow(numberAt(cells, callsA), numberAt(cells, callsB), formatCount);
  const longest = table.rows.reduce((most, cells) => Math.max(most, callsText(cells).length), 0);
  const derived = [
    column('row_percent', row!, 90, (cells) => {
      const cell = changed(cells, rowShare(cells), false);
      // a higher rate is better
      return metric.rate && cell.sense ? { ...cell, sense: cell.sense > 0 ? -1 : 1 } : cell;
    }, `${name(figure.b)}/${name(figure.a)}`, rowShare),
    ...(metric.rate || stepTime === null || stepTime <= 0 ? [] : [column('step_percent', step!, Math.max(90, 8 * step!.label.length + 8), (cells) => changed(cells, numberAt(cells, metric.delta) === null ? null : numberAt(cells, metric.delta)! / stepTime, true), name(metric.delta), (cells) => numberAt(cells, metric.delta))]),
    column('calls', calls!, Math.max(86, 7 * longest + 24), (cells) => ({ text: callsText(cells) }), `${name(callsB)}?${name(callsA)}`, (cells) => later(numberAt(cells, callsB), numberAt(cells, callsA))),
    ...(metric.rate || rates.length > 0 ? [] : [column('per_call', perCall!, 138, (cells) => ({ text: arrow(each(cells, metric.a, callsA), each(cells, metric.b, callsB), formatTime) }), `${name(metric.b)}/${name(callsB)}?${name(metric.a)}/${name(callsA)}`, (cells) => later(each(cells, metric.b, callsB), each(cells, metric.a, callsA)))]),
    ...(metric.rate || rates.length === 0 ? [] : [column('rate', rate!, 160, (cells) => ({ text: rates.map(({ a, b }) => rateText(views[a]!, cells, a, b)).find(Boolean) ?? '' }), rates.map(({ a, b }) => `${name(b)}?${name(a)}`).join('?'), (cells) => later(...rates.flatMap(({ a, b }) => [numberAt(cells, b), numberAt(cells, a)])))]),
  ];
  const chip = chipColumn(table, metric);
  const times = metric.rate ? [...figures, metric.delta] : figures;
  const shown = (view: ColumnView, on: boolean, label = view.column.label): ColumnView => ({ ...view, blank: view.blank && !times.includes(view.index), column: { ...view.column, shown: on, label } });
  const hides = ({ column, column: { kind, measure, role, side, statistic } }: ColumnView): boolean => kind === 'time_us' || role === 'percent' || measure === 'calls' || isRate(column) || (kind === 'fraction' && side !== '' && rates.length > 0 && !metric.rate) || ['share', 'change', 'q'].includes(statistic);
  const leading = leadingColumns(views, table);
  const others = views.filter((view) => !leading.includes(view) && !times.includes(view.index)).map((view) => (hides(view) ? shown(view, false) : view));
  const trailing = others.filter(({ column: { shown: own, role } }) => own || role === 'key');
  return [...leading, ...(steps ? [steps] : []), ...figures.map((index, place) => shown(views[index]!, true, [text.letterA, text.letterB, 'Δ'][place])), ...derived, ...(metric.rate ? [shown(views[metric.delta]!, true, tableText.timeDelta)] : []), chip, ...trailing, ...others.filter((view) => !trailing.includes(view))];
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
  return views.map((view) => (given.has(view) ? { ...view, column: { ...view.column, shown: false } } : view));
}

/** Both sides' rates as `A → B`; "" if neither has one. */
function rateText(view: ColumnView, cells: Cell[], a: number, b: number): string {
  if (!cells[a] && !cells[b]) return '';
  const change = arrow(numberAt(cells, a), numberAt(cells, b), (value) => cellText(view, value));
  // drops A's unit if B has the same
  return change.replace(/(\u202f\S+)( → .*\1)$/, '$2');
}

function numberAt(cells: Cell[], index: number): number | null {
  return typeof cells[index] === 'number' ? cells[index] : null;
}

/** Index of the metric's column with this statistic, -1 if there is none. */
function figureAt(table: Table, metric: Metric, wanted: string): number {
  return table.columns.findIndex(({ measure, statistic }) => measure === metric.name && statistic === wanted);
}

function column(name: string, { label, about }: { label: string; about: string }, width: number, derive: (cells: Cell[]) => Derived, asks: string, order: (cells: Cell[]) => Cell): ColumnView {
  return {
    column: { ...PLAIN_COLUMN, name, label, description: about, measure: name },
    index: -1, numeric: true, style: null, decimals: 0, largest: 0, unitAt: -1, related: [], blank: false, letters: 0, width, derive, order, asks,
  };
}

function arrow(a: number | null, b: number | null, format: (value: number | null) => string): string {
  const [one, other] = [a, b].map((value) => (value === null ? NOT_MEASURED : format(value)));
  return one === other ? one! : `${one} → ${other}`;
}

/** new, gone, replaced, slower, faster or n.s.: the row's status, else the result of this metric's test. */
function chipColumn(table: Table, metric: Metric): ColumnView {
  const [status, change, q] = [table.columns.findIndex(({ role }) => role === 'status'), figureAt(table, metric, 'change'), figureAt(table, metric, 'q')];
  const raw = (cells: Cell[]): string => {
    const kept = String(cells[status] ?? '');
    return kept in text.table.chips ? kept : String(cells[change] ?? '');
  };
  const asks = [status, change].flatMap((index) => table.columns[index]?.name ?? []).join('?');
  const width = table.rows.some((cells) => raw(cells).startsWith('cannot tell')) ? 100 : 86;
  const view = column('chip', { label: tableText.chip, about: tableText.chipAbout }, width, (cells) => {
    const word = raw(cells);
    const chip = text.table.chips[word.split(',')[0]!];
    const tested = typeof cells[q] === 'number' ? `q ${formatP(cells[q])}` : '';
    return { text: chip?.word ?? word, chip: chip?.look ?? (word === '' ? '' : 'idle'), title: [chip?.about || word, tested].filter(Boolean).join(', ') };
  }, asks, (cells) => raw(cells) || null);
  return { ...view, numeric: false, blank: table.rows.length > 0 && table.rows.every((cells) => raw(cells) === '') };
}
