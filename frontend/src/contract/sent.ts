// Written by build_support/wire_types.py from the types that the server sends: do not edit.

/** Document of `tb-perfcompare diff --format json`, and of api/comparison, where tables are cut to their first rows. Times are in microseconds unless the key says otherwise; null means "not measured". Keys may be added, but no key changes its meaning within this schema number. */
export interface Comparison {
  schema: 'tb_perfcompare.comparison/1';
  /** of the tool */
  version: string;
  baseline: SideFacts;
  candidate: SideFacts;
  /** where a step ends */
  window: 'device' | 'marker';
  headline: Headline;
  ledger: Ledger;
  findings: Finding[];
  comparability: Check[];
  tables: Record<string, Table>;
  notes: Note[];
  peaks: Peaks;
  /** names the files as they were compared */
  tag?: string;
  /** of a first answer: those beyond `notes` */
  notes_left_out?: number;
  /** of a first answer: failed and doubtful checks, and notes, in words */
  caveats?: Caveat[];
}

/** Description of one side. */
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
  /** of a first answer: those beyond `files` */
  files_left_out?: number;
}

/** The device that a side ran on. */
export interface Device {
  /** cuda, rocm, mlu, mtia, xpu, npu, hpu, cpu */
  kind: string;
  word: string;
  /** null: the trace does not say */
  name: string | null;
  count: number;
}

/** Steps of a side. */
export interface Steps {
  /** all steps that were seen */
  count: number;
  /** steps that are compared */
  admitted: number;
  dropped: DroppedStep[];
  /** what delimits the steps; null for sources without markers */
  by: StepsBy | null;
  /** of a first answer: those beyond `dropped` */
  dropped_left_out?: LeftOutSteps;
}

/** A step that is not compared. */
export interface DroppedStep {
  step: string;
  reason: string;
  /** index into files */
  capture: number;
  total_us: number;
}

/** The marker that delimits the steps, and the other candidates. */
export interface StepsBy {
  /** the --step-marker that chooses it */
  step_marker: string;
  origin: 'profiler' | 'annotation' | 'optimizer' | 'graph' | 'detected' | 'whole';
  name: string;
  count: number;
  coverage: number | null;
  mean_us: number | null;
  /** likeness of successive iterations; null: known by its name */
  alike: number | null;
  candidates: StepMarker[];
}

/** Marker that may delimit the steps of a trace. */
export interface StepMarker {
  /** the --step-marker that chooses it */
  step_marker: string;
  origin: 'profiler' | 'annotation' | 'optimizer' | 'graph' | 'detected' | 'whole';
  name: string;
  count: number;
  coverage: number | null;
  mean_us: number | null;
  /** likeness of successive iterations; null: known by its name */
  alike: number | null;
}

/** Steps that are neither compared nor listed. */
export interface LeftOutSteps {
  steps: number;
  total_us: number;
}

/** An input file. */
export interface FileFacts {
  /** relative to the source */
  path: string;
  bytes: number;
  /** of the stored bytes */
  sha256: string | null;
}

/** The verdict with its figures. */
export interface Headline {
  metric: string;
  unit: string;
  /** mean per step */
  baseline: number | null;
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
  /** factor by which autocorrelation of the steps widens the interval */
  inflation: number | null;
  scope: string;
  method: string;
  /** single steps, captures or ranks that change the verdict when dropped */
  sensitivity: string;
  /** null: nothing was estimated */
  certainty: Certainty | null;
  /** the headline in words */
  sentence: string;
  /** labelled lines below the headline */
  facts: Fact[];
  /** what the verdict is about */
  basis: 'program' | 'machine' | 'recorded';
  /** how much longer the same work takes; null for the reason `unsplit` */
  machine: Part | null;
  /** how much longer the step takes at equal machine speed; null as `machine` */
  program: Part | null;
  /** the work that decides; null where times do */
  counted: Counted | null;
  paces: PaceFacts[];
  /** why machine and program are not separated, empty where they are */
  unsplit: string;
  /** the step time as recorded, whatever the pace */
  recorded: Recorded | null;
  /** what could settle a verdict that is not sure */
  alternatives: Alternative[];
}

/** Hodges-Lehmann shift in percent of the baseline and in microseconds, with its interval. */
export interface Shift {
  estimate: number | null;
  low: number | null;
  high: number | null;
  estimate_us: number | null;
  low_us: number | null;
  high_us: number | null;
  /** reached; null: too few samples, low and high are the whole range */
  level: number | null;
}

/** Further evidence on the headline: effect size, intervals, detectable change; fractions are 0.05 for 5 %, None means "not known". */
export interface Certainty {
  /** Cliff's delta */
  effect_size: number;
  effect: 'negligible' | 'small' | 'medium' | 'large';
  /** interval of the change of the mean, a fraction */
  mean_low: number | null;
  mean_high: number | null;
  /** the mean disagrees with the typical step because of steps far above the others */
  tail_driven: boolean;
  autocorrelation: number;
  /** smallest change shown in about 80 of 100 cases, a fraction */
  detectable: number | null;
  /** per side, to show a change of the margin */
  steps_needed: number | null;
  captures: [number, number];
  /** largest change between two captures of one side; null: no side has two */
  noise_floor: number | null;
  /** per side, to settle an inconclusive verdict; null: not known */
  captures_needed: number | null;
}

/** A labelled line below the headline. */
export interface Fact {
  label: string;
  text: string;
}

/** The machine's or the program's part of the change. */
export interface Part {
  /** a fraction, 0.05 = 5 % longer */
  estimate: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld';
  rows: number;
  kept: number;
  coverage: number | null;
  tau: number | null;
  /** per side, that would settle it */
  captures_needed: number | null;
}

/** Work that one side does beyond the other's; it decides the direction if times leave it open. */
export interface Counted {
  noun: 'operator calls' | 'kernel launches' | 'input elements';
  /** more per step of the candidate; below zero: of the baseline; null: larger inputs */
  calls: number | null;
  /** of the step time if all else takes equally long, or of the inputs' size; a fraction */
  change: number | null;
}

/** Pace of the host or of the device: how much longer the rows with the same work take in the candidate (0.05 = 5 %). */
export interface PaceFacts {
  of: 'host' | 'device';
  /** of the same work */
  rows: number;
  /** rows that did not change on their own */
  kept: number;
  /** share of the time that the rows cover */
  coverage: number | null;
  /** how far rows differ in their change, a fraction */
  tau: number | null;
  /** share of the step that follows this pace */
  share: number | null;
  /** how much longer all rows together take, a fraction */
  estimate: number | null;
  /** how much longer the typical row takes, a fraction */
  typical: number | null;
  /** why the pace is not used, empty where it is */
  unusable: string;
}

/** Verdict and shift of the step time as recorded, not corrected for pace. */
export interface Recorded {
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld';
  estimate: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  /** change that all captures agree on, where only a bound is known */
  at_least: number | null;
}

/** A change of the comparison that could settle an open verdict, and the verdict that it gives. */
export interface Alternative {
  rule: 'without_outliers' | 'after_warm_up' | 'other_window' | 'record_more';
  what: string;
  /** of the command line */
  arguments: string;
  /** null: as now */
  baseline_steps: string | null;
  candidate_steps: string | null;
  step_window: 'device' | 'marker' | null;
  /** to record on either side */
  more: [number, number] | null;
  unit: 'captures' | 'steps' | '';
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld' | null;
  sentence: string;
  delta: number | null;
  ratio: number | null;
  n: [number, number] | null;
}

/** Every integer is nanoseconds per step times `denominator`. */
export interface Ledger {
  unit: 'ns';
  denominator: number;
  baseline: number;
  candidate: number;
  delta: number;
  /** of each side, what device work that an earlier step launched owns */
  backlog: [number, number];
  /** of each side, categories that it could not record: absent, not zero */
  not_recorded: [string[], string[]];
  rows: LedgerRow[];
  /** of a first answer: rows that are pooled in others */
  rows_left_out?: number;
  /** of a first answer: all entries */
  entries?: number;
}

/** Time per step of a category, an entity or a part, in integer nanoseconds x denominator. */
export interface LedgerRow {
  path: string[];
  /** a raw name behind the key */
  name: string;
  baseline: number;
  candidate: number;
  delta: number;
  calls: [number | null, number | null];
  count_effect: number;
  /** mix_effect + same_shape_effect */
  rate_effect: number;
  status: 'both' | 'added' | 'removed';
  mix_effect: number;
  same_shape_effect: number;
}

/** A cause in a sentence. */
export interface Finding {
  rule: string;
  subject: string;
  category: string;
  /** per step; null for what is not a time, such as a clock */
  delta_us: number | null;
  /** of the headline's delta; null where it is far more, because parts cancel */
  share: number | null;
  sentence: string;
  evidence: Evidence[];
  confidence: string;
  look_at: string;
}

/** Source of a finding's figure: a table and its row key, or a plain value. */
export interface Evidence {
  table: string;
  row: string;
  value: string;
}

/** A comparability check. */
export interface Check {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  detail: string;
  invalidates: string[];
}

/** A table. */
export interface Table {
  /** rows have times of their own in every step */
  per_step: boolean;
  /** traces tell from where the rows were called, or in which other tables they are */
  callers: boolean;
  /** sums over rows make sense: rows do not contain each other and are not means */
  adds_up: boolean;
  /** parts of the step that a row's name is an entry of */
  categories: string[];
  title: string;
  columns: Column[];
  /** of a first answer: the first ones only, where `total_rows` is more */
  rows: ((string | number | boolean | null)[])[];
  notes: string[];
  total_rows?: number;
  left_out?: RowSums;
}

/** Description of a column. */
export interface Column {
  name: string;
  label: string;
  unit: string;
  better: 'lower' | 'higher' | 'none';
  description: string;
  role: 'key' | 'text' | 'baseline' | 'candidate' | 'delta' | 'percent' | 'status' | 'amount' | 'plain';
  kind: 'text' | 'time_us' | 'count' | 'fraction' | 'number' | 'bool';
  /** before the user chooses */
  shown: boolean;
  /** what it measures, "" for a table's main measure */
  measure: string;
  side: 'baseline' | 'candidate' | '';
  /** which figure of the measure: value, delta, shift, change, p, q, ... */
  statistic: string;
}

/** Sums over a group of rows. */
export interface RowSums {
  rows: number;
  sums: Record<string, number | null>;
}

/** A limitation of a result. */
export interface Note {
  code: string;
  message: string;
  where: string;
}

/** Peak rates of both sides' devices; null where the device is not known. */
export interface Peaks {
  baseline: DevicePeaks | null;
  candidate: DevicePeaks | null;
}

/** Peak rates of a device, dense. */
export interface DevicePeaks {
  /** name in the table of peaks */
  device: string;
  /** data type -> TFLOP/s */
  tflops: Record<string, number>;
  /** memory bandwidth, GB/s; 0: not known */
  memory_gbs: number;
  /** link of the data sheet */
  source: string;
}

/** A failed check, a check that warns, or a group of notes with the same wording. */
export interface Caveat {
  status: 'fail' | 'warn' | 'note';
  /** of the check or of the notes */
  code: string;
  /** the same in words */
  name: string;
  /** figures that differ among the notes as a range */
  message: string;
  /** conclusions that are less certain, in words */
  weakens: string;
  /** a file, a side or a number of files */
  where: string;
  /** places of the single ones among the comparison's notes */
  notes: number[];
}

/** A page of a table's filtered and sorted rows. */
export interface TablePage {
  schema: 'tb_perfcompare.table/1';
  version: string;
  table: string;
  columns: string[];
  total_rows: number;
  matching_rows: number;
  sums: Record<string, number | null>;
  hidden: RowSums;
  all_sums: Record<string, number | null>;
  statuses: Record<string, number>;
  offset: number;
  /** of the row that was looked for, among the matching ones */
  place: number | null;
  /** notes that say what could not be read of what these rows are made of */
  lost: number;
  rows: ((string | number | boolean | null)[])[];
  next_offset: number | null;
}

/** Answer of api/row. */
export interface RowSteps {
  schema: 'tb_perfcompare.row/1';
  version: string;
  table: string;
  row: string;
  metric: string;
  unit: 'us';
  measures: Measure[];
  baseline: StepTimes;
  candidate: StepTimes;
}

/** A kind of time by which rows are compared. */
export interface Measure {
  name: string;
  label: string;
}

/** Times of one row in each step of a side. */
export interface StepTimes {
  steps: string[];
  /** which span each was recorded in, from 0 */
  captures: number[];
  /** by measure, one for each step; null: the side does not have the row */
  time_us: Record<string, number[]> | null;
}

/** Answer of api/row_paths: integers in nanoseconds (or calls) per step times `denominator`. A pair is baseline and candidate, null where a side has no such path. */
export interface RowPaths {
  schema: 'tb_perfcompare.row_paths/1';
  version: string;
  table: string;
  row: string;
  denominator: number;
  measures: Measure[];
  total: Figures;
  /** kind, name, and the table with a row of this name, "" for none */
  frames: [string, string, string][];
  ways: Way[];
  related: Related[];
  /** the largest frame of this name */
  call_tree: FrameLink | null;
  callees: Callees | null;
  durations: LaunchDurations | null;
}

/** Calls and times (measure -> nanoseconds), all per step and multiplied by RowPaths.denominator. */
export interface Figures {
  calls: [number | null, number | null];
  times: Record<string, [number | null, number | null]>;
}

/** The row split by one kind of path. */
export interface Way {
  way: string;
  absent: Absent;
  paths: CallPath[];
  rest: Rest;
}

/** Why a side has no paths, null if it has some. */
export interface Absent {
  baseline: string | null;
  candidate: string | null;
}

/** One call path to the row. */
export interface CallPath {
  /** places in RowPaths.frames, from the outermost in */
  frames: number[];
  calls: [number | null, number | null];
  times: Record<string, [number | null, number | null]>;
  /** the candidate's, where they differ in folders and line numbers */
  candidate_frames?: number[];
}

/** The part of the row that the listed paths leave. */
export interface Rest {
  calls: [number | null, number | null];
  times: Record<string, [number | null, number | null]>;
  /** how many are in it */
  paths: number;
}

/** Related rows of one kind. */
export interface Related {
  what: string;
  rows: RelatedRow[];
  others: number;
}

/** A row of a table by its key, its name in this context, and time in nanoseconds per step x the denominator. */
export interface RelatedRow {
  table: string;
  row: string;
  name: string;
  time: [number | null, number | null];
}

/** Link to the largest frame of a name in the call tree, by the key of its row, with the number of such frames. */
export interface FrameLink {
  row: string;
  frames: number;
}

/** Exposed times of what runs directly inside the row's frames. Own, rows and rest sum to the whole. */
export interface Callees {
  whole: [number | null, number | null];
  own: [number | null, number | null];
  rows: Callee[];
  rest: CalleesRest;
}

/** A frame directly below, or several of one name; `table` has a row called `name`, "" if there is none. */
export interface Callee {
  kind: string;
  name: string;
  table: string;
  time: [number | null, number | null];
}

/** The time that the listed callees leave. */
export interface CalleesRest {
  time: [number | null, number | null];
  callees: number;
}

/** `start_ns`: start of each bin, and end of the last one. */
export interface LaunchDurations {
  start_ns: number[];
  baseline: number[] | null;
  candidate: number[] | null;
}

/** Answer of api/rows. */
export interface RowLines {
  schema: 'tb_perfcompare.rows/1';
  version: string;
  table: string;
  metric: string;
  unit: 'us';
  measure: Measure;
  steps: StepCounts;
  /** of the rows, as many of those asked for as fit */
  places: number[];
  rows: StepLine[];
  /** as TablePage has it */
  lost: number;
}

/** Number of steps of each side. */
export interface StepCounts {
  baseline: number;
  candidate: number;
}

/** The steps of one row on both sides; null for a side that does not have the row. */
export interface StepLine {
  baseline: SideLine | null;
  candidate: SideLine | null;
}

/** The steps of one row on one side, in order: the time of each, or the minimum and maximum of groups of steps. */
export interface SideLine {
  median_us: number;
  low_us: number[];
  high_us?: number[];
}

/** Answer of api/strict. Figures are as docs/method/strict.md defines them; null is "undefined" or "not measured". Keys may be added; none changes its meaning within this schema number. */
export interface StrictAnswer {
  schema: 'tb_perfcompare.strict/1';
  /** of the tool */
  version: string;
  title: string;
  /** what the sides are called in tables and texts */
  labels: [string, string];
  /** the pairs of processes there are, and the one that was asked for */
  processes: ProcessPair[];
  /** index of the compared pair in `processes` */
  chosen: number;
  overview: string;
  findings: StrictFinding[];
  /** empty without findings */
  recommendation: string;
  /** empty unless a finding's share is above 100 % */
  note: string;
  weaknesses: Weakness[];
  /** what each counter's mu counts in */
  units: string[];
  /** `summary`, `cycles` and `triplets`; empty when `absent` is not */
  tables: Record<string, Table>;
  /** why there is no report; else empty */
  absent: string;
  /** names the files as they were compared */
  tag?: string;
}

/** A pair of processes that a strict report can compare. */
export interface ProcessPair {
  /** pid; of traces the rank or a number of the worker */
  normal: number;
  abnormal: number;
  label: string;
  /** the same process on both sides */
  strict: boolean;
}

/** One of at most three key findings. */
export interface StrictFinding {
  function: string;
  device: string;
  sentence: string;
  counters: string[];
}

/** A weakness of the method that applies to this report. */
export interface Weakness {
  /** in docs/method/strict.md, Weaknesses */
  number: number;
  sentence: string;
}

/** Answer of api/step_event. */
export interface EventAnswer {
  schema: 'tb_perfcompare.step_event/1';
  version: string;
  event: EventFacts;
  counterpart: EventFacts | null;
  /** the counterpart was found by its place and has another name */
  renamed: boolean;
}

/** One event with all its figures, enclosing events and links. */
export interface EventFacts {
  event: number;
  name: string;
  kind: string;
  lane: string;
  lane_kind: string;
  row: number;
  start_ns: number;
  dur_ns: number;
  self_ns: number | null;
  device_ns: number | null;
  launches: number | null;
  queue_ns: number | null;
  idle_ns: number | null;
  same_count: number;
  same_ns: number;
  enclosing: string[];
  linked: Link[];
  args: Record<string, unknown>;
}

/** An event linked to another, such as a launch and its kernel. */
export interface Link {
  event: number;
  role: string;
  row: number;
  start_ns: number;
  dur_ns: number;
  name: string;
}

/** Answer of api/verdicts. */
export interface VerdictsAnswer {
  schema: 'tb_perfcompare.verdicts/1';
  version: string;
  alpha: number;
  /** comparisons with a p */
  looks: number;
  rows: VerdictRow[];
}

/** One candidate with its adjusted p. */
export interface VerdictRow {
  candidate: Selected;
  error: ServerError | null;
  look: Look | null;
  adjusted: Adjusted | null;
}

/** A candidate as it was requested. */
export interface Selected {
  run: string;
  worker: string | null;
  span: string | null;
  steps: string | null;
}

/** Why there is no result. */
export interface ServerError {
  code: string;
  message: string;
  hint: string;
}

/** A comparison in brief. */
export interface Look {
  baseline: SideBrief;
  candidate: SideBrief;
  headline: Headline;
  /** those that warn or failed */
  checks: Check[];
  cause: Finding | null;
  causes: number;
  parts: RowTimes[];
  /** whose rows `rows` are, empty for none */
  table: string;
  /** the largest of `table` */
  rows: RowTimes[];
  /** about either side's recordings */
  notes: Note[];
}

/** One side in brief. */
export interface SideBrief {
  run: string;
  format: string;
  device: Device;
  steps: BriefSteps;
  captures: number;
}

/** Step counts of a side: recorded, compared, and left out by reason. */
export interface BriefSteps {
  count: number;
  admitted: number;
  dropped: Skipped[];
}

/** Number of steps left out for one reason. */
export interface Skipped {
  reason: string;
  steps: number;
}

/** Time per step of a part of the step, or of a row of a table by its key; None on a side that does not have it. */
export interface RowTimes {
  name: string;
  baseline_us: number | null;
  candidate_us: number | null;
}

/** p after Holm over all looks; whether a verdict of a difference still holds with it, None for other verdicts. */
export interface Adjusted {
  p: number;
  stands: boolean | null;
}

/** Answer of api/history. */
export interface HistoryAnswer {
  schema: 'tb_perfcompare.history/1';
  version: string;
  series: Series[];
  history: History | null;
  series_left_out?: number;
}

/** A series and its number of points. */
export interface Series {
  series: string;
  points: number;
}

/** The history of a series. */
export interface History {
  segments: Segment[];
  changes: Change[];
  notes: string[];
  problems: Problem[];
  series: string;
  points: Point[];
  problems_left_out?: number;
  offset?: number;
  total_points?: number;
  /** names the listing that this page is of */
  listing?: string;
  /** the first point of the next page, where there is one */
  next_offset?: number;
}

/** Points of one level: `first` to `last`, both included. */
export interface Segment {
  first: number;
  last: number;
  typical_us: number;
}

/** A change of level at a point: `shift` is a fraction of the level before, `p` that of the permutation test. */
export interface Change {
  point: number;
  shift: number;
  p: number;
  verdict: 'slower' | 'faster';
}

/** A file or folder that could not be read, and why. */
export interface Problem {
  path: string;
  message: string;
}

/** One recorded run of a series. */
export interface Point {
  /** what the pair's routes take; null where its summary cannot be read */
  run: string | null;
  label: string;
  at: string;
  recorded_run: string;
  device: string;
  metric: string;
  version: string;
  steps: RecordedSteps;
  mean_step_us: number | null;
  median_step_us: number | null;
  /** middle half of the steps; null: recorded without */
  quartiles_us: [number, number] | null;
  segment: number | null;
  difference: number | null;
  verdict: 'slower' | 'faster' | 'same' | 'cannot_tell' | null;
  outlier: boolean;
}

/** Step counts of a point: recorded, and admitted to the comparison. */
export interface RecordedSteps {
  count: number;
  admitted: number;
}
