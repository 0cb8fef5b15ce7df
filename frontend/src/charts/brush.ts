// Choosing a range of steps by dragging over them. Steps are chosen by their numbers, as the server takes them.

/** A label such as `12`, or `12 (2)` where a number comes again. */
export function stepNumber(label: string): number | null {
  const found = /^\d+(?= \(\d+\)$|$)/.exec(label);
  return found ? Number(found[0]) : null;
}

/** `3-10`, or `5` for one step; "" where no step between the two has a number. */
export function stepRange(labels: string[]): string {
  const numbers = labels.map(stepNumber).filter((number): number is number => number !== null);
  if (numbers.length === 0) return '';
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return low === high ? String(low) : `${low}-${high}`;
}

/** Whether steps differ by number: a recording without markers has none. */
export function canChoose(labels: string[]): boolean {
  return new Set(labels.map(stepNumber).filter((number) => number !== null)).size > 1;
}

/** First and last place of a range, whichever way it was drawn, within `count` places. */
export function ordered(from: number, to: number, count: number): [number, number] {
  const inside = (place: number): number => Math.max(0, Math.min(count - 1, place));
  return [inside(Math.min(from, to)), inside(Math.max(from, to))];
}
