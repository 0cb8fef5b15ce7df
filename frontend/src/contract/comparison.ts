// Made by build_support/wire_types.py of types in tb_perfcompare/comparison/result: do not edit.

export interface Note {
  code: string;
  message: string;
  where: string;
}

export interface Column {
  name: string;
  label: string;
  unit: string;
  better: 'lower' | 'higher' | 'none';
  description: string;
  role: 'key' | 'text' | 'baseline' | 'candidate' | 'delta' | 'percent' | 'status' | 'plain';
  kind: 'text' | 'time_us' | 'count' | 'fraction' | 'number' | 'bool';
  shown: boolean;
  /** what it measures, "" for a table's main measure */
  measure: string;
  side: 'baseline' | 'candidate' | '';
  /** which figure of the measure: value, delta, shift, change, p, q, ... */
  statistic: string;
}

export interface Table {
  title: string;
  /** place among the tables */
  order: number;
  /** rows have times of their own in every step */
  per_step: boolean;
  /** traces tell from where the rows were called */
  callers: boolean;
  /** sums over rows say something */
  adds_up: boolean;
  /** parts of the step that a row's name is an entry of */
  categories: string[];
  columns: Column[];
  rows: ((string | number | boolean | null)[])[];
  notes: string[];
}

export interface Check {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  detail: string;
  invalidates: string[];
}

export interface Evidence {
  table: string;
  row: string;
  value: string;
}

export interface Finding {
  rule: string;
  subject: string;
  category: string;
  /** per step; null for what is no time, such as a clock */
  delta_us: number | null;
  /** of the headline's delta */
  share: number | null;
  sentence: string;
  evidence: Evidence[];
  confidence: string;
  look_at: string;
}

export interface LedgerRow {
  path: string[];
  /** a raw name behind the key */
  name: string;
  baseline: number;
  candidate: number;
  delta: number;
  calls: [number, number];
  count_effect: number;
  /** mix_effect + same_shape_effect */
  rate_effect: number;
  mix_effect: number;
  same_shape_effect: number;
  status: 'both' | 'added' | 'removed';
}

export interface Ledger {
  unit: 'ns';
  denominator: number;
  baseline: number;
  candidate: number;
  delta: number;
  rows: LedgerRow[];
}

export interface Certainty {
  effect_size: number;
  effect: string;
  mean_low: number | null;
  mean_high: number | null;
  tail_driven: boolean;
  autocorrelation: number;
  /** smallest change that so many steps and captures show, a fraction */
  detectable: number | null;
  /** per side, to show a change of the margin */
  steps_needed: number | null;
  captures: [number, number];
  /** largest change between two captures of one side, a fraction */
  noise_floor: number | null;
  /** per side, to settle an inconclusive verdict */
  captures_needed: number | null;
}

export interface Shift {
  estimate: number | null;
  low: number | null;
  high: number | null;
  estimate_us: number | null;
  low_us: number | null;
  high_us: number | null;
  /** confidence level reached; null: too few samples, low and high are the whole range */
  level: number | null;
}

export interface Headline {
  metric: string;
  unit: string;
  /** mean per step */
  baseline: number | null;
  /** mean per step */
  candidate: number | null;
  /** candidate - baseline */
  delta: number | null;
  /** candidate / baseline */
  ratio: number | null;
  shift: Shift | null;
  p: number | null;
  n: [number, number];
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld';
  reason: string;
  margin: number;
  inflation: number | null;
  scope: string;
  method: string;
  /** single steps, captures or ranks that change the verdict when dropped */
  sensitivity: string;
  certainty: Certainty | null;
  /** the verdict in words, such as "probably slower" */
  verdict_text: string;
}

export interface FileFacts {
  /** relative to the source */
  path: string;
  bytes: number;
  sha256: string | null;
}

export interface DroppedStep {
  step: string;
  reason: string;
  /** index into files */
  capture: number;
  total_us: number;
}

export interface Steps {
  count: number;
  admitted: number;
  dropped: DroppedStep[];
}

export interface Device {
  kind: string;
  word: string;
  name: string | null;
  count: number;
}

export interface SideFacts {
  source: string;
  run: string;
  /** one name, or several with commas */
  worker: string;
  span: string;
  format: string;
  device: Device;
  steps: Steps;
  files: FileFacts[];
  captures: number;
}

export interface Comparison {
  schema: 'tb_perfcompare.comparison/1';
  /** of the tool */
  version: string;
  baseline: SideFacts;
  candidate: SideFacts;
  window: 'device' | 'marker';
  headline: Headline;
  ledger: Ledger;
  findings: Finding[];
  comparability: Check[];
  tables: Record<string, Table>;
  notes: Note[];
}
