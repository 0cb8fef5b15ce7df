// Changes of the categories at equal machine speed, from their table.

import type { Table } from '../contract/wire';

export interface AtEqualSpeed {
  us: number;
  p: number | null;
}

/** Category -> change at equal machine speed in microseconds per step, of those that have time; empty if it is not known. */
export function atEqualSpeed(table: Table | undefined): Map<string, AtEqualSpeed> {
  const at = (name: string): number => table?.columns.findIndex((column) => column.name === name) ?? -1;
  const [change, p] = [at('paced_delta_us'), at('paced_p')];
  const found = new Map<string, AtEqualSpeed>();
  for (const row of change < 0 ? [] : (table?.rows ?? [])) {
    const us = row[change];
    if (typeof us === 'number') found.set(String(row[0]), { us, p: row[p] as number | null });
  }
  return found;
}
