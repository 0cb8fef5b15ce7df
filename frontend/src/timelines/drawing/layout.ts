// Positions of lanes and rows on the canvas. A folded lane keeps all rows, as thin lines.

import type { Lane } from '../data/wire';

export const ROW = 16;
const LANE_GAP = 6;
const TOP = 4;
/** Height limits of a folded lane in pixels; between them, one pixel per row. */
const FOLDED_LEAST = 8;
const FOLDED_MOST = 32;

/** Lanes with more rows start folded, as do lanes of Python functions. */
const MAX_OPEN_ROWS = 24;

export interface LaneBox {
  lane: Lane;
  folded: boolean;
  /** stays visible above the other lanes */
  pinned: boolean;
  top: number;
  height: number;
}

export interface Layout {
  boxes: LaneBox[];
  height: number;
  /** top and height of every row, by row number */
  top: Float64Array;
  tall: Float64Array;
  /** height of the pinned lanes, which come first; and, by row number, whether a row is in one */
  pinnedHeight: number;
  pinned: Uint8Array;
}

function beginsFolded(lane: Lane): boolean {
  return lane.kind === 'python' || lane.rows > MAX_OPEN_ROWS;
}

/** `turned` holds the lanes whose folding the reader toggled, `pins` those kept in view. */
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

/** Top of a row in the viewport. */
export function topOf(layout: Layout, row: number, scrollTop: number): number {
  return layout.top[row]! - (layout.pinned[row] ? 0 : scrollTop);
}

/** Row at a height in the viewport, -1 between lanes. */
export function rowAt(layout: Layout, height: number, scrollTop = 0): number {
  const above = height < layout.pinnedHeight;
  const y = above ? height : height + scrollTop;
  const box = layout.boxes.find(({ pinned, top, height: tall }) => pinned === above && y >= top && y < top + tall);
  if (!box) return -1;
  return box.lane.first + Math.min(box.lane.rows - 1, Math.floor(((y - box.top) / box.height) * box.lane.rows));
}

/** Scroll offset that brings a row into a viewport of that height; the current offset if it is already visible. */
export function scrollFor(layout: Layout, row: number, scrollTop: number, height: number): number {
  const top = layout.top[row]!;
  const bottom = top + layout.tall[row]!;
  if (layout.pinned[row] || (top >= scrollTop + layout.pinnedHeight && bottom <= scrollTop + height)) return scrollTop;
  return Math.max(0, Math.min(layout.height - height, (top + bottom - layout.pinnedHeight - height) / 2));
}

const NONE: ReadonlySet<string> = new Set();

/** Toggled lanes in the address, such as `host.0,python.1`, and back. */
export function readFolds(text: string): Set<string> {
  return new Set(text.split(',').filter((key) => key !== ''));
}

export function writeFolds(turned: Set<string>): string {
  return [...turned].sort().join(',');
}
