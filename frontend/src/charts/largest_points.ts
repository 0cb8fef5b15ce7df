// Charts of rows draw only those with most time, two marks each, and count the others.

/** Maximum number of rows drawn. */
export const MAX_POINTS = 120;

/** A table's row with a mark on each side where it was measured, which stands for a time. */
export interface MarkedRow<S extends { us: number }> {
  /** index of the row in the table */
  row: number;
  name: string;
  /** the name in little space */
  short: string;
  a: S | null;
  b: S | null;
}

type Marks = Pick<MarkedRow<{ us: number }>, 'a' | 'b'>;

/** Rows that are not drawn: their number and time. */
export interface Undrawn {
  count: number;
  a_us: number;
  b_us: number;
}

export interface LargestPoints<P> {
  /** sorted by time, largest first */
  points: P[];
  /** rows too small to be drawn */
  small: Undrawn;
  /** time of the largest */
  largest_us: number;
}

export function largestPoints<P extends Marks>(all: P[], most: number): LargestPoints<P> {
  const sorted = [...all].sort((left, right) => timeOf(right) - timeOf(left));
  const points = sorted.slice(0, most);
  const small = noRows();
  for (const { a, b } of sorted.slice(most)) addRow(small, a?.us ?? 0, b?.us ?? 0);
  return { points, small, largest_us: Math.max(0, ...points.map(timeOf)) };
}

export const timeOf = ({ a, b }: Marks): number => Math.max(a?.us ?? 0, b?.us ?? 0);

export const noRows = (): Undrawn => ({ count: 0, a_us: 0, b_us: 0 });

export function addRow(left: Undrawn, a: number | null, b: number | null): void {
  left.count += 1;
  left.a_us += a ?? 0;
  left.b_us += b ?? 0;
}
