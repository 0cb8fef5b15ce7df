// Rows of a table as api/rows is asked for them.

/** `0-3,7` of 0, 1, 2, 3, 7. */
export function writePlaces(places: number[]): string {
  const parts: string[] = [];
  const ordered = [...places].sort((one, other) => one - other);
  for (let at = 0; at < ordered.length; at += 1) {
    const first = ordered[at]!;
    while (ordered[at + 1] === ordered[at]! + 1) at += 1;
    parts.push(ordered[at] === first ? `${first}` : `${first}-${ordered[at]}`);
  }
  return parts.join(',');
}
