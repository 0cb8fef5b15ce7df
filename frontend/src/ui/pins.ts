// Pinned table rows or timeline lanes, as text in the address.

/** Reads the pinned keys from a JSON list; [] if it is invalid. */
export function readPins(text: string): string[] {
  try {
    const pins: unknown = JSON.parse(text || '[]');
    return Array.isArray(pins) ? pins.filter((key) => typeof key === 'string') : [];
  } catch {
    return [];
  }
}

/** Toggles a pin and returns the new text; "" for no pins. */
export function togglePin(text: string, key: string): string {
  const pins = readPins(text);
  const next = pins.includes(key) ? pins.filter((one) => one !== key) : [...pins, key];
  return next.length > 0 ? JSON.stringify(next) : '';
}
