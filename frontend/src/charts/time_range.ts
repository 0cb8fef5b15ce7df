// Visible range of a time axis: zooming, panning, wheel input; finding what is at an instant.

export interface TimeRange {
  from: number;
  to: number;
}

/** Zoom limit: clocks tick in nanoseconds, so a shorter range has nothing to show. */
export const SHORTEST_NS = 20;

export const length = (range: TimeRange): number => range.to - range.from;

/** A range of the wished length starting as near to `from` as `whole` allows, no shorter than `least`. */
export function placed(whole: TimeRange, from: number, wished: number, least = SHORTEST_NS): TimeRange {
  const fitting = Math.min(length(whole), Math.max(Math.min(least, length(whole)), wished));
  const begin = Math.min(Math.max(whole.from, from), whole.to - fitting);
  return { from: begin, to: begin + fitting };
}

/** Zooms in (factor below 1) or out around the instant `at`. */
export function zoomed(whole: TimeRange, range: TimeRange, at: number, factor: number, least = SHORTEST_NS): TimeRange {
  const wanted = Math.min(length(whole), Math.max(least, length(range) * factor));
  const share = (at - range.from) / length(range);
  return placed(whole, at - share * wanted, wanted, least);
}

export function moved(whole: TimeRange, range: TimeRange, by: number): TimeRange {
  return placed(whole, range.from + by, length(range), 0);
}

export function isWhole(whole: TimeRange, range: TimeRange): boolean {
  return length(range) >= length(whole) * (1 - 1e-9);
}

export function sameRange(a: TimeRange, b: TimeRange): boolean {
  return a.from === b.from && a.to === b.to;
}

/** First index whose test holds, for a test that holds for every later index too; `count` if it holds for none. */
export function firstIndex(count: number, test: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Range after a wheel event: vertical turns zoom around `at`, horizontal ones pan. `each` is the time per pixel. */
export function rangeAfterWheel(event: WheelEvent, whole: TimeRange, range: TimeRange, at: number, each: number, least = SHORTEST_NS): TimeRange {
  const sideways = !event.ctrlKey && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY));
  const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  if (sideways) return moved(whole, range, (event.deltaX !== 0 ? event.deltaX : event.deltaY) * lines * each);
  // browsers send a trackpad pinch as a wheel event with Ctrl and small deltas
  return zoomed(whole, range, at, 2 ** ((event.deltaY * lines) / (event.ctrlKey ? 60 : 300)), least);
}
