// Translates wheel, drag, pinch and keys into a new visible span.

import { length, moved, zoomed, type Span } from '../charts/span';
import { around } from './data/span';

const STEP = 1.25;
const PAN_SHARE = 0.15;

/** Span after a key, null for keys that do not move. Zooming keeps the instant `middle` in place. */
export function spanAfterKey(key: string, whole: Span, span: Span, middle: number): Span | null {
  const by = PAN_SHARE * length(span);
  switch (key.length === 1 ? key.toLowerCase() : key) {
    case 'w':
    case '+':
    case '=':
      return zoomed(whole, span, middle, 1 / STEP);
    case 's':
    case '-':
      return zoomed(whole, span, middle, STEP);
    case 'a':
    case 'ArrowLeft':
      return moved(whole, span, -by);
    case 'd':
    case 'ArrowRight':
      return moved(whole, span, by);
    case 'Home':
      return moved(whole, span, whole.from - span.from);
    case 'End':
      return moved(whole, span, whole.to - span.to);
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
  private begun: { span: Span; scrollTop: number; x: number; y: number; apart: number } | null = null;
  moved = false;

  down(event: PointerEvent, span: Span, scrollTop: number): void {
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.moved = false;
    this.begin(span, scrollTop);
  }

  private begin(span: Span, scrollTop: number): void {
    const { x, y, apart } = this.middle();
    this.begun = { span, scrollTop, x, y, apart };
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

  /** New span and scroll offset, null before the drag starts. `left` is the canvas's left edge. */
  move(event: PointerEvent, whole: Span, left: number, pixelNs: number): { span: Span; scrollTop: number } | null {
    const finger = this.fingers.get(event.pointerId);
    const { begun } = this;
    if (!finger || !begun) return null;
    Object.assign(finger, { x: event.clientX, y: event.clientY });
    const { x, y, apart } = this.middle();
    if (!this.moved && Math.hypot(x - begun.x, y - begun.y) <= 3 && Math.abs(apart - begun.apart) <= 3) return null;
    this.moved = true;
    const scrollTop = begun.scrollTop - (y - begun.y);
    if (begun.apart > 0 && apart > 0) {
      const at = begun.span.from + (begun.x - left) * pixelNs;
      return { span: zoomed(whole, begun.span, at, begun.apart / apart), scrollTop };
    }
    return { span: moved(whole, begun.span, -(x - begun.x) * pixelNs), scrollTop };
  }

  up(event: PointerEvent, span: Span, scrollTop: number): void {
    this.fingers.delete(event.pointerId);
    if (this.fingers.size > 0) this.begin(span, scrollTop);
    else this.begun = null;
  }
}

/** Span that shows an event at a visible size, with the smallest change to the current one. */
export function spanShowing(whole: Span, span: Span, from: number, to: number, width: number, least = 24): Span {
  const wide = ((to - from) / length(span)) * width;
  const inView = to >= span.from && from <= span.to;
  if (wide < least) return around(whole, from, to, Math.max(1, (width / least - 1) / 2));
  if (wide > width) return around(whole, from, to, 0.2);
  return inView && from >= span.from && to <= span.to ? span : moved(whole, span, (from + to) / 2 - (span.from + span.to) / 2);
}
