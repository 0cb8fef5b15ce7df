// Changes of the categories at equal machine speed, from their table.

import type { Cell, Table } from '../contract/wire';

/** Category -> change at equal machine speed in microseconds per step, and its p; empty if they are not known. */
export function atEqualSpeed(table: Table | undefined): Map<Cell, [us: number, p: Cell]> {
  const change = table?.columns.findIndex((column) => column.name === 'paced_delta_us') ?? -1;
  // p is in the next column
  return new Map(table?.rows.filter((row) => typeof row[change] === 'number').map((row) => [row[0]!, [row[change] as number, row[change + 1]!]]));
}
