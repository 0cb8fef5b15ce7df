// Column widths that the reader chose, as text in the address.

export const NARROWEST = 48;
export const WIDEST = 1200;

/** Reads `name:240,calls:90` as column -> width in pixels. */
export function readWidths(text: string): Record<string, number> {
  const pairs = text.split(',').map((part) => part.split(':') as [string, string?]);
  return Object.fromEntries(pairs.flatMap(([name, width]) => (name !== '' && /^\d{1,4}$/.test(width ?? '') ? [[name, clamped(Number(width))]] : [])));
}

/** Sets one column's width and returns the new text; null restores the default width. */
export function withWidth(text: string, column: string, width: number | null): string {
  const { [column]: _, ...others } = readWidths(text);
  const widths = width === null ? others : { ...others, [column]: clamped(width) };
  return Object.entries(widths)
    .map(([name, pixels]) => `${name}:${pixels}`)
    .join(',');
}

function clamped(width: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, Math.round(width)));
}
