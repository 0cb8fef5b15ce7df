// Points of a series as a table, the latest first.

import { PLAIN_COLUMN, PLAIN_TABLE, type Cell, type Column, type Table } from '../contract/wire';
import { formatMinute, formatP, formatPercent } from '../ui/format';
import { text } from '../ui/strings';
import type { History, Point } from './wire';
import { words } from './words';

const column = (name: keyof typeof words.head, kind: Column['kind'] = 'text', more: Partial<Column> = {}): Column => ({ ...PLAIN_COLUMN, name, label: words.head[name], kind, ...more });

const COLUMNS = [
  column('letter'), column('label', 'text', { role: 'key' }), column('at'), column('median', 'time_us', { unit: 'us' }), column('mean', 'time_us', { unit: 'us' }),
  column('difference', 'fraction', { role: 'percent', description: words.differenceAbout }), column('verdict'), column('steps'),
];

/** `a` and `b` are the indices of the chosen points, -1 for none. Row 0 is the last point. */
export function pointTable({ points, changes }: History, a: number, b: number): Table {
  const turns = new Map(changes.map((change) => [change.point, `${formatPercent(change.shift, true)}, ${words.p(formatP(change.p))}`]));
  const row = (point: Point, place: number): Cell[] => [
    place === a ? text.letterA : place === b ? text.letterB : '', point.label, formatMinute(Date.parse(point.at) / 1000), point.median_step_us, point.mean_step_us, point.difference,
    verdictOf(point, turns.get(place)), words.steps(point.steps.admitted, point.steps.count),
  ];
  return { ...PLAIN_TABLE, title: words.table, columns: COLUMNS, rows: points.map(row).reverse() };
}

function verdictOf({ run, median_step_us, verdict, outlier }: Point, turn: string | undefined): string {
  if (run === null) return words.unreadable;
  if (median_step_us === null) return words.unmeasured;
  return [verdict && (words.verdict[verdict] ?? verdict), turn, outlier && words.outlier].filter(Boolean).join(', ');
}
