// What stays in view, rows of a table or lanes of the timelines, as a text in the address.

/** Keys of what is pinned, of a JSON list. */
export function readPins(text: string): string[] {
  try {
    const pins: unknown = JSON.parse(text || '[]');
    return Array.isArray(pins) ? pins.filter((key) => typeof key === 'string') : [];
  } catch {
    return [];
  }
}

/** The text with one pinned, or not any more. */
export function togglePin(text: string, key: string): string {
  const pins = readPins(text);
  const next = pins.includes(key) ? pins.filter((one) => one !== key) : [...pins, key];
  return next.length > 0 ? JSON.stringify(next) : '';
}
