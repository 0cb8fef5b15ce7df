// Draws what lies over the rows: names, the step's ends, the selection, launch links and counterparts.

import { fitted } from '../../charts/canvas';
import type { TimeRange } from '../../charts/time_range';
import type { Picture } from '../data/wire';
import { words } from '../data/words';
import { topOf, type Layout } from './layout';
import type { Label } from './paint';
import { DARK_INK, LIGHT_INK, type Palette } from './palette';

/** Position of an event or run: its row and times. */
export interface Place {
  row: number;
  start: number;
  end: number;
}

interface Overlay {
  layout: Layout;
  range: TimeRange;
  scrollTop: number;
  side: 'a' | 'b';
  /** length of the step in nanoseconds; the rest is faded */
  total: number;
  selected: Place | null;
  counterpart: Place | null;
  hovered: Place | null;
  /** links from the launching to the launched event */
  links: { from: Place; to: Place }[];
}

const LETTER = 5.9;
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';

/** Writes names into marks. With `image` (colors do not show kinds), the ink is chosen from the pixel below the
 *  text. */
export function writeLabels(
  pen: CanvasRenderingContext2D, labels: Label[], names: string[], picture: Picture, ratio: number, palette: Palette, image: ImageData | null,
): void {
  pen.font = `${11 * ratio}px ${FONT}`;
  pen.textBaseline = 'middle';
  for (const label of labels) {
    const room = label.right - label.left - 6 * ratio;
    const text = fitted(names[label.name]!, Math.floor(room / (LETTER * ratio)));
    if (text === '') continue;
    pen.fillStyle = label.faint ? palette.css.ink2 : image ? inkAt(image, label) : palette.inks[picture.names[label.name]!.kind]!;
    pen.fillText(text, label.left + 3 * ratio, label.top + label.tall / 2 + 0.5 * ratio, room + 3 * ratio);
  }
}

function inkAt(image: ImageData, label: Label): string {
  const at = 4 * (Math.min(image.height - 1, Math.max(0, label.top + 1)) * image.width + Math.min(image.width - 1, label.left + 3));
  const [r, g, b] = [image.data[at]!, image.data[at + 1]!, image.data[at + 2]!];
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? DARK_INK : LIGHT_INK;
}

export function drawOver(pen: CanvasRenderingContext2D, over: Overlay, width: number, height: number, ratio: number, palette: Palette): void {
  const scale = width / (over.range.to - over.range.from);
  const x = (at: number): number => (at - over.range.from) * scale;
  ends(pen, x(0), x(over.total), width, height, ratio, over.side, palette);
  const box = (place: Place): [number, number, number, number] => {
    const left = Math.max(-4, x(place.start));
    const right = Math.min(width + 4, Math.max(x(place.end), x(place.start) + 3 * ratio));
    const least = over.layout.pinned[place.row] ? -Infinity : over.layout.pinnedHeight * ratio;
    const top = topOf(over.layout, place.row, over.scrollTop) * ratio;
    const bottom = top + Math.max(3, over.layout.tall[place.row]! * ratio);
    return [left, Math.max(top, least), right - left, Math.max(0, bottom - Math.max(top, least))];
  };
  if (over.layout.pinnedHeight > 0) {
    pen.fillStyle = palette.css.line;
    pen.fillRect(0, (over.layout.pinnedHeight - 3) * ratio, width, ratio);
  }
  pen.lineJoin = 'round';
  if (over.links.length > 0) {
    pen.strokeStyle = palette.css.ink;
    pen.globalAlpha = 0.55;
    pen.lineWidth = 1.2 * ratio;
    for (const { from, to } of over.links) link(pen, box(from), box(to), ratio);
    pen.globalAlpha = 1;
  }
  const frame = (place: Place, dashes: number[], thick: number): void => {
    const [left, top, wide, tall] = box(place);
    pen.setLineDash([]);
    pen.lineWidth = (thick + 2) * ratio;
    pen.strokeStyle = palette.css.panel;
    pen.strokeRect(left, top, wide, tall);
    pen.setLineDash(dashes.map((dash) => dash * ratio));
    pen.lineWidth = thick * ratio;
    pen.strokeStyle = palette.css.ink;
    pen.strokeRect(left, top, wide, tall);
    pen.setLineDash([]);
  };
  if (over.hovered) frame(over.hovered, [], 1);
  if (over.counterpart) frame(over.counterpart, [4, 3], 2);
  if (over.selected) frame(over.selected, [], 2);
  for (const [place, left, right] of [
    [over.counterpart, words.canvas.left, words.canvas.right],
    [over.selected, words.canvas.selectedLeft, words.canvas.selectedRight],
  ] as const) {
    if (!place) continue;
    const top = (topOf(over.layout, place.row, over.scrollTop) + over.layout.tall[place.row]! / 2) * ratio;
    if (place.end < over.range.from) flag(pen, left, 'left', top, width, height, ratio, palette);
    else if (place.start > over.range.to) flag(pen, right, 'right', top, width, height, ratio, palette);
  }
}

function ends(pen: CanvasRenderingContext2D, from: number, to: number, width: number, height: number, ratio: number, side: 'a' | 'b', palette: Palette): void {
  pen.fillStyle = palette.css.page;
  pen.globalAlpha = 0.62;
  if (from > 0) pen.fillRect(0, 0, Math.min(from, width), height);
  if (to < width) pen.fillRect(Math.max(to, 0), 0, width - Math.max(to, 0), height);
  pen.globalAlpha = 1;
  pen.fillStyle = palette.css[side];
  for (const at of [from, to]) if (at >= -1 && at <= width + 1) pen.fillRect(Math.max(0, Math.min(width - 1.5 * ratio, at - 0.75 * ratio)), 0, 1.5 * ratio, height);
}

type Box = [left: number, top: number, wide: number, tall: number];

/** Draws a link from the launching event, down or up, to the start of the launched one. */
function link(pen: CanvasRenderingContext2D, from: Box, to: Box, ratio: number): void {
  const [x0, y0] = [from[0] + Math.min(from[2], 4 * ratio), from[1] + from[3] / 2];
  const [x1, y1] = [to[0], to[1] + to[3] / 2];
  const bend = Math.max(20 * ratio, Math.abs(x1 - x0) / 2);
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
  pen.moveTo(x1 - 5 * ratio, y1 - 3 * ratio);
  pen.lineTo(x1, y1);
  pen.lineTo(x1 - 5 * ratio, y1 + 3 * ratio);
  pen.stroke();
}

/** Draws a label at the left or right edge for something outside the view. */
function flag(pen: CanvasRenderingContext2D, text: string, edge: 'left' | 'right', top: number, width: number, height: number, ratio: number, palette: Palette): void {
  pen.font = `600 ${11 * ratio}px ${FONT}`;
  const wide = pen.measureText(text).width + 12 * ratio;
  const tall = 16 * ratio;
  const y = Math.max(0, Math.min(height - tall, top - tall / 2));
  const left = edge === 'left' ? 0 : width - wide;
  pen.fillStyle = palette.css.ink;
  pen.fillRect(left, y, wide, tall);
  pen.fillStyle = palette.css.panel;
  pen.textBaseline = 'middle';
  pen.fillText(text, left + 6 * ratio, y + tall / 2);
}
