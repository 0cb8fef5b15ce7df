// The stretch of a time axis in view: zooming, moving, and what the wheel does.

export interface Span {
  from: number;
  to: number;
}

/** Closer in than this there is nothing to see: clocks tick in nanoseconds. */
export const SHORTEST_NS = 20;

export const length = (span: Span): number => span.to - span.from;

/** A stretch of that length as near to the wished place as the whole allows, no shorter than `least`. */
export function placed(whole: Span, from: number, wished: number, least = SHORTEST_NS): Span {
  const fitting = Math.min(length(whole), Math.max(Math.min(least, length(whole)), wished));
  const begin = Math.min(Math.max(whole.from, from), whole.to - fitting);
  return { from: begin, to: begin + fitting };
}

/** Closer (factor below 1) or farther; the instant `at` stays where it is. */
export function zoomed(whole: Span, span: Span, at: number, factor: number, least = SHORTEST_NS): Span {
  const wanted = Math.min(length(whole), Math.max(least, length(span) * factor));
  const share = (at - span.from) / length(span);
  return placed(whole, at - share * wanted, wanted, least);
}

export function moved(whole: Span, span: Span, by: number): Span {
  return placed(whole, span.from + by, length(span), 0);
}

export function isWhole(whole: Span, span: Span): boolean {
  return length(span) >= length(whole) * (1 - 1e-9);
}

export function sameSpan(a: Span, b: Span): boolean {
  return a.from === b.from && a.to === b.to;
}

/** A wheel that turns zooms about the place under the pointer; sideways it moves. `each` is the time of a pixel. */
export function spanAfterWheel(event: WheelEvent, whole: Span, span: Span, at: number, each: number, least = SHORTEST_NS): Span {
  const sideways = !event.ctrlKey && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY));
  const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  if (sideways) return moved(whole, span, (event.deltaX !== 0 ? event.deltaX : event.deltaY) * lines * each);
  // a pinch on a trackpad comes as a wheel with Ctrl and small numbers
  return zoomed(whole, span, at, 2 ** ((event.deltaY * lines) / (event.ctrlKey ? 60 : 300)), least);
}
