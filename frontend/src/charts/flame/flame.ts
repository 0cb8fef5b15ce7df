// Call tree of both runs as frames to draw: widths, order, colors, navigation. All figures come from the server.

import type { Cell, Table } from '../../contract/wire';

export const WIDTHS = ['both', 'a', 'b'] as const;
export type Width = (typeof WIDTHS)[number];
export const MEASURES = ['time', 'share'] as const;
export type Measure = (typeof MEASURES)[number];
export const ORDERS = ['size', 'run'] as const;
export type Order = (typeof ORDERS)[number];

/** The reader's display options: whose time gives the width, the measure, and the order of siblings. */
export interface FlameOptions {
  width: Width;
  measure: Measure;
  order: Order;
}

export const DEFAULT_OPTIONS: FlameOptions = { width: 'both', measure: 'time', order: 'size' };

/** Parses the options of a link, such as `b,share`; ignores unknown words. */
export function readOptions(text: string): FlameOptions {
  const words = text.split(',');
  const one = <T extends string>(all: readonly T[]): T => all.find((word) => words.includes(word)) ?? all[0]!;
  return { width: one(WIDTHS), measure: one(MEASURES), order: one(ORDERS) };
}

export function writeOptions(options: FlameOptions): string {
  return [options.width, options.measure, options.order].filter((word) => word !== DEFAULT_OPTIONS.width && word !== DEFAULT_OPTIONS.measure && word !== DEFAULT_OPTIONS.order).join(',');
}

/** Columns needed for the chart and its texts. Ancestors follow from the order of the rows. */
export const COLUMNS = [
  'frame', 'depth', 'kind', 'category', 'baseline_us', 'candidate_us', 'delta_us', 'baseline_share', 'candidate_share',
  'baseline_own_us', 'candidate_own_us', 'own_delta_us', 'baseline_calls', 'candidate_calls', 'merged',
];

/** Call tree of n frames in depth-first order: a frame's descendants follow it. Sides are [A, B]; NaN if a side lacks the frame. */
export type Tree = NonNullable<ReturnType<typeof treeOf>>;

/** null for a table without rows or with other columns */
export function treeOf(table: Table) {
  const at = new Map(table.columns.map((column, index) => [column.name, index]));
  if (table.rows.length === 0 || COLUMNS.some((name) => !at.has(name))) return null;
  const cells = (name: string): Cell[] => table.rows.map((row) => row[at.get(name)!] ?? null);
  const texts = (name: string): string[] => cells(name).map((cell) => String(cell ?? ''));
  const numbers = (name: string): Float64Array => Float64Array.from(cells(name), (cell) => (typeof cell === 'number' ? cell : NaN));
  const both = (name: string): [Float64Array, Float64Array] => [numbers(`baseline_${name}`), numbers(`candidate_${name}`)];
  const count = table.rows.length;
  const depth = Int32Array.from(numbers('depth'));
  const parent = new Int32Array(count).fill(-1);
  const end = new Int32Array(count).fill(count);
  const open: number[] = [];
  for (let frame = 0; frame < count; frame += 1) {
    while (open.length > 0 && depth[open[open.length - 1]!]! >= depth[frame]!) end[open.pop()!] = frame;
    parent[frame] = open[open.length - 1] ?? -1;
    open.push(frame);
  }
  return {
    count, name: texts('frame'), kind: texts('kind'), part: texts('category'), depth, parent,
    /** index after the frame's last descendant */
    end,
    us: both('us'), own: both('own_us'), calls: both('calls'), share: both('share'),
    delta: numbers('delta_us'), ownDelta: numbers('own_delta_us'), merged: Int32Array.from(numbers('merged'), (n) => n || 0),
  };
}

const known = (value: number): number => (Number.isNaN(value) ? 0 : value);

/** Both sides of a frame in the chosen measure, 0 if a side lacks it. */
export function sides(tree: Tree, frame: number, measure: Measure): [number, number] {
  const of = measure === 'time' ? tree.us : tree.share;
  return [known(of[0][frame]!), known(of[1][frame]!)];
}

export type Status = 'both' | 'added' | 'removed';

export function statusOf(tree: Tree, frame: number): Status {
  return Number.isNaN(tree.us[0][frame]!) ? 'added' : Number.isNaN(tree.us[1][frame]!) ? 'removed' : 'both';
}

/** Change of a frame in the chosen measure: `delta`, and `ratio` to the larger side, -1 to 1. */
export function changeOf(tree: Tree, frame: number, measure: Measure): { delta: number; ratio: number } {
  const [a, b] = sides(tree, frame, measure);
  const delta = measure === 'time' ? known(tree.delta[frame]!) : b - a;
  const larger = Math.max(a, b);
  return { delta, ratio: larger > 0 ? delta / larger : 0 };
}

/** Lower limits of the color levels: change as a fraction of the larger side. */
export const LEVELS = [0.02, 0.05, 0.15, 0.35] as const;

/** Names of the colors, from much less in B to much more. */
export const SHADES = [...LEVELS.map((_, index) => `less-${LEVELS.length - index}`), 'even', ...LEVELS.map((_, index) => `more-${index + 1}`)];

/** Color level from -LEVELS.length (much less) to LEVELS.length (much more), 0 for almost no change. */
export function levelOf(ratio: number): number {
  const level = LEVELS.filter((least) => Math.abs(ratio) >= least).length;
  return ratio < 0 ? -level || 0 : level;
}

/** Width of a frame in the chosen measure. It equals its own time plus the widths of its children. */
export function weightOf(tree: Tree, frame: number, { width, measure }: FlameOptions): number {
  const [a, b] = sides(tree, frame, measure);
  return width === 'a' ? a : width === 'b' ? b : (a + b) / 2;
}

/** Children of a frame in the chosen order; in order of size, the entry that merges the small ones comes last. */
export function childrenOf(tree: Tree, frame: number, options: FlameOptions): number[] {
  const found: number[] = [];
  for (let at = frame + 1; at < tree.end[frame]!; at = tree.end[at]!) found.push(at);
  if (options.order === 'run') return found;
  const weight = new Map(found.map((at) => [at, tree.merged[at]! > 0 ? -1 : weightOf(tree, at, options)]));
  return found.sort((one, other) => weight.get(other)! - weight.get(one)! || one - other);
}

/** Position of a frame in the chart; `from` and `to` are fractions of the chart's width. */
export interface Placed {
  frame: number;
  row: number;
  from: number;
  to: number;
}

/** Lays out rows from top to bottom: the ancestors of `zoom` and `zoom` itself, each at full width, then its
 *  descendants from left to right. Skips frames narrower than `least` together with their descendants. */
export function layout(tree: Tree, zoom: number, options: FlameOptions, least: number): Placed[][] {
  const rows: Placed[][] = around(tree, zoom).map((frame, row) => [{ frame, row, from: 0, to: 1 }]);
  const whole = weightOf(tree, zoom, options);
  let last: Placed[] = rows[rows.length - 1] ?? [];
  while (whole > 0 && last.length > 0) {
    const next: Placed[] = [];
    for (const above of last) {
      let from = above.from;
      for (const frame of childrenOf(tree, above.frame, options)) {
        const to = from + weightOf(tree, frame, options) / whole;
        if (to - from >= least) next.push({ frame, row: rows.length, from, to });
        from = to;
      }
    }
    if (next.length > 0) rows.push(next);
    last = next;
  }
  return rows;
}

/** Ancestors of a frame from the root down, then the frame itself. */
export function around(tree: Tree, frame: number): number[] {
  const found: number[] = [];
  for (let at = frame; at >= 0; at = tree.parent[at]!) found.unshift(at);
  return found;
}

const BETWEEN = ' / ';

/** Names of a frame's ancestors as the server's table writes them, "" for the root. */
export function pathOf(tree: Tree, frame: number): string {
  return around(tree, frame).slice(0, -1).map((at) => tree.name[at]).join(BETWEEN);
}

/** Path that identifies a frame in links; "" for the root. */
export function placeOf(tree: Tree, frame: number): string {
  return frame === 0 ? '' : around(tree, frame).slice(1).map((at) => tree.name[at]).join(BETWEEN);
}

/** Frame of a link's path; if it does not exist, its innermost existing ancestor. */
export function frameAt(tree: Tree, place: string): number {
  let found = 0;
  let rest = place;
  while (rest !== '') {
    let next = -1;
    for (let at = found + 1; at < tree.end[found]!; at = tree.end[at]!)
      if (rest === tree.name[at] || rest.startsWith(tree.name[at]! + BETWEEN)) next = at;
    if (next < 0) return found;
    found = next;
    rest = rest.slice(tree.name[found]!.length + BETWEEN.length);
  }
  return found;
}

interface SearchResult {
  frames: Set<number>;
  /** time per step of the matching frames, nested matches counted once; NaN if a side has no match */
  us: [number, number];
  delta: number;
}

/** Frames that pass the test, which gets their index and their name and kind. Times of nested matches are not added
 *  again. */
export function search(tree: Tree, test: (frame: number, name: string) => boolean): SearchResult {
  const found: SearchResult = { frames: new Set(), us: [NaN, NaN], delta: 0 };
  let inside = 0;
  for (let frame = 0; frame < tree.count; frame += 1) {
    if (!test(frame, `${tree.name[frame]}\n${tree.kind[frame]}`)) continue;
    found.frames.add(frame);
    if (frame < inside) continue;
    const add = (side: 0 | 1): number => (Number.isNaN(tree.us[side][frame]!) ? found.us[side] : known(found.us[side]) + tree.us[side][frame]!);
    found.us = [add(0), add(1)];
    found.delta += known(tree.delta[frame]!);
    inside = tree.end[frame]!;
  }
  return found;
}

/** Number and total time of the outermost frames that only B (`added`) or only A (`removed`) has. */
export function oneSided(tree: Tree, status: 'added' | 'removed'): { count: number; us: number } {
  let count = 0;
  let us = 0;
  for (let frame = 0; frame < tree.count; ) {
    if (statusOf(tree, frame) !== status) {
      frame += 1;
      continue;
    }
    count += 1;
    us += sides(tree, frame, 'time')[status === 'added' ? 1 : 0];
    frame = tree.end[frame]!;
  }
  return { count, us };
}

/** Frame to which a key moves the focus, null for other keys or without a target. */
export function moved(rows: Placed[][], tree: Tree, active: number, key: string): number | null {
  const row = rows.find((frames) => frames.some((one) => one.frame === active));
  const at = row?.findIndex((one) => one.frame === active) ?? -1;
  if (!row || at < 0) return rows[rows.length - 1]?.[0]?.frame ?? null;
  const below = rows[row[at]!.row + 1]?.filter((one) => tree.parent[one.frame] === active) ?? [];
  const targets: Record<string, number | undefined> = {
    ArrowUp: tree.parent[active]! >= 0 ? tree.parent[active]! : undefined,
    ArrowDown: below.reduce<Placed | undefined>((best, one) => (best && best.to - best.from >= one.to - one.from ? best : one), undefined)?.frame,
    ArrowLeft: row[at - 1]?.frame,
    ArrowRight: row[at + 1]?.frame,
    Home: rows[0]?.[0]?.frame,
  };
  return targets[key] ?? null;
}
