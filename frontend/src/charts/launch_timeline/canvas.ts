// Draws the visible launches: name lanes if names fit, a strip per run, launches without a match, and the change.

import { LETTERS } from '../../ui/sides';
import { boundColor } from '../bound';
import { BOUND_CLASSES } from '../../contract/constants';
import { fitted, type Colors } from '../canvas';
import type { TimeRange } from '../time_range';
import { bins, changes, rowAt, type Lane, type Timeline } from './timeline';

/** What the color of a launch shows: its class, or how busy one resource was. */
export type Shade = 'bound' | 'tensor' | 'dram';

const NAMES = 15;
const STRIP = 40;
const STATUS = 12;
const CHANGE = 44;
const GAP = 4;

/** Top of each lane in pixels. */
export const LANES = {
  nameA: 0,
  a: NAMES,
  status: NAMES + STRIP + GAP,
  b: NAMES + STRIP + STATUS + 2 * GAP,
  nameB: NAMES + 2 * STRIP + STATUS + 2 * GAP,
  change: 2 * NAMES + 2 * STRIP + STATUS + 3 * GAP,
  end: 2 * NAMES + 2 * STRIP + STATUS + CHANGE + 3 * GAP,
} as const;
export const SIZES = { strip: STRIP, change: CHANGE } as const;

/** Part of the strip's height filled by each class, as [from, to]; tells the classes apart without color. */
export const PARTS: Record<(typeof BOUND_CLASSES)[number], [number, number]> = {
  'tensor-bound': [0, 0.5],
  'memory-bound': [0.5, 1],
  both: [0, 1],
  neither: [0.35, 0.65],
  'not measured': [0.45, 0.55],
};

const NAME_WIDTH = 40;
const LETTER = 6.6;

interface Picture {
  timeline: Timeline;
  window: TimeRange;
  shade: Shade;
  names: { a: string[]; b: string[] };
}

type Palette = ReturnType<typeof paletteOf>;

function paletteOf(of: Colors) {
  return {
    classes: BOUND_CLASSES.map((name) => of(boundColor(name))),
    tensor: of('--bound-tensor_bound'),
    dram: of('--bound-memory_bound'),
    back: of('--stripe'),
    ink: of('--ink-2'),
    line: of('--line-strong'),
    a: of('--a-fill'),
    b: of('--b-fill'),
    more: of('--more-fill'),
    less: of('--less-fill'),
  };
}

export function paint(pen: CanvasRenderingContext2D, picture: Picture, width: number, of: Colors): void {
  const colors = paletteOf(of);
  for (const side of LETTERS) {
    pen.fillStyle = colors.back;
    pen.fillRect(0, LANES[side], width, STRIP);
    strip(pen, picture, picture.timeline[side], LANES[side], width, colors);
  }
  statuses(pen, picture, width, colors);
  change(pen, picture, width, colors);
  labels(pen, picture, width, colors);
}

function strip(pen: CanvasRenderingContext2D, { timeline, window, shade }: Picture, lane: Lane, top: number, width: number, colors: Palette): void {
  const figure = shade === 'dram' ? lane.dram : lane.tensor;
  const block = (x: number, wide: number, bound: number, value: number): void => {
    if (shade === 'bound') {
      const [from, to] = PARTS[BOUND_CLASSES[bound]!];
      pen.fillStyle = colors.classes[bound]!;
      pen.fillRect(x, top + from * STRIP, wide, (to - from) * STRIP);
    } else if (Number.isNaN(value)) {
      pen.fillStyle = colors.line;
      pen.fillRect(x, top + STRIP - 1, wide, 1);
    } else {
      const high = Math.max(1, Math.min(1, value) * STRIP);
      pen.fillStyle = shade === 'tensor' ? colors.tensor : colors.dram;
      pen.fillRect(x, top + STRIP - high, wide, high);
    }
  };
  const small = bins(timeline, lane, figure, window, width);
  for (let pixel = 0; pixel < width; pixel += 1) {
    let best = -1;
    for (let bound = 0; bound < 5; bound += 1) if (small.classes[5 * pixel + bound]! > (best < 0 ? 0 : small.classes[5 * pixel + best]!)) best = bound;
    if (best >= 0) block(pixel, 1, best, small.weight[pixel]! > 0 ? small.sum[pixel]! / small.weight[pixel]! : NaN);
  }
  const scale = width / (window.to - window.from);
  for (let row = rowAt(timeline, window.from); row < timeline.count && timeline.start[row]! < window.to; row += 1) {
    const wide = lane.us[row]! * scale;
    if (!(wide >= 1)) continue;
    // a gap between neighbors if the launch is wide enough
    block((timeline.start[row]! - window.from) * scale, wide >= 4 ? wide - 1 : wide, lane.bound[row]!, figure[row]!);
  }
}

/** Upper half: only in A. Lower half: only in B. Full height: a different kernel at the same position. */
function statuses(pen: CanvasRenderingContext2D, { timeline, window }: Picture, width: number, colors: Palette): void {
  const scale = width / (window.to - window.from);
  const half = STATUS / 2;
  for (let row = rowAt(timeline, window.from); row < timeline.count && timeline.start[row]! < window.to; row += 1) {
    const status = timeline.status[row]!;
    if (status === 0) continue;
    const x = (timeline.start[row]! - window.from) * scale;
    const wide = Math.max(1, (timeline.start[row + 1]! - timeline.start[row]!) * scale - 0.5);
    pen.fillStyle = status === 1 ? colors.ink : status === 2 ? colors.b : colors.a;
    pen.fillRect(x, LANES.status + (status === 2 ? half : 0), wide, status === 1 ? STATUS : half);
  }
}

/** Up for more time in B, down for less. The height is the change as a share of the longer launch, so the area is
 *  time. */
function change(pen: CanvasRenderingContext2D, { timeline, window }: Picture, width: number, colors: Palette): void {
  const middle = LANES.change + CHANGE / 2;
  const shares = changes(timeline, window, width);
  for (let pixel = 0; pixel < width; pixel += 1) {
    const high = (shares[pixel]! * CHANGE) / 2;
    if (Math.abs(high) < 0.25) continue;
    pen.fillStyle = high > 0 ? colors.more : colors.less;
    pen.fillRect(pixel, high > 0 ? middle - high : middle, 1, Math.abs(high));
  }
  pen.fillStyle = colors.line;
  pen.fillRect(0, middle - 0.5, width, 1);
}

function labels(pen: CanvasRenderingContext2D, { timeline, window, names }: Picture, width: number, colors: Palette): void {
  const scale = width / (window.to - window.from);
  pen.fillStyle = colors.ink;
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  for (let row = rowAt(timeline, window.from); row < timeline.count && timeline.start[row]! < window.to; row += 1) {
    const x = Math.max(0, (timeline.start[row]! - window.from) * scale);
    const room = (timeline.start[row + 1]! - window.from) * scale - x - 4;
    if (room < NAME_WIDTH) continue;
    const letters = Math.floor(room / LETTER);
    if (!Number.isNaN(timeline.a.us[row]!)) pen.fillText(fitted(names.a[row]!, letters), x + 1, LANES.nameA + NAMES / 2, room);
    // B's name is omitted if it is the same as A's
    if (!Number.isNaN(timeline.b.us[row]!) && (timeline.status[row] !== 0 || Number.isNaN(timeline.a.us[row]!))) pen.fillText(fitted(names.b[row]!, letters), x + 1, LANES.nameB + NAMES / 2, room);
  }
}
