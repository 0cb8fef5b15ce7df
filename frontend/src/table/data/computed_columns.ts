// The columns of an entity table that the page computes from a row's other cells.

import { roleAt, PLAIN_COLUMN, type Cell, type Table } from '../../contract/wire';
import { direction, formatCount, formatP, formatPercent, formatTime, NOT_MEASURED } from '../../ui/format';
import { text } from '../../ui/strings';
import { cellText, type ColumnView, type Derived } from './columns';
import { callsAt, type Figure, type Metric } from './metric_choice';

interface Words {
  label: string;
  about: string;
}

/** The difference relative to the row's value in A. */
export function rowPercentColumn(table: Table, metric: Metric, words: Words): ColumnView {
  const { a, b, delta } = metric.rate ?? metric;
  const isNoise = noiseOf(table, metric);
  const share = (cells: Cell[]): number | null => {
    const [before, by] = [numberAt(cells, a), numberAt(cells, delta)];
    return before && by !== null && numberAt(cells, b) !== null ? by / before : null;
  };
  const derive = (cells: Cell[]): Derived => {
    const cell = changedShare(share(cells), isNoise(cells), false);
    // a higher rate is better
    return metric.rate && cell.sense ? { ...cell, sense: cell.sense > 0 ? -1 : 1 } : cell;
  };
  return computed('row_percent', words, 90, { derive, order: share, asks: `${nameAt(table, b)}/${nameAt(table, a)}`, copied: [['row_percent', (cells) => percent(share(cells))]] });
}

/** The difference relative to the step time. */
export function stepPercentColumn(table: Table, metric: Metric, stepTime: number, words: Words): ColumnView {
  const isNoise = noiseOf(table, metric);
  const delta = (cells: Cell[]): number | null => numberAt(cells, metric.delta);
  const share = (cells: Cell[]): number | null => (delta(cells) === null ? null : delta(cells)! / stepTime);
  const derive = (cells: Cell[]): Derived => changedShare(share(cells), isNoise(cells), true);
  return computed('step_percent', words, Math.max(90, 8 * words.label.length + 8), { derive, order: delta, asks: nameAt(table, metric.delta), copied: [['step_percent', (cells) => percent(share(cells))]] });
}

/** The calls of both sides. */
export function callsColumn(table: Table, words: Words): ColumnView {
  const [a, b] = callsAt(table) as [number, number];
  const calls = (cells: Cell[]): string => arrow(numberAt(cells, a), numberAt(cells, b), formatCount);
  const longest = table.rows.reduce((most, cells) => Math.max(most, calls(cells).length), 0);
  return computed('calls', words, Math.max(86, 7 * longest + 24), {
    derive: (cells) => ({ text: calls(cells) }),
    order: (cells) => firstNonZero(numberAt(cells, b), numberAt(cells, a)),
    asks: `${nameAt(table, b)}?${nameAt(table, a)}`,
    copied: cellsAt(table, [a, b]),
  });
}

/** The mean time of a call on both sides. */
export function perCallColumn(table: Table, metric: Metric, words: Words): ColumnView {
  const [callsA, callsB] = callsAt(table) as [number, number];
  const perCall = (cells: Cell[]): [number | null, number | null] => [meanPerCall(cells, metric.a, callsA), meanPerCall(cells, metric.b, callsB)];
  return computed('per_call', words, 138, {
    derive: (cells) => ({ text: arrow(...perCall(cells), formatTime) }),
    order: (cells) => firstNonZero(...perCall(cells).reverse()),
    asks: `${nameAt(table, metric.b)}/${nameAt(table, callsB)}?${nameAt(table, metric.a)}/${nameAt(table, callsA)}`,
    copied: [
      [`${nameAt(table, metric.a)}_per_call`, (cells) => perCall(cells)[0]],
      [`${nameAt(table, metric.b)}_per_call`, (cells) => perCall(cells)[1]],
    ],
  });
}

/** Of each row the first of the rates that is known, on both sides. */
export function rateColumn(views: ColumnView[], table: Table, rates: Figure[], words: Words): ColumnView {
  return computed('rate', words, 160, {
    derive: (cells) => ({ text: rates.map(({ a, b }) => rateText(views[a]!, cells, a, b)).find(Boolean) ?? '' }),
    order: (cells) => firstNonZero(...rates.flatMap(({ a, b }) => [numberAt(cells, b), numberAt(cells, a)])),
    asks: rates.map(({ a, b }) => `${nameAt(table, b)}?${nameAt(table, a)}`).join('?'),
    copied: cellsAt(table, rates.flatMap(({ a, b }) => [a, b])),
  });
}

/** new, gone, replaced, slower, faster or n.s.: the row's status, else the result of this metric's test. */
export function chipColumn(table: Table, metric: Metric, words: Words): ColumnView {
  const [status, change, q] = [roleAt(table, 'status'), figureAt(table, metric, 'change'), figureAt(table, metric, 'q')];
  const raw = (cells: Cell[]): string => {
    const kept = String(cells[status] ?? '');
    return kept in text.table.chips ? kept : String(cells[change] ?? '');
  };
  const derive = (cells: Cell[]): Derived => {
    const word = raw(cells);
    const chip = text.table.chips[word.split(',')[0]!];
    const tested = typeof cells[q] === 'number' ? `q ${formatP(cells[q])}` : '';
    return { text: chip?.word ?? word, chip: chip?.style ?? (word === '' ? '' : 'idle'), title: [chip?.about || word, tested].filter(Boolean).join(', ') };
  };
  const width = table.rows.some((cells) => raw(cells).startsWith('cannot tell')) ? 100 : 86;
  const asks = [status, change].flatMap((index) => table.columns[index]?.name ?? []).join('?');
  const view = computed('chip', words, width, { derive, order: (cells) => raw(cells) || null, asks, copied: [['what_changed', (cells) => derive(cells).text]] });
  return { ...view, numeric: false, blank: table.rows.length > 0 && table.rows.every((cells) => raw(cells) === '') };
}

function computed(name: string, { label, about }: Words, width: number, how: Required<Pick<ColumnView, 'derive' | 'order' | 'asks' | 'copied'>>): ColumnView {
  return {
    column: { ...PLAIN_COLUMN, name, label, description: about, measure: name },
    index: -1, numeric: true, style: null, decimals: 0, largest: 0, unitAt: -1, related: [], blank: false, letters: 0, width, ...how,
  };
}

/** A share as text, colored unless it is noise. */
function changedShare(value: number | null, isNoise: boolean, share: boolean): Derived {
  return { text: formatPercent(value, true, share), sense: isNoise ? 0 : direction(value) };
}

/** Tells the rows whose change of this metric was tested and is not significant. */
export function noiseOf(table: Table, metric: Metric): (cells: Cell[]) => boolean {
  const [change, q] = [figureAt(table, metric, 'change'), figureAt(table, metric, 'q')];
  return (cells) => typeof cells[q] === 'number' && /^(unchanged|cannot)/.test(String(cells[change] ?? ''));
}

/** Both sides' rates as `A → B`; "" if neither has one. */
function rateText(view: ColumnView, cells: Cell[], a: number, b: number): string {
  if (!cells[a] && !cells[b]) return '';
  const change = arrow(numberAt(cells, a), numberAt(cells, b), (value) => cellText(view, value));
  // drops A's unit if B has the same
  return change.replace(/(\u202f\S+)( → .*\1)$/, '$2');
}

function arrow(a: number | null, b: number | null, format: (value: number | null) => string): string {
  const [one, other] = [a, b].map((value) => (value === null ? NOT_MEASURED : format(value)));
  return one === other ? one! : `${one} → ${other}`;
}

function meanPerCall(cells: Cell[], time: number, calls: number): number | null {
  const [total, count] = [numberAt(cells, time), numberAt(cells, calls) ?? 0];
  return count > 0 && total !== null ? total / count : null;
}

/** What rows are sorted by: callers pass B before A. */
function firstNonZero(...values: (number | null)[]): number | null {
  return values.find(Boolean) ?? null;
}

function numberAt(cells: Cell[], index: number): number | null {
  return typeof cells[index] === 'number' ? cells[index] : null;
}

function nameAt(table: Table, index: number): string {
  return table.columns[index]!.name;
}

function cellsAt(table: Table, indexes: number[]): Required<ColumnView>['copied'] {
  return indexes.map((index) => [nameAt(table, index), (cells) => cells[index] ?? null]);
}

function percent(share: number | null): number | null {
  return share === null ? null : 100 * share;
}

/** Index of the metric's column with this statistic, -1 if there is none. */
function figureAt(table: Table, metric: Metric, wanted: string): number {
  return table.columns.findIndex(({ measure, statistic }) => measure === metric.name && statistic === wanted);
}
