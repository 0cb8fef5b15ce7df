// Translates wheel, drag, pinch and keys into a new visible range.

import { length, moved, zoomed, type TimeRange } from '../charts/time_range';
import { around } from './data/instants';

const STEP = 1.25;
const PAN_SHARE = 0.15;

/** Range after a key, null for keys that do not move. Zooming keeps the instant `middle` in place. */
export function rangeAfterKey(key: string, whole: TimeRange, range: TimeRange, middle: number): TimeRange | null {
  const by = PAN_SHARE * length(range);
  switch (key.length === 1 ? key.toLowerCase() : key) {
    case 'w':
    case '+':
    case '=':
      return zoomed(whole, range, middle, 1 / STEP);
    case 's':
    case '-':
      return zoomed(whole, range, middle, STEP);
    case 'a':
    case 'ArrowLeft':
      return moved(whole, range, -by);
    case 'd':
    case 'ArrowRight':
      return moved(whole, range, by);
    case 'Home':
      return moved(whole, range, whole.from - range.from);
    case 'End':
      return moved(whole, range, whole.to - range.to);
    case '0':
      return whole;
    default:
      return null;
  }
}

interface Finger {
  x: number;
  y: number;
}

/** Pointers that are down on one canvas: one pans, two pinch. */
export class Drag {
  private fingers = new Map<number, Finger>();
  private begun: { range: TimeRange; scrollTop: number; x: number; y: number; apart: number } | null = null;
  moved = false;

  down(event: PointerEvent, range: TimeRange, scrollTop: number): void {
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.moved = false;
    this.begin(range, scrollTop);
  }

  private begin(range: TimeRange, scrollTop: number): void {
    const { x, y, apart } = this.middle();
    this.begun = { range, scrollTop, x, y, apart };
  }

  private middle(): { x: number; y: number; apart: number } {
    const points = [...this.fingers.values()];
    const mean = (of: (finger: Finger) => number): number => points.reduce((sum, finger) => sum + of(finger), 0) / points.length;
    const [one, two] = points;
    return { x: mean((finger) => finger.x), y: mean((finger) => finger.y), apart: one && two ? Math.hypot(one.x - two.x, one.y - two.y) : 0 };
  }

  get active(): boolean {
    return this.fingers.size > 0;
  }

  /** New range and scroll offset, null before the drag starts. `left` is the canvas's left edge. */
  move(event: PointerEvent, whole: TimeRange, left: number, pixelNs: number): { range: TimeRange; scrollTop: number } | null {
    const finger = this.fingers.get(event.pointerId);
    const { begun } = this;
    if (!finger || !begun) return null;
    Object.assign(finger, { x: event.clientX, y: event.clientY });
    const { x, y, apart } = this.middle();
    if (!this.moved && Math.hypot(x - begun.x, y - begun.y) <= 3 && Math.abs(apart - begun.apart) <= 3) return null;
    this.moved = true;
    const scrollTop = begun.scrollTop - (y - begun.y);
    if (begun.apart > 0 && apart > 0) {
      const at = begun.range.from + (begun.x - left) * pixelNs;
      return { range: zoomed(whole, begun.range, at, begun.apart / apart), scrollTop };
    }
    return { range: moved(whole, begun.range, -(x - begun.x) * pixelNs), scrollTop };
  }

  up(event: PointerEvent, range: TimeRange, scrollTop: number): void {
    this.fingers.delete(event.pointerId);
    if (this.fingers.size > 0) this.begin(range, scrollTop);
    else this.begun = null;
  }
}

/** Range that shows an event at a visible size, with the smallest change to the current one. */
export function rangeShowing(whole: TimeRange, range: TimeRange, from: number, to: number, width: number, least = 24): TimeRange {
  const wide = ((to - from) / length(range)) * width;
  const inView = to >= range.from && from <= range.to;
  if (wide < least) return around(whole, from, to, Math.max(1, (width / least - 1) / 2));
  if (wide > width) return around(whole, from, to, 0.2);
  return inView && from >= range.from && to <= range.to ? range : moved(whole, range, (from + to) / 2 - (range.from + range.to) / 2);
}
