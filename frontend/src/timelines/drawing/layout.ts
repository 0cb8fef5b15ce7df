// Where lanes and rows are on the canvas; folded lanes keep all their rows, as thin lines.

import type { Lane } from '../data/wire';

export const ROW = 16;
const LANE_GAP = 6;
const TOP = 4;
/** Height of a folded lane: a line per row, as long as they fit. */
const FOLDED_LEAST = 8;
const FOLDED_MOST = 32;

/** Lanes with more rows than this begin folded, and so do those of Python functions. */
const MOST_OPEN_ROWS = 24;

export interface LaneBox {
  lane: Lane;
  folded: boolean;
  /** stays in view above the others */
  pinned: boolean;
  top: number;
  height: number;
}

export interface Layout {
  boxes: LaneBox[];
  height: number;
  /** top and height of every row, by number */
  top: Float64Array;
  tall: Float64Array;
  /** of the pinned lanes, which come first, and which rows are theirs */
  pinnedHeight: number;
  pinned: Uint8Array;
}

export function beginsFolded(lane: Lane): boolean {
  return lane.kind === 'python' || lane.rows > MOST_OPEN_ROWS;
}

/** `turned` are the lanes that are folded or opened against their beginning, `pins` those that stay in view. */
export function layoutOf(lanes: Lane[], turned: Set<string>, pins: ReadonlySet<string> = NONE): Layout {
  const rows = lanes.reduce((sum, lane) => sum + lane.rows, 0);
  const layout: Layout = { boxes: [], height: TOP, top: new Float64Array(rows), tall: new Float64Array(rows), pinnedHeight: 0, pinned: new Uint8Array(rows) };
  for (const lane of [...lanes.filter(({ key }) => pins.has(key)), ...lanes.filter(({ key }) => !pins.has(key))]) {
    const pinned = pins.has(lane.key);
    if (pinned) layout.pinned.fill(1, lane.first, lane.first + lane.rows);
    const folded = lane.rows > 1 && beginsFolded(lane) !== turned.has(lane.key);
    const height = folded ? Math.min(FOLDED_MOST, Math.max(FOLDED_LEAST, lane.rows)) : lane.rows * ROW;
    for (let row = 0; row < lane.rows; row += 1) {
      layout.top[lane.first + row] = layout.height + (folded ? (row * height) / lane.rows : row * ROW);
      layout.tall[lane.first + row] = folded ? Math.max(1, height / lane.rows) : ROW - 1;
    }
    layout.boxes.push({ lane, folded, pinned, top: layout.height, height });
    layout.height += height + LANE_GAP;
    if (pinned) layout.pinnedHeight = layout.height;
  }
  return layout;
}

/** Where a row is in view. */
export function topOf(layout: Layout, row: number, scrollTop: number): number {
  return layout.top[row]! - (layout.pinned[row] ? 0 : scrollTop);
}

/** The row at a height in view, -1 between lanes. */
export function rowAt(layout: Layout, height: number, scrollTop = 0): number {
  const above = height < layout.pinnedHeight;
  const y = above ? height : height + scrollTop;
  const box = layout.boxes.find(({ pinned, top, height: tall }) => pinned === above && y >= top && y < top + tall);
  if (!box) return -1;
  return box.lane.first + Math.min(box.lane.rows - 1, Math.floor(((y - box.top) / box.height) * box.lane.rows));
}

/** Scroll offset that brings a row into a view of that height; the current one if it is there already. */
export function scrollFor(layout: Layout, row: number, scrollTop: number, height: number): number {
  const top = layout.top[row]!;
  const bottom = top + layout.tall[row]!;
  if (layout.pinned[row] || (top >= scrollTop + layout.pinnedHeight && bottom <= scrollTop + height)) return scrollTop;
  return Math.max(0, Math.min(layout.height - height, (top + bottom - layout.pinnedHeight - height) / 2));
}

const NONE: ReadonlySet<string> = new Set();

/** `host.0,python.1` and back. */
export function readFolds(text: string): Set<string> {
  return new Set(text.split(',').filter((key) => key !== ''));
}

export function writeFolds(turned: Set<string>): string {
  return [...turned].sort().join(',');
}
