// Selects the kernels of the utilization chart and scales their marks. No drawing.

import { columnAt, roleAt, type Table } from '../../contract/wire';
import { shortOf } from '../../ui/names';
import { addRow, largestPoints, MAX_POINTS, noRows, timeOf, type LargestPoints, type MarkedRow, type Undrawn } from '../largest_points';

/** A kernel on one side: tensor and DRAM utilization as fractions of the peak, and its time. */
export interface Spot {
  tensor: number;
  dram: number;
  us: number;
}

export type Point = MarkedRow<Spot>;

export interface Scatter extends LargestPoints<Point> {
  /** kernels not measured on either side */
  unmeasured: Undrawn;
}

/** Maximum number of kernels with a line from A to B. */
const MAX_LINES = 12;
/** A kernel that moves less gets no line; findings do not report such a change either. */
const MIN_MOVE = 0.05;

/** Columns of utilization and time that the picture draws. */
export const SCATTER_COLUMNS = ['baseline_tensor_active', 'baseline_dram_active', 'candidate_tensor_active', 'candidate_dram_active', 'baseline_us', 'candidate_us'];

function places(table: Table): number[] | null {
  const found = SCATTER_COLUMNS.map((name) => columnAt(table, name));
  return found.includes(-1) ? null : found;
}

/** Whether any row has both utilization values of a side. */
export function hasUtilization(table: Table): boolean {
  const at = places(table);
  if (!at) return false;
  return table.rows.some((row) => [0, 2].some((side) => typeof row[at[side]!] === 'number' && typeof row[at[side + 1]!] === 'number'));
}

export function scatterOf(table: Table, most = MAX_POINTS): Scatter {
  const at = places(table);
  const name = roleAt(table, 'key');
  const unmeasured = noRows();
  const points: Point[] = [];
  const number = (row: number, place: number): number | null => {
    const cell = at ? table.rows[row]?.[at[place]!] : null;
    return typeof cell === 'number' ? cell : null;
  };
  const spot = (row: number, side: 0 | 2): Spot | null => {
    const [tensor, dram, us] = [number(row, side), number(row, side + 1), number(row, 4 + side / 2)];
    return tensor === null || dram === null || us === null ? null : { tensor, dram, us };
  };
  table.rows.forEach((cells, row) => {
    const [a, b] = [spot(row, 0), spot(row, 2)];
    const full = String(cells[name] ?? '');
    if (a || b) points.push({ row, name: full, short: shortOf(table.short_names, full), a, b });
    else addRow(unmeasured, number(row, 4), number(row, 5));
  });
  return { ...largestPoints(points, most), unmeasured };
}

/** Kernels that moved most, by distance times time. */
export function movers(points: Point[], most = MAX_LINES): Point[] {
  const weight = (point: Point): number => {
    if (!point.a || !point.b) return 0;
    const distance = Math.hypot(point.b.tensor - point.a.tensor, point.b.dram - point.a.dram);
    return distance < MIN_MOVE ? 0 : distance * timeOf(point);
  };
  return points
    .filter((point) => weight(point) > 0)
    .sort((left, right) => weight(right) - weight(left))
    .slice(0, most);
}

/** Radius in pixels for an area proportional to time, but never too small to see. */
export function radius(us: number, largest_us: number, largest_px: number): number {
  return Math.max(2.5, largest_px * Math.sqrt(largest_us > 0 ? us / largest_us : 0));
}
