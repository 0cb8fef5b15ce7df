// The JSON contract of the server (tb_perfcompare/plugin/http_api.md) as types. Values are used as they come.

export type Cell = string | number | boolean | null;

export type VerdictWord =
  | 'slower'
  | 'faster'
  | 'same'
  | 'probably_slower'
  | 'probably_faster'
  | 'inconclusive'
  | 'withheld';

export interface Device {
  kind: string;
  word?: string;
  name: string | null;
  count: number;
}

export interface FileFacts {
  path: string;
  bytes: number;
}

export interface DroppedStep {
  step: string;
  reason: string;
  capture?: number;
  total_us?: number | null;
}

/** Something that may delimit the steps of a trace; `step_marker` asks for it. */
export interface StepMarker {
  step_marker: string;
  origin: string;
  name: string;
  count: number;
  coverage: number;
  mean_us: number;
  alike: number | null;
}

/** What delimits the steps, and what else could. */
export interface StepsBy extends StepMarker {
  candidates: StepMarker[];
}

export interface SideFacts {
  source: string;
  run: string;
  worker: string;
  span: string;
  format: string;
  device: Device;
  steps: { count: number; admitted: number; dropped: DroppedStep[]; by?: StepsBy | null };
  files: FileFacts[];
  captures?: number;
}

export interface Shift {
  estimate: number;
  low: number;
  high: number;
  level: number | null;
}

export interface Headline {
  metric: string;
  unit: string;
  baseline: number | null;
  candidate: number | null;
  delta: number | null;
  ratio: number | null;
  shift: Shift | null;
  p: number | null;
  n: [number, number];
  verdict: VerdictWord;
  reason: string;
  margin?: number;
  inflation?: number;
  scope?: string;
  method?: string;
  /** whether the verdict hangs on single steps */
  sensitivity?: string;
  certainty?: Certainty | null;
  /** the headline in one sentence, and labelled lines below it */
  sentence?: string;
  facts?: { label: string; text: string }[];
  machine?: Part | null;
  program?: Part | null;
  alternatives?: Alternative[];
}

/** What could settle an open verdict, and the verdict with it; null where more has to be recorded first. */
export interface Alternative {
  what: string;
  baseline_steps: string | null;
  candidate_steps: string | null;
  step_window: 'device' | 'marker' | null;
  verdict: VerdictWord | null;
  delta: number | null;
  ratio: number | null;
  n: [number, number] | null;
}

/** A part of the change of step time; fractions are 0.05 for 5 %. */
export interface Part {
  estimate: number;
  low: number;
  high: number;
  p: number | null;
  verdict: VerdictWord;
  rows: number;
  kept: number;
  coverage: number;
  captures_needed: number | null;
}

/** What else the samples say; fractions are 0.05 for 5 %, null is "not known". */
export interface Certainty {
  effect_size: number;
  effect: string;
  detectable: number | null;
  steps_needed: number | null;
  captures: [number, number];
  noise_floor: number | null;
  captures_needed: number | null;
}

export interface LedgerRow {
  path: string[];
  name?: string;
  baseline: number;
  candidate: number;
  delta: number;
  calls: [number, number];
  count_effect: number;
  rate_effect: number;
  status: string;
}

/** Integers in nanoseconds times `denominator` per step. */
export interface Ledger {
  denominator: number;
  baseline: number;
  candidate: number;
  delta: number;
  /** of each side, what device work that an earlier step launched owns */
  backlog?: [number, number];
  rows: LedgerRow[];
  /** of all entries, where the smallest of them are pooled */
  entries?: number;
}

export interface Evidence {
  table?: string;
  row?: string;
  value?: string;
}

export interface Finding {
  rule: string;
  subject: string;
  category: string;
  /** null for what is no time, such as a clock */
  delta_us: number | null;
  share: number | null;
  sentence: string;
  evidence: Evidence[];
  confidence: string;
  look_at?: string;
}

export interface Check {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  detail: string;
  invalidates: string[];
}

export interface Note {
  code: string;
  message: string;
  where: string;
}

export type Role = 'key' | 'text' | 'baseline' | 'candidate' | 'delta' | 'percent' | 'status' | 'amount' | 'plain';
export type Kind = 'text' | 'time_us' | 'count' | 'fraction' | 'number' | 'bool';

export interface Column {
  name: string;
  label: string;
  unit: string;
  better: 'lower' | 'higher' | 'none';
  description: string;
  role: Role;
  kind: Kind;
  shown: boolean;
  /** what it measures, "" for a table's main measure */
  measure: string;
  side: 'baseline' | 'candidate' | '';
  /** which figure of the measure: value, delta, shift, change, p, q, ... */
  statistic: string;
}

export interface Table {
  title: string;
  /** rows have times of their own in every step */
  per_step: boolean;
  /** traces tell from where the rows were called */
  callers: boolean;
  /** sums over rows say something */
  adds_up: boolean;
  /** parts of the step that a row's name is an entry of */
  categories: string[];
  columns: Column[];
  /** the first rows only, where `total_rows` is more */
  rows: Cell[][];
  notes: string[];
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

export interface Comparison {
  schema: string;
  /** names the files as they were compared */
  tag?: string;
  version?: string;
  window: string;
  baseline: SideFacts;
  candidate: SideFacts;
  headline: Headline;
  ledger: Ledger;
  findings: Finding[];
  comparability: Check[];
  tables: Record<string, Table>;
  notes: Note[];
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
}

export interface ServerError {
  code: string;
  message: string;
  hint: string;
}

export type StreamLine = { progress: Progress } | { result: unknown } | { error: ServerError };

/** What a column that the page makes says of itself, unless it says otherwise. */
export const PLAIN_COLUMN = { unit: '', better: 'none', description: '', role: 'plain', kind: 'text', shown: true, measure: '', side: '', statistic: 'value' } as const;

/** What can be done with a table that the page makes. */
export const PLAIN_TABLE = { per_step: false, callers: false, adds_up: true, categories: [] as string[], notes: [] as string[] };

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
