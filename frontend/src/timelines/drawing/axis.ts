// Draws the overview strip, which shows both steps and the visible part, and the ruler of that part.

import { length, type TimeRange } from '../../charts/time_range';
import { LETTERS } from '../../ui/sides';
import type { Ruler } from '../data/instants';
import { totalOf, type Picture } from '../data/wire';
import { colorOf, type Scene } from './paint';
import { blend, type Palette } from './palette';

const MAP_LINE = 13;
export const MAP = 2 * MAP_LINE + 6;
export const RULER = 22;

const DEVICE = new Set(['stream', 'communication', 'copies']);

/** Activity of a step over `whole`, one pixel per time slice: of its devices, or of its host if it has none. The
 *  color shows the kind or the change; the stronger, the busier. */
export function activity(picture: Picture, scene: Pick<Scene, 'colors' | 'side'>, whole: TimeRange, width: number, palette: Palette): Uint32Array {
  const device = picture.wire.lanes.some((lane) => DEVICE.has(lane.kind));
  const line = new Uint32Array(width).fill(palette.back);
  const sums = new Float64Array(4 * width);
  const scale = width / length(whole);
  for (const lane of picture.wire.lanes) {
    if (device ? !DEVICE.has(lane.kind) : lane.kind !== 'host') continue;
    const row = picture.rows[device ? lane.first : lane.first + Math.min(1, lane.rows - 1)];
    if (!row) continue;
    for (let mark = 0; mark < row.count; mark += 1) {
      const left = (row.start[mark]! - whole.from) * scale;
      const right = (row.end[mark]! - whole.from) * scale;
      const share = totalOf(row, mark) / Math.max(row.end[mark]! - row.start[mark]!, 1);
      const color = colorOf(scene, row, mark, row.name[mark]!, picture, palette);
      for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, Math.ceil(right)); x += 1) {
        const covered = Math.max(0, Math.min(right, x + 1) - Math.max(left, x)) * share;
        for (let at = 0; at < 4; at += 1) sums[4 * x + at]! += covered * (at === 0 ? 1 : (color >>> (8 * (at - 1))) & 255);
      }
    }
  }
  for (let x = 0; x < width; x += 1) {
    const busy = sums[4 * x]!;
    if (busy <= 0) continue;
    const mean = [1, 2, 3].reduce((value, at) => value | (Math.round(sums[4 * x + at]! / busy) << (8 * (at - 1))), 0) >>> 0;
    line[x] = blend(palette.back, mean, Math.min(1, Math.max(0.15, busy)));
  }
  return line;
}

export interface Axis {
  whole: TimeRange;
  range: TimeRange;
  ruler: Ruler;
  lines: { a: Uint32Array | null; b: Uint32Array | null };
  totals: { a: number | null; b: number | null };
  shifts: { a: number; b: number };
  brush: TimeRange | null;
}

export function drawAxis(canvas: HTMLCanvasElement, axis: Axis, width: number, ratio: number, palette: Palette): void {
  const [wide, tall] = [Math.round(width * ratio), Math.round((MAP + RULER) * ratio)];
  if (canvas.width !== wide || canvas.height !== tall) {
    canvas.width = wide;
    canvas.height = tall;
  }
  const pen = canvas.getContext('2d')!;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = palette.css.panel;
  pen.fillRect(0, 0, wide, tall);
  LETTERS.forEach((side, place) => {
    const line = axis.lines[side];
    if (!line || line.length !== wide) return;
    const high = Math.round((MAP_LINE - 2) * ratio);
    const image = new ImageData(wide, high);
    const pixels = new Uint32Array(image.data.buffer);
    for (let y = 0; y < high; y += 1) pixels.set(line, y * wide);
    pen.putImageData(image, 0, Math.round((2 + place * (MAP_LINE + 1)) * ratio));
  });
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  const map = (at: number): number => ((at - axis.whole.from) / length(axis.whole)) * width;
  LETTERS.forEach((side, place) => {
    const total = axis.totals[side];
    if (total === null) return;
    pen.fillStyle = palette.css[side];
    for (const at of [0, total]) pen.fillRect(map(at + axis.shifts[side]) - 0.75, 1 + place * (MAP_LINE + 1), 1.5, MAP_LINE);
  });
  const [left, right] = [map(axis.range.from), map(axis.range.to)];
  pen.fillStyle = palette.css.page;
  pen.globalAlpha = 0.66;
  pen.fillRect(0, 0, left, MAP);
  pen.fillRect(right, 0, width - right, MAP);
  pen.globalAlpha = 1;
  pen.strokeStyle = palette.css.ink2;
  pen.lineWidth = 1;
  pen.strokeRect(left + 0.5, 0.5, Math.max(2, right - left - 1), MAP - 1);
  pen.fillStyle = palette.css.ink2;
  for (const at of [left, right]) pen.fillRect(at - 1.5, MAP / 2 - 6, 3, 12);
  ticks(pen, axis, width, palette);
  if (axis.brush) {
    const scale = width / length(axis.range);
    pen.fillStyle = palette.css.ink;
    pen.globalAlpha = 0.18;
    pen.fillRect((axis.brush.from - axis.range.from) * scale, MAP, length(axis.brush) * scale, RULER);
    pen.globalAlpha = 1;
  }
}

function ticks(pen: CanvasRenderingContext2D, { range, ruler }: Axis, width: number, palette: Palette): void {
  const scale = width / length(range);
  pen.font = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
  pen.textBaseline = 'middle';
  let free = 0;
  if (ruler.baseLabel !== '') {
    pen.fillStyle = palette.css.ink;
    pen.fillText(ruler.baseLabel, 4, MAP + RULER / 2 + 1);
    free = pen.measureText(ruler.baseLabel).width + 12;
  }
  for (const { at, label } of ruler.ticks) {
    const x = Math.round((at - range.from) * scale) + 0.5;
    pen.fillStyle = palette.css.line;
    pen.fillRect(x - 0.5, MAP + RULER - 6, 1, 6);
    const wide = pen.measureText(label).width;
    if (x + 4 < free || x + 4 + wide > width) continue;
    pen.fillStyle = palette.css.ink2;
    pen.fillText(label, x + 4, MAP + RULER / 2 + 1);
    free = x + 4 + wide + 8;
  }
}
