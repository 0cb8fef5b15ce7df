// Visible span of a time axis: zooming, panning, wheel input.

export interface Span {
  from: number;
  to: number;
}

/** Zoom limit: clocks tick in nanoseconds, so a shorter span has nothing to show. */
export const SHORTEST_NS = 20;

export const length = (span: Span): number => span.to - span.from;

/** A span of the wished length starting as near to `from` as `whole` allows, no shorter than `least`. */
export function placed(whole: Span, from: number, wished: number, least = SHORTEST_NS): Span {
  const fitting = Math.min(length(whole), Math.max(Math.min(least, length(whole)), wished));
  const begin = Math.min(Math.max(whole.from, from), whole.to - fitting);
  return { from: begin, to: begin + fitting };
}

/** Zooms in (factor below 1) or out around the instant `at`. */
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

/** Span after a wheel event: vertical turns zoom around `at`, horizontal ones pan. `each` is the time per pixel. */
export function spanAfterWheel(event: WheelEvent, whole: Span, span: Span, at: number, each: number, least = SHORTEST_NS): Span {
  const sideways = !event.ctrlKey && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY));
  const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  if (sideways) return moved(whole, span, (event.deltaX !== 0 ? event.deltaX : event.deltaY) * lines * each);
  // browsers send a trackpad pinch as a wheel event with Ctrl and small deltas
  return zoomed(whole, span, at, 2 ** ((event.deltaY * lines) / (event.ctrlKey ? 60 : 300)), least);
}
