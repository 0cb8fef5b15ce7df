// What the times of a row in the steps of a side come to.

export interface Range {
  low: number;
  median: number;
  high: number;
}

/** null of no steps. */
export function rangeOf(times: number[]): Range | null {
  if (times.length === 0) return null;
  const ordered = [...times].sort((one, other) => one - other);
  const middle = (ordered.length - 1) / 2;
  return { low: ordered[0]!, median: (ordered[Math.floor(middle)]! + ordered[Math.ceil(middle)]!) / 2, high: ordered[ordered.length - 1]! };
}
