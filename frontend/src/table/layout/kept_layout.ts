// What a reader made of a table's layout, as a text in the address: widths of columns.

export const NARROWEST = 48;
export const WIDEST = 1200;

/** Column -> width in pixels, of `name:240,calls:90`. */
export function readWidths(text: string): Record<string, number> {
  const pairs = text.split(',').map((part) => part.split(':') as [string, string?]);
  return Object.fromEntries(pairs.flatMap(([name, width]) => (name !== '' && /^\d{1,4}$/.test(width ?? '') ? [[name, clamped(Number(width))]] : [])));
}

/** The text with another width of a column; null: the usual one. */
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
