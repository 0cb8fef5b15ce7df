// Draws the steps of both runs as stacked columns; steps not compared are outlines.

import type { Colours } from '../canvas';
import { PARTS, segments, type Bar } from './stacks';

interface Lane {
  bars: Bar[];
  /** top of the lane in pixels */
  top: number;
}

interface Picture {
  lanes: Lane[];
  left: number;
  /** width per column, gap included */
  slot: number;
  high: number;
  /** time at the top of a lane in microseconds */
  most: number;
  share: boolean;
  /** index of the only part shown, -1 for all */
  only: number;
  /** share at the top of a lane, if shares are drawn */
  scale: number;
}

type Palette = ReturnType<typeof paletteOf>;

function paletteOf(of: Colours) {
  return { parts: PARTS.map((part) => of(`--part-${part}`)), outline: of('--ink-3'), mark: of('--ink-2') };
}

/** Gap between columns in pixels. */
function gapOf(slot: number): number {
  return slot >= 8 ? Math.min(4, slot / 5) : slot >= 4 ? 1 : 0;
}

export function paint(pen: CanvasRenderingContext2D, picture: Picture, of: Colours): void {
  const colours = paletteOf(of);
  for (const lane of picture.lanes) lane.bars.forEach((bar, index) => column(pen, picture, lane, bar, index, colours));
}

function column(pen: CanvasRenderingContext2D, picture: Picture, lane: Lane, bar: Bar, index: number, colours: Palette): void {
  const { left, slot, high, most, share, only, scale } = picture;
  const gap = gapOf(slot);
  const x = left + index * slot + gap / 2;
  const wide = Math.max(0.5, slot - gap);
  const bottom = lane.top + high;
  const whole = share ? scale : most;
  const y = (value: number): number => bottom - Math.min(1, value / whole) * high;
  if (!bar.admitted) {
    const top = share ? lane.top : y(bar.us);
    pen.strokeStyle = colours.outline;
    pen.lineWidth = 1;
    pen.setLineDash([2, 2]);
    if (wide >= 3) pen.strokeRect(x + 0.5, top + 0.5, wide - 1, bottom - top - 1);
    else pen.strokeRect(x, top + 0.5, 0.1, bottom - top - 1);
    pen.setLineDash([]);
    return beyond(pen, bar, x + wide / 2, lane.top, picture, colours);
  }
  for (const { part, from, to } of segments(bar, share, only)) {
    const [top, end] = [y(to), y(from)];
    pen.fillStyle = colours.parts[part]!;
    // a thin gap between parts if they are high enough
    pen.fillRect(x, top, wide, Math.max(0.4, end - top - (end - top >= 3 && from > 0 ? 0.7 : 0)));
  }
  if (only < 0) beyond(pen, bar, x + wide / 2, lane.top, picture, colours);
}

/** Marks a column that exceeds the axis with an arrow at its top. */
function beyond(pen: CanvasRenderingContext2D, bar: Bar, x: number, top: number, { most, share }: Picture, colours: Palette): void {
  if (share || bar.us <= most) return;
  pen.fillStyle = colours.mark;
  pen.beginPath();
  pen.moveTo(x - 4, top + 5);
  pen.lineTo(x, top - 1);
  pen.lineTo(x + 4, top + 5);
  pen.fill();
}
