// api/row_paths as types (plugin/http_api.md).

import { apiUrl, request } from '../api/api';
import { checked } from '../contract/wire';

/** Baseline and candidate; null: the side has no such path. Times are nanoseconds and calls counts, per step times the denominator. */
export type Pair = [number | null, number | null];

export interface Figures {
  calls: Pair;
  times: Record<string, Pair>;
}

export interface CallPath extends Figures {
  /** places in RowPaths.frames, from the outermost in */
  frames: number[];
  /** the candidate's, where they differ in folders and line numbers */
  candidate_frames?: number[];
}

export interface Way {
  way: string;
  /** why a side tells nothing, null if it does */
  absent: { baseline: string | null; candidate: string | null };
  paths: CallPath[];
  /** what the paths leave of the row; `paths` is how many are in it */
  rest: Figures & { paths: number };
}

export interface RelatedRow {
  table: string;
  row: string;
  name: string;
  time: Pair;
}

/** What a frame is, its name, and the table that has a row of this name, "" for none. */
export type PathFrame = [string, string, string];

export interface RowPaths {
  denominator: number;
  measures: { name: string; label: string }[];
  total: Figures;
  frames: PathFrame[];
  ways: Way[];
  related: { what: string; rows: RelatedRow[]; others: number }[];
  /** the largest frame of this name */
  call_tree: { row: string; frames: number } | null;
  /** what runs directly inside its frames: exposed times, of which own, rows and rest sum to the whole */
  callees: { whole: Pair; own: Pair; rows: { kind: string; name: string; table: string; time: Pair }[]; rest: { time: Pair; callees: number } } | null;
}

const SCHEMA = 'tb_perfcompare.row_paths/1';

/** From where one row of a table was called. `together` takes modules as one that differ only in their numbers. */
export async function fetchRowPaths(pair: URLSearchParams, table: string, row: string, together: boolean, signal: AbortSignal): Promise<RowPaths> {
  const query = new URLSearchParams(pair);
  query.set('table', table);
  query.set('row', row);
  if (together) query.set('modules', 'together');
  return checked(await (await request(apiUrl('row_paths', query), signal)).json(), SCHEMA) as unknown as RowPaths;
}
