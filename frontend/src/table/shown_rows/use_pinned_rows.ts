// Pinned rows of a table that is fetched in parts: they stay although the filters exclude them.

import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { fetchRows, type RowSource } from '../../api/api';
import type { Cell, Table } from '../../contract/wire';
import { readPins } from '../../ui/pins';
import { rowKey } from '../data/rows';

/** Cells of rows that are or were pinned; null for keys of no row. */
const kept = new Map<string, Cell[] | null>();

/** Finds the pinned rows among those held, else as they were when last held, else asks the server for them. If `source` is
 *  null, nothing is requested. Returns the row numbers of the pinned rows, and the rows held followed by those not among them. */
export function usePinnedRows(source: RowSource | null, held: Table, pins: string) {
  const [fetched, setFetched] = useState(0);
  const { table, pinned, missing } = useMemo(() => {
    const pinned: number[] = [];
    const others: Cell[][] = [];
    const missing: string[] = [];
    for (const key of readPins(pins)) {
      const row = held.rows.findIndex((_, number) => rowKey(held, number) === key);
      if (source && row >= 0) kept.set(placeOf(source, key), held.rows[row]!);
      const cells = source && kept.get(placeOf(source, key));
      if (row >= 0) pinned.push(row);
      else if (cells) pinned.push(held.rows.length + others.push(cells) - 1);
      else if (cells === undefined) missing.push(key);
    }
    // not spread: rows not fetched yet are holes
    return { pinned, missing, table: others.length > 0 ? { ...held, rows: held.rows.concat(others) } : held };
  }, [source?.table, source?.tag, held, pins, fetched]);
  useLayoutEffect(() => {
    if (!source || missing.length === 0) return undefined;
    const controller = new AbortController();
    const all = missing.map(async (key) => kept.set(placeOf(source, key), await fetchRow(source, held, key, controller.signal)));
    // on failure they stay away; the table reports its own requests' failures
    Promise.all(all).then(() => setFetched((n) => n + 1), () => undefined);
    return () => controller.abort();
  }, [source?.table, source?.tag, JSON.stringify(missing)]);
  return { table, pinned };
}

function placeOf({ tag, query, table }: RowSource, key: string): string {
  return JSON.stringify([tag, query.toString(), table, key]);
}

/** The row with this key, whatever the filters; null if there is none. */
async function fetchRow(source: RowSource, table: Table, key: string, signal: AbortSignal): Promise<Cell[] | null> {
  const { place } = await fetchRows(source, { row: key, limit: '1' }, signal);
  if (place === null) return null;
  const { rows } = await fetchRows(source, { offset: String(place), limit: '1' }, signal);
  return rowKey({ ...table, rows }, 0) === key ? rows[0]! : null; // the server also finds rows by other texts
}
