// What a row's panel lists: its measures, its other columns, and its statistics.

import type { Cell } from '../../contract/wire';
import { timeStyle } from '../../ui/format';
import type { ColumnView } from './columns';
import { isMeasuredDelta } from './rows';
import { tableText } from './words';

/** The columns of one measure: both sides and their difference. */
export interface Measure {
  label: string;
  a: ColumnView;
  b: ColumnView;
  delta: ColumnView | null;
}

export interface RowParts {
  measures: Measure[];
  facts: ColumnView[];
  statistics: ColumnView[];
}

/** Longer texts take their own lines, so that figures stay in view. */
const LONG = 24;

/** The parts that have a value in this row and do not repeat its name; the measure called `leading` comes first. */
export function rowParts(views: ColumnView[], cells: Cell[], name: string, leading: string): RowParts {
  const valueOf = (view: ColumnView): Cell => cells[view.index] ?? '';
  const isLong = (view: ColumnView): boolean => view.column.kind === 'text' && String(valueOf(view)).length > LONG;
  const { measures, others } = measuresOf(views);
  const [texts, figures] = parted(measures, ({ a, b }) => isLong(a) || isLong(b));
  const [first, rest] = parted(figures.filter(({ a, b }) => valueOf(a) !== '' || valueOf(b) !== ''), ({ a }) => a.column.measure === leading);
  const shown = [...others, ...texts.flatMap(({ a, b }) => [a, b])].filter((view) => valueOf(view) !== name && !(view.column.kind === 'text' && !valueOf(view)));
  const [facts, statistics] = parted(shown, ({ column }) => column.statistic === 'value');
  return { measures: [...first, ...rest], facts, statistics };
}

/** Groups the columns of one measure (A, B, difference) into one line; `others` are the rest, without keys and status. */
export function measuresOf(views: ColumnView[]): { measures: Measure[]; others: ColumnView[] } {
  const measured = views.filter(({ column }) => column.side !== '' || isMeasuredDelta(column));
  const names = new Set(measured.map(({ column }) => column.measure));
  const measures = [...names].flatMap((name) => measureOf(measured.filter(({ column }) => column.measure === name)) ?? []);
  const used = new Set(measures.flatMap(({ a, b, delta }) => [a, b, delta]));
  const others = views.filter((view) => !used.has(view) && view.column.role !== 'key' && view.column.role !== 'status');
  return { measures, others };
}

/** null unless the columns have both sides. */
function measureOf(group: ColumnView[]): Measure | null {
  const a = group.find(({ column }) => column.side === 'baseline');
  const b = group.find(({ column }) => column.side === 'candidate');
  const delta = group.find(({ column }) => isMeasuredDelta(column)) ?? null;
  return a && b ? { label: measureLabel(a, b), a, b, delta } : null;
}

/** Common prefix of both labels: `Calls A` and `Calls B` give `Calls`. A bare `A` is the table's main measure. */
function measureLabel(a: ColumnView, b: ColumnView): string {
  const [left, right] = [a.column.label, b.column.label];
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  return left.slice(0, same).replace(/[\s_(]+$/, '') || tableText.panel.main[a.column.kind];
}

/** A measure's columns, with times in the unit that suits this row rather than the whole column. */
export function fittedToRow({ a, b, delta }: Measure, cells: Cell[]): (ColumnView | null)[] {
  const views = [a, b, delta];
  if (!a.style) return views;
  const style = timeStyle(views.map((view) => (view ? cells[view.index] : null)).filter((time) => typeof time === 'number'));
  return views.map((view) => view && { ...view, style });
}

/** The items for which `test` holds, then the others. */
function parted<T>(items: T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
