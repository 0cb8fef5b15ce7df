// Which rows of a long table are in the document.

export interface RowRange {
  first: number;
  /** one past the last */
  end: number;
}

/** Rows that touch the viewport, with `margin` on either side; away from the ends always equally many, so that their
 *  elements can be reused. */
export function rowWindow(scrollTop: number, viewport: number, rowHeight: number, rows: number, margin = 6): RowRange {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
  const end = Math.min(rows, first + Math.ceil(viewport / rowHeight) + 1 + 2 * margin);
  return { first: Math.min(first, Math.max(0, rows - 1)), end: Math.max(end, 0) };
}

/** A reusable row element: its key, and the place of the row that it draws. */
export interface Slot {
  key: number;
  place: number;
}

/** Slots for another range: rows that stay keep theirs, new rows take those of rows that left. Slots keep their order, so
 *  that none moves in the document, unless `inOrder` sorts them by place. */
export function slotsFor(before: Slot[], { first, end }: RowRange, inOrder: boolean): Slot[] {
  const kept = new Set(before.map(({ place }) => place).filter((place) => place >= first && place < end));
  const fresh: number[][] = [[], []];
  for (let place = first; place < end; place += 1) if (!kept.has(place)) fresh[place % 2]!.push(place);
  const [even, odd] = fresh as [number[], number[]];
  /** the next new row, of the same stripe if possible */
  const next = (stripe: number): number | undefined => (stripe ? (odd.shift() ?? even.shift()) : (even.shift() ?? odd.shift()));
  const after = before.flatMap((slot) => {
    if (kept.has(slot.place)) return [slot];
    const place = next(slot.place % 2);
    return place === undefined ? [] : [{ key: slot.key, place }];
  });
  let key = before.reduce((most, slot) => Math.max(most, slot.key + 1), 0);
  for (let place = next(0); place !== undefined; place = next(0)) after.push({ key: key++, place });
  return inOrder ? after.sort((one, other) => one.place - other.place) : after;
}

/** Scroll offset that brings a row into view below the header; the current offset if it already is. */
export function offsetFor(row: number, scrollTop: number, viewport: number, rowHeight: number): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + viewport) return top + rowHeight - viewport;
  return scrollTop;
}

/** Row selected after a key press; null for keys that do not move the selection. */
export function moveRow(key: string, row: number, rows: number, page: number): number | null {
  const moves: Record<string, number> = {
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    PageDown: row + page,
    PageUp: row - page,
    Home: 0,
    End: rows - 1,
  };
  const next = moves[key];
  if (next === undefined || rows === 0) return null;
  return Math.max(0, Math.min(rows - 1, row < 0 && key.startsWith('Arrow') ? 0 : next));
}
