// The JSON contract of the server (docs/contract.md, plugin/http_api.md) as types. Values are used as they come. Those of
// the comparison itself are made from the server's (comparison.ts); here is what its HTTP answers have beside.

import type * as sent from './comparison';

export type { Certainty, Check, Column, Device, DroppedStep, Evidence, FileFacts, Finding, Headline, LedgerRow, Note, Shift, SideFacts } from './comparison';

export type Cell = string | number | boolean | null;
export type VerdictWord = sent.Headline['verdict'];
export type Role = sent.Column['role'];
export type Kind = sent.Column['kind'];

export interface Ledger extends sent.Ledger {
  /** of all entries, where the smallest of them are pooled */
  entries?: number;
}

export interface Table extends sent.Table {
  /** more than `rows`, where these are the first only */
  total_rows?: number;
  left_out?: { rows: number; sums: Sums };
}

/** Column -> sum over some rows; null where nothing was measured. */
export type Sums = Record<string, number | null>;

/** Rows of a table that the server chose and ordered. */
export interface TablePage {
  schema: string;
  columns: string[];
  total_rows: number;
  matching_rows: number;
  sums: Sums;
  hidden: { rows: number; sums: Sums };
  all_sums: Sums;
  statuses: Record<string, number>;
  offset: number;
  rows: Cell[][];
  next_offset: number | null;
  /** where the row that was looked for stands among the matching ones */
  place: number | null;
  /** notes that say what could not be read of what these rows are made of */
  lost: number;
}

/** The times of one row in the steps of a side. */
export interface StepTimes {
  steps: string[];
  /** which span each was recorded in, from 0 */
  captures: number[];
  /** microseconds by measure, one for each step; null: the side does not have the row */
  time_us: Record<string, number[]> | null;
}

export interface RowSteps {
  measures: { name: string; label: string }[];
  baseline: StepTimes;
  candidate: StepTimes;
}

export interface Comparison extends sent.Comparison {
  /** names the files as they were compared */
  tag?: string;
  ledger: Ledger;
  tables: Record<string, Table>;
  /** how many more there are */
  notes_left_out?: number;
}

export interface SpanFile {
  name: string;
  bytes: number;
  modified: number;
}

export interface SpanEntry {
  span: string;
  files: SpanFile[];
}

export interface WorkerEntry {
  worker: string;
  rank: number | null;
  spans: SpanEntry[];
}

export interface RunEntry {
  run: string;
  /** key of the format (tb_perfcompare/model/formats.py) */
  format?: string;
  workers: WorkerEntry[];
}

/** One side of a pair: null worker is all workers, null span all spans; without `steps` all steps. */
export interface Side {
  run: string;
  worker: string | null;
  span: string | null;
  /** numbers of the first and last step that are compared, `3-10` or `5` */
  steps?: string;
  /** a run that is a listing or an export: its figures are attached to the side's kernels */
  launches?: string;
}

export interface Pair {
  baseline: Side;
  candidate: Side;
  reason: string;
}

export interface RunsAnswer {
  schema: string;
  version: string;
  roots: string[];
  profiler_tab: boolean;
  reader?: string;
  /** points of histories below the log directory */
  points?: number;
  runs: RunEntry[];
  pairs: Pair[];
  problems: { path: string; message: string }[];
  /** where the listing goes on, absent where this is all of it */
  next_offset?: number;
  /** names the listing that this is a part of */
  listing?: string;
}

export interface Progress {
  phase: string;
  path: string;
  done_bytes: number;
  total_bytes: number;
  events: number;
  elapsed_s: number;
}

export interface ServerError {
  code: string;
  message: string;
  hint: string;
}

export type StreamLine = { progress: Progress } | { result: unknown } | { error: ServerError };

const COMPARISON_SCHEMA = 'tb_perfcompare.comparison/1';
const RUNS_SCHEMA = 'tb_perfcompare.runs/1';
const TABLE_SCHEMA = 'tb_perfcompare.table/1';
const ROW_SCHEMA = 'tb_perfcompare.row/1';

/** An answer of another schema than this page draws. */
export class SchemaError extends Error {
  constructor(readonly found: string, readonly expected: string) {
    super(`schema ${found}, expected ${expected}`);
  }
}

/** The value, if it is of this schema. */
export function checked(value: unknown, schema: string): Record<string, unknown> {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['schema'] : undefined;
  if (found !== schema) throw new SchemaError(String(found), schema);
  return value as Record<string, unknown>;
}

export function asComparison(value: unknown): Comparison {
  return checked(value, COMPARISON_SCHEMA) as unknown as Comparison;
}

export function asTablePage(value: unknown): TablePage {
  return checked(value, TABLE_SCHEMA) as unknown as TablePage;
}

export function asRowSteps(value: unknown): RowSteps {
  return checked(value, ROW_SCHEMA) as unknown as RowSteps;
}

export function asRuns(value: unknown): RunsAnswer {
  return checked(value, RUNS_SCHEMA) as unknown as RunsAnswer;
}
