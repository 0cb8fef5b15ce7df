// Fetches all rows of a cut table, for pictures of all rows and for regular expressions, which only the page searches by.

import { type Failure, fetchEveryRow, type RowSource } from '../../api/api';
import { useAnswer } from '../../api/use_answer';
import { columnAt, type Cell, type Table } from '../../contract/wire';
import { BoundedCache } from '../../ui/kept';
import { isCut } from '../data/rows';

/** Most rows that are fetched. */
const MAX_WHOLE_ROWS = 50_000;

const kept = new BoundedCache<Table>(6);

interface AllRows {
  /** null while rows are being fetched; the given table if it was not cut */
  table: Table | null;
  failure: Failure | null;
}

/** `columns` are the ones fetched, all others stay null; [] fetches all. If `source` is null, returns the table as it is. */
export function useAllRows(source: RowSource | null, table: Table | undefined, columns: string[]): AllRows {
  const wanted = source !== null && table !== undefined && isCut(table);
  const key = wanted ? JSON.stringify([source.tag, source.query.toString(), source.table, columns]) : '';
  const [{ answer, question, failure }] = useAnswer(kept, wanted ? key : null, (signal) => fetchAll(source!, table!, columns, signal));
  return wanted ? { table: question === key ? answer : null, failure } : { table: table ?? null, failure: null };
}

async function fetchAll(source: RowSource, table: Table, columns: string[], signal: AbortSignal): Promise<Table> {
  const names = columns.filter((name) => table.columns.some((column) => column.name === name));
  const places = names.map((name) => columnAt(table, name));
  const { rows, short_names } = await fetchEveryRow(source, { columns: names.join(',') }, signal, MAX_WHOLE_ROWS);
  const { left_out: _, ...head } = table;
  return { ...head, short_names, rows: names.length > 0 ? rows.map((cells) => widened(cells, places, table.columns.length)) : rows };
}

function widened(cells: Cell[], places: number[], width: number): Cell[] {
  const row: Cell[] = new Array<Cell>(width).fill(null);
  places.forEach((place, index) => (row[place] = cells[index] ?? null));
  return row;
}
