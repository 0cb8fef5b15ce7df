// The JSON contract of the server (tb_perfcompare/plugin/http_api.md) as types. Values are used as they come. Most types are
// written from the server's (sent.ts); here are those of listings, requests and progress.

import type * as sent from './sent';

export type { Alternative, Caveat, Certainty, Check, Column, Comparison, Device, Evidence, FileFacts, Finding, Headline, Ledger, LedgerRow, Note, Part, Problem, RowSteps, ServerError, SideFacts, StepMarker, StepTimes, StepsBy, Table, TablePage } from './sent';

export type Cell = sent.Table['rows'][number][number];
export type VerdictWord = sent.Headline['verdict'];
export type Kind = sent.Column['kind'];

export interface SpanFile {
  name: string;
  bytes: number;
  modified: number;
}

export interface SpanEntry {
  span: string;
  files: SpanFile[];
  /** of a file that was read before, as it is now */
  known?: KnownFile;
}

export interface KnownFile {
  device: string;
  steps: number;
  mean_step_us: number | null;
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

export const wholeRun = (run: string): Side => ({ run, worker: null, span: null });

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
}

export type StreamLine = { progress: Progress } | { result: unknown } | { error: sent.ServerError };

/** What a column that the page makes says of itself, unless it says otherwise. */
export const PLAIN_COLUMN = { unit: '', better: 'none', description: '', role: 'plain', kind: 'text', shown: true, measure: '', side: '', statistic: 'value' } as const;

/** What can be done with a table that the page makes. */
export const PLAIN_TABLE = { per_step: false, callers: false, adds_up: true, categories: [] as string[], notes: [] as string[] };

/** Index of the column of this name; -1 without a table or such a column. */
export const columnAt = (table: sent.Table | undefined, name: string): number => table?.columns.findIndex((column) => column.name === name) ?? -1;

/** Index of the first column of this role. */
export const roleAt = (table: sent.Table | undefined, role: sent.Column['role']): number => table?.columns.findIndex((column) => column.role === role) ?? -1;

/** An answer of another schema than this page draws. */
export class SchemaError extends Error {
  constructor(readonly found: string, readonly expected: string) {
    super(`schema ${found}, expected ${expected}`);
  }
}

/** The value, if it is of this schema. */
export function checked<T extends { schema: string }>(value: unknown, schema: T['schema']): T {
  const found = typeof value === 'object' && value !== null ? (value as { schema?: unknown }).schema : undefined;
  if (found !== schema) throw new SchemaError(String(found), schema);
  return value as T;
}
