// Draws the visible frames: a box each, with its name and change if they fit.

import { fitted, type Colors } from '../canvas';
import { LEVELS, levelOf, changeOf, SHADES, statusOf, type FlameOptions, type Placed, type Tree } from './flame';

export const ROW = 20;
/** Frames narrower than this many pixels are not drawn. */
export const MIN_WIDTH = 0.6;
const ROOM_FOR_NAME = 26;
const ROOM_FOR_CHANGE = 120;
const INSET = 5;
/** Mean width of a letter in pixels. */
const LETTER = 6.1;

type Palette = ReturnType<typeof paletteOf>;

/** Colors of the frames; `fills` are by level of change, from much less to much more. */
function paletteOf(of: Colors) {
  return { fills: SHADES.map((name) => of(`--flame-${name}`)), ink: of('--ink'), mark: of('--focus'), back: of('--panel') };
}

interface Picture {
  tree: Tree;
  rows: Placed[][];
  options: FlameOptions;
  /** shortened names */
  names: string[];
  /** a frame's change as text, "" for none */
  change: (frame: number) => string;
  /** frames that match the search, null without a search */
  found: Set<number> | null;
  /** number of rows above the zoomed frame */
  outer: number;
}

export function paint(pen: CanvasRenderingContext2D, picture: Picture, width: number, of: Colors): void {
  const colors = paletteOf(of);
  pen.textBaseline = 'middle';
  for (const row of picture.rows) for (const placed of row) box(pen, picture, placed, width, colors);
}

function box(pen: CanvasRenderingContext2D, { tree, options, names, change, found, outer }: Picture, { frame, row, from, to }: Placed, width: number, colors: Palette): void {
  const [x, y] = [from * width, row * ROW];
  // a gap between neighbors if the frame is wide enough
  const wide = (to - from) * width - ((to - from) * width >= 3 ? 1 : 0);
  const { ratio } = changeOf(tree, frame, options.measure);
  const status = statusOf(tree, frame);
  const hidden = found !== null && !found.has(frame);
  pen.globalAlpha = hidden ? 0.36 : row < outer ? 0.65 : 1;
  pen.fillStyle = colors.fills[levelOf(ratio) + LEVELS.length]!;
  pen.fillRect(x, y, wide, ROW - 1);
  if (status !== 'both' && wide >= 4) hatch(pen, x, y, wide, status === 'added', colors);
  if (found !== null && !hidden) {
    pen.fillStyle = colors.mark;
    pen.fillRect(x, y + ROW - 3, wide, 2);
  }
  if (wide >= ROOM_FOR_NAME) label(pen, names[frame]!, wide >= ROOM_FOR_CHANGE ? change(frame) : '', x, y, wide, colors);
  pen.globalAlpha = 1;
}

/** Hatches added frames upwards and removed ones downwards. */
function hatch(pen: CanvasRenderingContext2D, x: number, y: number, wide: number, up: boolean, colors: Palette): void {
  const high = ROW - 1;
  pen.save();
  pen.beginPath();
  pen.rect(x, y, wide, high);
  pen.clip();
  pen.strokeStyle = colors.back;
  pen.lineWidth = 1.4;
  pen.globalAlpha *= 0.55;
  pen.beginPath();
  for (let at = x - high; at < x + wide; at += 7) {
    pen.moveTo(at, up ? y + high : y);
    pen.lineTo(at + high, up ? y : y + high);
  }
  pen.stroke();
  pen.restore();
}

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif';

function label(pen: CanvasRenderingContext2D, name: string, change: string, x: number, y: number, wide: number, colors: Palette): void {
  const middle = y + (ROW - 1) / 2 + 0.5;
  pen.fillStyle = colors.ink;
  pen.font = `11.5px ${FONT}`;
  const room = wide - 2 * INSET;
  const right = change === '' ? 0 : pen.measureText(change).width;
  const shown = right > 0 && right + 50 < room;
  const left = shown ? room - right - 10 : room;
  // modules have their call number at the end
  pen.fillText(fitted(name, Math.floor(left / LETTER), /_\d{1,4}$/.exec(name)?.[0].length), x + INSET, middle, left);
  if (shown) pen.fillText(change, x + wide - INSET - right, middle);
}
