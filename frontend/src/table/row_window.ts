// Which rows of a long table are in the document.

export interface Span {
  first: number;
  /** one past the last */
  end: number;
}

/** Rows that touch the viewport, with a few on either side. */
export function rowWindow(scrollTop: number, viewport: number, rowHeight: number, rows: number, margin = 6): Span {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
  const end = Math.min(rows, Math.ceil((scrollTop + viewport) / rowHeight) + margin);
  return { first: Math.min(first, Math.max(0, rows - 1)), end: Math.max(end, 0) };
}

/** Scroll offset that brings a row into the area below the header, the current one if it is there already. */
export function offsetFor(row: number, scrollTop: number, viewport: number, rowHeight: number): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + viewport) return top + rowHeight - viewport;
  return scrollTop;
}

/** Row after a key of the keyboard, null for keys that do not move. */
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
