// What a reader made of a table's layout, as texts in the address: widths of columns, and rows that stay in view.

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

/** Keys of the pinned rows, of a JSON list. */
export function readPins(text: string): string[] {
  try {
    const pins: unknown = JSON.parse(text || '[]');
    return Array.isArray(pins) ? pins.filter((key) => typeof key === 'string') : [];
  } catch {
    return [];
  }
}

/** The text with the row pinned, or not any more. */
export function togglePin(text: string, key: string): string {
  const pins = readPins(text);
  const next = pins.includes(key) ? pins.filter((one) => one !== key) : [...pins, key];
  return next.length > 0 ? JSON.stringify(next) : '';
}
