// Selecting a range of steps by dragging. Ranges are sent to the server by step number.

/** Number of a step label: `12`, or `12 (2)` if a number occurs more than once; null for any other label. */
export function stepNumber(label: string): number | null {
  const found = /^\d+(?= \(\d+\)$|$)/.exec(label);
  return found ? Number(found[0]) : null;
}

/** The steps' numbers as a range: `3-10`, or `5` for a single step; "" if no label has a number. */
export function stepRange(labels: string[]): string {
  const numbers = labels.map(stepNumber).filter((number): number is number => number !== null);
  if (numbers.length === 0) return '';
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return low === high ? String(low) : `${low}-${high}`;
}

/** Whether there are several step numbers to select from; a recording without step markers has none. */
export function canChoose(labels: string[]): boolean {
  return new Set(labels.map(stepNumber).filter((number) => number !== null)).size > 1;
}

/** First and last index of a range drawn in either direction, clamped to `count` items. */
export function ordered(from: number, to: number, count: number): [number, number] {
  const inside = (place: number): number => Math.max(0, Math.min(count - 1, place));
  return [inside(Math.min(from, to)), inside(Math.max(from, to))];
}
