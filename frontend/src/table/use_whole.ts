// A table that came cut, fetched to its end: for pictures of all rows, and for searches that only this page can do.

import { useLayoutEffect, useState } from 'preact/hooks';
import { fetchRows, type RowSource } from '../api/api';
import { asFailure, type Failure } from '../api/failure';
import type { Cell, Table } from '../contract/wire';
import { Kept } from '../ui/kept';
import { isCut } from './rows';

/** More rows than this are not fetched. */
export const MOST_WHOLE = 50_000;
const AT_ONCE = '20000';

const kept = new Kept<Table>(6);

export interface Whole {
  /** null while rows are on their way; the table itself where it was not cut */
  table: Table | null;
  failure: Failure | null;
}

/** `columns`: those that are needed, all others stay empty; [] for all. `source` null: the table as it is. */
export function useWhole(source: RowSource | null, table: Table | undefined, columns: string[]): Whole {
  const wanted = source !== null && table !== undefined && isCut(table);
  const key = wanted ? JSON.stringify([source.tag, source.query.toString(), source.table, columns]) : '';
  const [state, setState] = useState<{ key: string; failure: Failure | null }>({ key: '', failure: null });
  useLayoutEffect(() => {
    if (!wanted || kept.has(key)) return undefined;
    const controller = new AbortController();
    fetchAll(source, table, columns, controller.signal)
      .then((whole) => {
        kept.set(key, whole);
        setState({ key, failure: null });
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setState({ key, failure: asFailure(error) });
      });
    return () => controller.abort();
  }, [key]);
  if (!wanted) return { table: table ?? null, failure: null };
  return { table: kept.get(key) ?? null, failure: state.key === key ? state.failure : null };
}

async function fetchAll(source: RowSource, table: Table, columns: string[], signal: AbortSignal): Promise<Table> {
  const names = columns.filter((name) => table.columns.some((column) => column.name === name));
  const places = names.map((name) => table.columns.findIndex((column) => column.name === name));
  const rows: Cell[][] = [];
  let next: number | null = 0;
  while (next !== null && rows.length < MOST_WHOLE) {
    const page = await fetchRows(source, { columns: names.join(','), offset: String(next), limit: AT_ONCE }, signal);
    for (const cells of page.rows) rows.push(names.length > 0 ? widened(cells, places, table.columns.length) : cells);
    next = page.next_offset;
  }
  const { left_out: _, ...head } = table;
  return { ...head, rows };
}

function widened(cells: Cell[], places: number[], width: number): Cell[] {
  const row: Cell[] = new Array<Cell>(width).fill(null);
  places.forEach((place, index) => (row[place] = cells[index] ?? null));
  return row;
}
