// Written by build_support/wire_types.py from the types that the server sends: do not edit.

/** Document of `tb-perfcompare diff --format json`, and of api/comparison, where tables are cut to their first rows. Times are in microseconds unless the key names another unit; null means "not measured". Keys may be added, but no key changes its meaning under this schema number. */
export interface Comparison {
  /** name and number of this schema */
  schema: 'tb_perfcompare.comparison/1';
  /** tb_perfcompare version */
  version: string;
  /** the baseline run */
  baseline: SideFacts;
  /** the candidate run */
  candidate: SideFacts;
  /** end of a step: its last device work, or its marker */
  window: 'device' | 'marker';
  /** verdict on the step time, with its figures */
  headline: Headline;
  /** exact split of the step time by category and entity */
  ledger: Ledger;
  /** causes of the change, most important first */
  findings: Finding[];
  /** change that no finding explains, with the opposite sign of the change if findings explain more; null if less than a tenth of the change, or if times of findings are not parts of it */
  unexplained_us: number | null;
  /** checks that both sides measured the same */
  comparability: Check[];
  /** table name -> table */
  tables: Record<string, Table>;
  /** limitations: repaired files, dropped events, few steps, ... */
  notes: Note[];
  /** peak rates of both devices, for rooflines */
  peaks: Peaks;
  /** identifier of the compared files' state; pass it to api/table */
  tag?: string;
  /** number of notes missing from `notes` in a truncated response */
  notes_left_out?: number;
  /** only from api/comparison: failed checks, warnings and notes, grouped */
  caveats?: Caveat[];
}

/** Description of one side. */
export interface SideFacts {
  /** path or address of the run as given */
  source: string;
  /** run name */
  run: string;
  /** worker name, or several separated by commas */
  worker: string;
  /** span name, or several separated by commas */
  span: string;
  /** format of the files, such as `torch_profiler_trace` */
  format: string;
  /** device the side ran on */
  device: Device;
  /** steps recorded, compared and dropped */
  steps: Steps;
  /** input files */
  files: FileFacts[];
  /** number of captures: recordings of this side at different times */
  captures: number;
  /** number of files missing from `files` in a truncated response */
  files_left_out?: number;
}

/** The device that a side ran on. */
export interface Device {
  /** type of device: cuda, rocm, mlu, mtia, xpu, npu, hpu, aiu, musa, maca, gcu or cpu */
  kind: string;
  /** readable term for the type of device */
  word: string;
  /** device name; null if the trace lacks it */
  name: string | null;
  /** number of devices */
  count: number;
}

/** Steps of a side. */
export interface Steps {
  /** number of steps recorded */
  count: number;
  /** number of steps compared */
  admitted: number;
  /** steps that were recorded but not compared */
  dropped: DroppedStep[];
  /** marker that delimits the steps; null for formats without markers */
  by: StepsBy | null;
  /** steps missing from `dropped` in a truncated response */
  dropped_left_out?: LeftOutSteps;
}

/** A step that is not compared. */
export interface DroppedStep {
  /** label of the step */
  step: string;
  /** why it is not compared */
  reason: string;
  /** index in `files` of the file that recorded it */
  capture: number;
  /** length in microseconds */
  total_us: number;
}

/** The marker that delimits the steps, and the other candidates. */
export interface StepsBy {
  /** value of --step-marker that selects it */
  step_marker: string;
  /** how the marker was found */
  origin: 'profiler' | 'annotation' | 'optimizer' | 'graph' | 'detected' | 'whole';
  /** name of the marker */
  name: string;
  /** number of iterations it marks */
  count: number;
  /** fraction of the recording that the iterations cover */
  coverage: number | null;
  /** mean time of an iteration */
  mean_us: number | null;
  /** similarity of successive iterations, 0 to 1; null: identified by name */
  alike: number | null;
  /** all markers found, the chosen one included */
  candidates: StepMarker[];
}

/** Marker that may delimit the steps of a trace. */
export interface StepMarker {
  /** value of --step-marker that selects it */
  step_marker: string;
  /** how the marker was found */
  origin: 'profiler' | 'annotation' | 'optimizer' | 'graph' | 'detected' | 'whole';
  /** name of the marker */
  name: string;
  /** number of iterations it marks */
  count: number;
  /** fraction of the recording that the iterations cover */
  coverage: number | null;
  /** mean time of an iteration */
  mean_us: number | null;
  /** similarity of successive iterations, 0 to 1; null: identified by name */
  alike: number | null;
}

/** Steps that are neither compared nor listed. */
export interface LeftOutSteps {
  /** number of steps */
  steps: number;
  /** sum of their lengths in microseconds */
  total_us: number;
}

/** An input file. */
export interface FileFacts {
  /** path relative to `source` */
  path: string;
  /** size of the file as stored, in bytes */
  bytes: number;
  /** SHA-256 of the file as stored; null if not computed */
  sha256: string | null;
}

/** The verdict with its figures. */
export interface Headline {
  /** quantity compared: `step_time`, or `kernel_time` or `cycle_time` without steps */
  metric: string;
  /** unit of `baseline`, `candidate` and `delta` */
  unit: string;
  /** mean per step of the baseline, in `unit` */
  baseline: number | null;
  /** mean per step of the candidate, in `unit` */
  candidate: number | null;
  /** candidate - baseline, in `unit` */
  delta: number | null;
  /** candidate / baseline */
  ratio: number | null;
  /** typical change with its confidence interval; null if not estimated */
  shift: Shift | null;
  /** two-sided Mann-Whitney p; null if not tested */
  p: number | null;
  /** sample sizes: baseline, candidate */
  n: [number, number];
  /** the verdict */
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld';
  /** why the verdict was given */
  reason: string;
  /** threshold: the smallest change that matters, as a fraction */
  margin: number;
  /** factor by which autocorrelation of the steps widens the interval */
  inflation: number | null;
  /** what the verdict applies to: these captures, or the configurations */
  scope: string;
  /** tests used, in words */
  method: string;
  /** single steps, captures or ranks without which the verdict changes */
  sensitivity: string;
  /** further evidence; null if nothing was estimated */
  certainty: Certainty | null;
  /** the headline in words */
  sentence: string;
  /** labelled lines below the headline */
  facts: Fact[];
  /** quantity that the verdict is about */
  basis: 'program' | 'machine' | 'amount' | 'recorded';
  /** change of the time for the same work; null: see `unsplit` */
  machine: Part | null;
  /** change of the step time at equal machine speed; null: see `unsplit` */
  program: Part | null;
  /** extra work that decides the verdict; null if times decide it */
  counted: Counted | null;
  /** pace of host and device, where they could be measured */
  paces: PaceFacts[];
  /** reason why machine and program are not separated; empty if they are */
  unsplit: string;
  /** verdict on the step time as recorded, uncorrected for pace */
  recorded: Recorded | null;
  /** changes of the comparison that could settle an open verdict */
  alternatives: Alternative[];
  /** amount of work per step; null: it does not vary, or is not known */
  amount: AmountFacts | null;
  /** profiler options of one side only; null: none */
  recorded_more: RecordedMore | null;
}

/** Hodges-Lehmann shift, as a fraction of the baseline and in microseconds, with its interval. */
export interface Shift {
  /** typical change as a fraction: 0.05 is 5 % slower */
  estimate: number | null;
  /** lower end of the confidence interval, as a fraction */
  low: number | null;
  /** upper end of the confidence interval, as a fraction */
  high: number | null;
  /** typical change in microseconds per step */
  estimate_us: number | null;
  /** lower end of the confidence interval, in microseconds per step */
  low_us: number | null;
  /** upper end of the confidence interval, in microseconds per step */
  high_us: number | null;
  /** actual confidence level; null with too few samples: low, high are the full range */
  level: number | null;
  /** change of the mean step as a fraction, within kinds of steps; null: unknown */
  mean: number | null;
}

/** Further evidence on the headline: effect size, intervals, detectable change; fractions are 0.05 for 5 %, null means "unknown". */
export interface Certainty {
  /** Cliff's delta */
  effect_size: number;
  /** size of `effect_size` in words */
  effect: 'negligible' | 'small' | 'medium' | 'large';
  /** confidence interval of the change of the mean, as fractions */
  mean_low: number | null;
  /** upper end of that interval, as a fraction */
  mean_high: number | null;
  /** whether a few very long steps make the mean disagree with the typical step */
  tail_driven: boolean;
  /** correlation of neighbouring steps, -1 to 1 */
  autocorrelation: number;
  /** smallest change detected with about 80 % power, as a fraction */
  detectable: number | null;
  /** steps per side needed to detect a change as large as the margin */
  steps_needed: number | null;
  /** number of captures: baseline, candidate */
  captures: [number, number];
  /** largest change between two captures of a side; null: no side has two */
  noise_floor: number | null;
  /** captures per side needed to settle an open verdict; null if unknown */
  captures_needed: number | null;
}

/** A labelled line below the headline. */
export interface Fact {
  /** name of the figure */
  label: string;
  /** the figure in words, with unit */
  text: string;
}

/** The machine's or the program's part of the change. */
export interface Part {
  /** change as a fraction: 0.05 is 5 % longer */
  estimate: number | null;
  /** lower end of the confidence interval, as a fraction */
  low: number | null;
  /** upper end of the confidence interval, as a fraction */
  high: number | null;
  /** null if nothing was tested */
  p: number | null;
  /** verdict on this part alone */
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld';
  /** number of rows with the same work on both sides */
  rows: number;
  /** number of rows used: those that changed with the others */
  kept: number;
  /** fraction of the time that the rows cover */
  coverage: number | null;
  /** spread of the change between rows, as a fraction */
  tau: number | null;
  /** captures per side needed to settle an open verdict; null if unknown */
  captures_needed: number | null;
  /** program: change of the mean step at equal machine speed, as a fraction */
  mean: number | null;
  /** program: fraction of it in operators that changed on the same inputs */
  same_work: number | null;
}

/** Work that one side does beyond the other's; it decides the direction if times leave it open. */
export interface Counted {
  /** what is counted */
  noun: 'operator calls' | 'kernel launches' | 'input elements';
  /** calls per step of the candidate minus the baseline's; null for input elements */
  calls: number | null;
  /** implied change of the step time, or change of the inputs' size; a fraction */
  change: number | null;
  /** inputs are larger on the side with more work, too; a change by calls leaves that out */
  larger: boolean;
}

/** Pace of the host or of the device: how much longer the rows with the same work take in the candidate (0.05 = 5 %). */
export interface PaceFacts {
  /** processor that the pace is of */
  of: 'host' | 'device';
  /** number of rows with the same work on both sides */
  rows: number;
  /** number of rows used: those that changed with the others */
  kept: number;
  /** fraction of the time that the rows cover */
  coverage: number | null;
  /** spread of the change between rows, as a fraction */
  tau: number | null;
  /** fraction of the step that runs at this pace */
  share: number | null;
  /** change of the summed time of all rows, as a fraction */
  estimate: number | null;
  /** change of the typical row, as a fraction */
  typical: number | null;
  /** reason why the pace is not used; empty if it is */
  unusable: string;
}

/** Verdict and shift of the step time as recorded, not corrected for pace. */
export interface Recorded {
  /** verdict on the step time as recorded */
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld';
  /** typical change as a fraction */
  estimate: number | null;
  /** lower end of the confidence interval, as a fraction */
  low: number | null;
  /** upper end of the confidence interval, as a fraction */
  high: number | null;
  /** two-sided Mann-Whitney p; null if not tested */
  p: number | null;
  /** least change that all captures show, if only a bound is known */
  at_least: number | null;
}

/** A change of the comparison that could settle an open verdict, and the verdict that it gives. */
export interface Alternative {
  /** kind of change */
  rule: 'captures_apart' | 'without_outliers' | 'after_warm_up' | 'other_window' | 'record_more';
  /** what to change, in words */
  what: string;
  /** command line arguments that apply it; empty if both sides change */
  arguments: string;
  /** side whose fastest and slowest capture are compared with each other */
  side: 'baseline' | 'candidate' | null;
  /** workers of these captures; null: all */
  workers: [string, string] | null;
  /** spans of these captures */
  spans: [string, string] | null;
  /** baseline steps to compare; null: unchanged */
  baseline_steps: string | null;
  /** candidate steps to compare; null: unchanged */
  candidate_steps: string | null;
  /** `--step-window` to use; null: unchanged */
  step_window: 'device' | 'marker' | null;
  /** amount to record on each side: baseline, candidate */
  more: [number, number] | null;
  /** unit of `more` */
  unit: 'captures' | 'steps' | '';
  /** verdict after the change; null if more has to be recorded */
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld' | null;
  /** headline after the change, in words */
  sentence: string;
  /** candidate - baseline after the change, in microseconds per step */
  delta: number | null;
  /** candidate / baseline after the change */
  ratio: number | null;
  /** sample sizes after the change: baseline, candidate */
  n: [number, number] | null;
}

/** The amount of work of a step, where it varies from step to step, by calls or input elements of one operator. */
export interface AmountFacts {
  /** operator whose calls or elements show the amount */
  operator: string;
  /** what is counted */
  of: 'calls' | 'input elements';
  /** mean per step of the baseline */
  baseline: number;
  /** mean per step of the candidate */
  candidate: number;
  /** change of the mean as a fraction: 0.05 is 5 % more work */
  estimate: number | null;
  /** lower end of the confidence interval, as a fraction */
  low: number | null;
  /** upper end of the confidence interval, as a fraction */
  high: number | null;
  /** two-sided, of no change */
  p: number;
  /** whether the amounts clearly differ */
  differs: boolean;
  /** change of the mean step that the amount alone makes, as a fraction */
  in_time: number | null;
  /** fraction of the variation between a capture's steps that the amount explains */
  explained: number;
}

/** Profiler options that only one side recorded. */
export interface RecordedMore {
  /** side that recorded them */
  side: 'baseline' | 'candidate';
  /** the options */
  options: string[];
  /** microseconds per step that they can add to that side at most */
  cost_us: number;
  /** the same as a fraction of the step without them */
  cost: number;
}

/** Every integer is nanoseconds per step times `denominator`. */
export interface Ledger {
  /** unit of all times, before division by `denominator` */
  unit: 'ns';
  /** divide times by it for nanoseconds per step */
  denominator: number;
  /** step time of the baseline */
  baseline: number;
  /** step time of the candidate */
  candidate: number;
  /** candidate - baseline */
  delta: number;
  /** per side, exposed time of device work that an earlier step launched */
  backlog: [number, number];
  /** per side, categories that it could not record: absent, not zero */
  not_recorded: [string[], string[]];
  /** categories (depth 1), their entities (depth 2) and parts of those (depth 3) */
  rows: LedgerRow[];
  /** number of rows pooled into other rows in a truncated response */
  rows_left_out?: number;
  /** number of entries of the full ledger, in a truncated response */
  entries?: number;
}

/** Time per step of a category, an entity or a part, in integer nanoseconds x denominator. */
export interface LedgerRow {
  /** category; category and entity; or category, entity and part */
  path: string[];
  /** one of the raw names with this key */
  name: string;
  /** exposed time of the baseline, 1/`denominator` ns per step */
  baseline: number;
  /** exposed time of the candidate, 1/`denominator` ns per step */
  candidate: number;
  /** candidate - baseline */
  delta: number;
  /** calls per step: baseline, candidate; null if not counted */
  calls: [number | null, number | null];
  /** part of `delta` from more or fewer calls */
  count_effect: number;
  /** mix_effect + same_shape_effect */
  rate_effect: number;
  /** whether both sides have it */
  status: 'both' | 'added' | 'removed';
  /** part of `delta` from another mix of parts (shapes) */
  mix_effect: number;
  /** part of `delta` from another time per call of the same parts */
  same_shape_effect: number;
}

/** A cause in a sentence. */
export interface Finding {
  /** rule that found the cause (docs/method/findings.md) */
  rule: string;
  /** operator, kernel or other entity concerned */
  subject: string;
  /** category of the ledger */
  category: string;
  /** change of time per step; null if the finding is not a time, such as a clock */
  delta_us: number | null;
  /** fraction of the headline's delta; null: no delta, above 10, or times overlap */
  share: number | null;
  /** what changed, by how much, and why */
  sentence: string;
  /** figures that support it */
  evidence: Evidence[];
  /** how certain it is, in words */
  confidence: string;
  /** what to look at next; empty if nothing in particular */
  look_at: string;
}

/** Source of a finding's figure: a table and its row key, or a plain value. */
export interface Evidence {
  /** table with the figure; empty for a plain value */
  table: string;
  /** key of the row in that table */
  row: string;
  /** the figure in words; empty: see the row */
  value: string;
}

/** A comparability check. */
export interface Check {
  /** code of the check */
  check: string;
  /** result of the check */
  status: 'ok' | 'warn' | 'fail';
  /** what was found, in words */
  detail: string;
  /** conclusions that a failure or warning weakens */
  invalidates: string[];
}

/** A table. */
export interface Table {
  /** whether rows have a time for each step */
  per_step: boolean;
  /** whether traces record the callers of rows, or related rows of other tables */
  callers: boolean;
  /** whether rows can be summed: they neither overlap nor are means */
  adds_up: boolean;
  /** ledger categories in which a row's name is an entry */
  categories: string[];
  /** heading */
  title: string;
  /** columns, in the order of the cells */
  columns: Column[];
  /** rows; in a truncated response only the first of `total_rows` */
  rows: ((string | number | boolean | null)[])[];
  /** notes on the whole table */
  notes: string[];
  /** number of rows of the full table */
  total_rows?: number;
  /** sums of the rows missing from a truncated response */
  left_out?: RowSums;
}

/** Description of a column. */
export interface Column {
  /** key of the column */
  name: string;
  /** heading */
  label: string;
  /** unit of the cells; empty if they have none */
  unit: string;
  /** direction of an improvement */
  better: 'lower' | 'higher' | 'none';
  /** definition of the figure */
  description: string;
  /** what the cells are */
  role: 'key' | 'text' | 'baseline' | 'candidate' | 'delta' | 'percent' | 'status' | 'amount' | 'plain';
  /** type of the cells */
  kind: 'text' | 'time_us' | 'count' | 'fraction' | 'number' | 'bool';
  /** whether the column is shown by default */
  shown: boolean;
  /** quantity, "" for the main measure */
  measure: string;
  /** side of the figure; empty for both or neither */
  side: 'baseline' | 'candidate' | '';
  /** figure of the measure: value, delta, shift, change, p, q, ... */
  statistic: string;
}

/** Sums over a group of rows. */
export interface RowSums {
  /** number of rows */
  rows: number;
  /** column name -> sum; null if nothing was measured */
  sums: Record<string, number | null>;
}

/** A limitation of a result. */
export interface Note {
  /** kind of limitation */
  code: string;
  /** the limitation in words */
  message: string;
  /** file, table or step concerned; empty for all */
  where: string;
}

/** Peak rates of both sides' devices; null if the device is unknown. */
export interface Peaks {
  /** peaks of the baseline's device; null if unknown */
  baseline: DevicePeaks | null;
  /** peaks of the candidate's device; null if unknown */
  candidate: DevicePeaks | null;
}

/** Peak rates of a device, dense. */
export interface DevicePeaks {
  /** device name in the table of peaks */
  device: string;
  /** peak TFLOP/s by data type */
  tflops: Record<string, number>;
  /** peak memory bandwidth in GB/s; 0 if unknown */
  memory_gbs: number;
  /** URL of the data sheet */
  source: string;
}

/** A failed check, a check that warns, or a group of notes with the same wording. */
export interface Caveat {
  /** result of the check, or `note` */
  status: 'fail' | 'warn' | 'note';
  /** code of the check or of the notes */
  code: string;
  /** readable form of `code` */
  name: string;
  /** text; figures that differ among the grouped notes are given as a range */
  message: string;
  /** conclusions that become less certain, in words; empty for notes */
  weakens: string;
  /** file, side or number of files concerned; empty for checks */
  where: string;
  /** indices of the grouped notes in the comparison's `notes`; empty for checks */
  notes: number[];
}

/** A page of a table's filtered and sorted rows. */
export interface TablePage {
  /** name and number of this schema */
  schema: 'tb_perfcompare.table/1';
  /** tb_perfcompare version */
  version: string;
  /** name of the table that the rows are from */
  table: string;
  /** column names, in the order of a row's cells */
  columns: string[];
  /** number of rows of the table */
  total_rows: number;
  /** number of rows that pass all filters */
  matching_rows: number;
  /** sums of additive columns over the matching rows */
  sums: Record<string, number | null>;
  /** rows that only `min_delta_us` excludes */
  hidden: RowSums;
  /** sums of additive columns over all rows */
  all_sums: Record<string, number | null>;
  /** status -> number of rows that pass all filters except `status`, `change` and `min_delta_us` */
  statuses: Record<string, number>;
  /** index of the page's first row among the matching rows */
  offset: number;
  /** position of the requested row among the matching rows; null if not there */
  place: number | null;
  /** number of notes about input that could not be read for these rows */
  lost: number;
  /** cells in the order of `columns`; null: absent or not measured */
  rows: ((string | number | boolean | null)[])[];
  /** offset of the next page; null on the last page */
  next_offset: number | null;
}

/** Answer of api/row. */
export interface RowSteps {
  /** name and number of this schema */
  schema: 'tb_perfcompare.row/1';
  /** tb_perfcompare version */
  version: string;
  /** name of the table that the row is from */
  table: string;
  /** its key: key columns joined by ` › ` */
  row: string;
  /** what a step's time is: `step_time`, `kernel_time` or `cycle_time` */
  metric: string;
  /** microseconds, for all times */
  unit: 'us';
  /** kinds of time that both sides have per step, the main one first */
  measures: Measure[];
  /** the row in each step of the baseline */
  baseline: StepTimes;
  /** the row in each step of the candidate */
  candidate: StepTimes;
}

/** A kind of time by which rows are compared. */
export interface Measure {
  /** part of its column names: `host_total` in `baseline_host_total_us`; "" for the main one */
  name: string;
  /** heading of the time */
  label: string;
}

/** Times of one row in each step of a side. */
export interface StepTimes {
  /** number of each step, as recorded */
  steps: string[];
  /** for each step, index of the span that recorded it, from 0 */
  captures: number[];
  /** times by measure, one per step; null if the side lacks the row */
  time_us: Record<string, number[]> | null;
}

/** Answer of api/row_paths. A pair is baseline and candidate; null: a side has no such row, path or frame. */
export interface RowPaths {
  /** name and number of this schema */
  schema: 'tb_perfcompare.row_paths/1';
  /** tb_perfcompare version */
  version: string;
  /** name of the table that the row is from */
  table: string;
  /** its key: key columns joined by ` › ` */
  row: string;
  /** divide calls and nanoseconds by it for figures per step */
  denominator: number;
  /** kinds of time that `times` has, the main one first */
  measures: Measure[];
  /** the whole row */
  total: Figures;
  /** kind, name, and the table that has a row of this name, or "" */
  frames: [string, string, string][];
  /** the row split by its callers, once per kind of path; empty if the table has no call paths */
  ways: PathSplit[];
  /** rows of other tables that share work with this one, by relation */
  related: Related[];
  /** largest frame of this name in the call tree; null if there is none */
  call_tree: FrameLink | null;
  /** what the row's frames call, by exposed time; null if nothing runs inside them */
  callees: Callees | null;
  /** histogram of the single launches; null if there are none */
  durations: LaunchDurations | null;
}

/** Calls and times (measure -> nanoseconds), all per step and multiplied by RowPaths.denominator. */
export interface Figures {
  /** calls per step x `denominator`: baseline, candidate */
  calls: [number | null, number | null];
  /** measure -> nanoseconds per step x `denominator`: baseline, candidate */
  times: Record<string, [number | null, number | null]>;
}

/** The row split by one kind of path. */
export interface PathSplit {
  /** kind of path: `operators` (modules and operators) or `python` (Python functions and operators) */
  way: string;
  /** why a side has no paths of this kind */
  absent: Absent;
  /** at most 40 paths, the largest change first; with `rest` they sum to `RowPaths.total` */
  paths: CallPath[];
  /** sum of the paths that are not listed */
  rest: Rest;
}

/** Why a side has no paths. */
export interface Absent {
  /** what the baseline's recording lacks; null if it has paths */
  baseline: string | null;
  /** the same for the candidate */
  candidate: string | null;
}

/** One call path to the row. */
export interface CallPath {
  /** indices into RowPaths.frames, outermost first */
  frames: number[];
  /** calls per step x `denominator`: baseline, candidate */
  calls: [number | null, number | null];
  /** measure -> nanoseconds per step x `denominator`: baseline, candidate */
  times: Record<string, [number | null, number | null]>;
  /** the same for the candidate, if its folders or line numbers differ */
  candidate_frames?: number[];
}

/** The part of the row that is not in the listed paths. */
export interface Rest {
  /** calls per step x `denominator`: baseline, candidate */
  calls: [number | null, number | null];
  /** measure -> nanoseconds per step x `denominator`: baseline, candidate */
  times: Record<string, [number | null, number | null]>;
  /** number of paths in the rest */
  paths: number;
}

/** Rows with one relation to the row. */
export interface Related {
  /** relation: launches, launched_by, contains, shapes, launch_properties, in_modules, kernel, operator or module */
  what: string;
  /** at most 8 rows, the largest change first */
  rows: RelatedRow[];
  /** number of rows that are not listed */
  others: number;
}

/** A row that shares work with another, and the time that they share. */
export interface RelatedRow {
  /** name of the table that has the row */
  table: string;
  /** its key: key columns joined by ` › ` */
  row: string;
  /** text for this list, such as the kernel or the input shapes */
  name: string;
  /** nanoseconds per step x `denominator`: baseline, candidate */
  time: [number | null, number | null];
}

/** Link to the largest frame of a name in the call tree. */
export interface FrameLink {
  /** key of the largest frame in the table `call_tree` */
  row: string;
  /** number of frames of this name */
  frames: number;
}

/** Exposed times of the direct callees of the row's frames: `own`, `rows` and `rest` sum to `whole`. */
export interface Callees {
  /** the row's frames with everything they call; nanoseconds per step x `denominator`: baseline, candidate */
  whole: [number | null, number | null];
  /** time in the frames themselves; nanoseconds per step x `denominator`: baseline, candidate */
  own: [number | null, number | null];
  /** at most 12 callees, the largest change first */
  rows: Callee[];
  /** sum of the callees that are not listed */
  rest: CalleesRest;
}

/** Direct callees of one name, summed. */
export interface Callee {
  /** kind of frame: `module`, `operator`, `host call`, `device work`, `other` or `smaller frames` */
  kind: string;
  /** name that its frames share */
  name: string;
  /** name of the table that has a row of this name; "" if none has */
  table: string;
  /** exposed nanoseconds per step x `denominator`: baseline, candidate */
  time: [number | null, number | null];
}

/** Time and number of the callees that are not listed. */
export interface CalleesRest {
  /** nanoseconds per step x `denominator`: baseline, candidate */
  time: [number | null, number | null];
  /** number of callees that are not listed */
  callees: number;
}

/** Histogram of launch durations over all compared steps. */
export interface LaunchDurations {
  /** start of each bin and end of the last, in nanoseconds */
  start_ns: number[];
  /** number of launches in each bin; null if the baseline lacks the row */
  baseline: number[] | null;
  /** the same for the candidate */
  candidate: number[] | null;
}

/** Answer of api/rows. */
export interface RowLines {
  /** name and number of this schema */
  schema: 'tb_perfcompare.rows/1';
  /** tb_perfcompare version */
  version: string;
  /** name of the table that the rows are from */
  table: string;
  /** what a step's time is: `step_time`, `kernel_time` or `cycle_time` */
  metric: string;
  /** microseconds, for all times */
  unit: 'us';
  /** kind of time that is drawn */
  measure: Measure;
  /** number of steps behind each line */
  steps: StepCounts;
  /** positions of the returned rows; fewer than requested if the response is full */
  places: number[];
  /** lines, in the order of `places` */
  rows: StepLine[];
  /** number of notes about input that could not be read, as in TablePage */
  lost: number;
}

/** Number of steps of each side. */
export interface StepCounts {
  /** number of compared steps of the baseline */
  baseline: number;
  /** number of compared steps of the candidate */
  candidate: number;
}

/** The steps of one row on both sides. */
export interface StepLine {
  /** null if the baseline lacks the row */
  baseline: SideLine | null;
  /** null if the candidate lacks the row */
  candidate: SideLine | null;
}

/** The steps of one row on one side, in order: the time of each, or the minimum and maximum of groups of steps. */
export interface SideLine {
  /** median of all steps */
  median_us: number;
  /** time of each step; minimum of each group if `high_us` is present */
  low_us: number[];
  /** maximum of each group of steps; absent if steps are not grouped */
  high_us?: number[];
}

/** Answer of api/strict. docs/method/strict.md defines the figures; null is "undefined" or "not measured". Keys may be added; none changes its meaning under this schema number. */
export interface StrictAnswer {
  /** name and number of this schema */
  schema: 'tb_perfcompare.strict/1';
  /** tb_perfcompare version */
  version: string;
  /** heading of the report */
  title: string;
  /** names of the normal and the abnormal side in tables and texts */
  labels: [string, string];
  /** all pairs of processes that can be compared */
  processes: ProcessPair[];
  /** index of the compared pair in `processes` */
  chosen: number;
  /** opening sentences of the report */
  overview: string;
  /** key findings, at most three */
  findings: StrictFinding[];
  /** recommendation; empty without findings */
  recommendation: string;
  /** note on shares above 100 %; empty if no finding has one */
  note: string;
  /** weaknesses of the method that apply to this report */
  weaknesses: Weakness[];
  /** unit of each counter's mean (mu) */
  units: string[];
  /** `summary`, `cycles` and `triplets`; empty if there is no report */
  tables: Record<string, Table>;
  /** reason why there is no report; empty if there is one */
  absent: string;
  /** identifier of the compared files' state; pass it to api/table */
  tag?: string;
}

/** A pair of processes that a strict report can compare. */
export interface ProcessPair {
  /** pid; for traces the rank, or a number given to the worker */
  normal: number;
  /** pid, rank or number of the abnormal side */
  abnormal: number;
  /** both processes in words */
  label: string;
  /** whether it is the same process on both sides */
  strict: boolean;
}

/** One of at most three key findings. */
export interface StrictFinding {
  /** function name */
  function: string;
  /** device of the function; N/A if it has none */
  device: string;
  /** the finding in words */
  sentence: string;
  /** changes of its counters, in words */
  counters: string[];
}

/** A weakness of the method that applies to this report. */
export interface Weakness {
  /** number in docs/method/strict.md, Weaknesses */
  number: number;
  /** the weakness with the figures of this report */
  sentence: string;
}

/** Answer of api/step_event. */
export interface EventAnswer {
  /** name and number of this schema */
  schema: 'tb_perfcompare.step_event/1';
  /** tb_perfcompare version */
  version: string;
  /** the requested event */
  event: EventFacts;
  /** matched event of the other step; null if there is none */
  counterpart: EventFacts | null;
  /** whether the counterpart has another name and was matched by position */
  renamed: boolean;
}

/** One event with all its figures, enclosing events and links. */
export interface EventFacts {
  /** index of the event in the step */
  event: number;
  /** name as recorded */
  name: string;
  /** type of event, such as `operator` or `kernel` */
  kind: string;
  /** lane that shows it, such as `GPU 0 stream 7` */
  lane: string;
  /** contents of the lane: stream, communication, copies, ranges, waits, host, calls, python, overhead or other */
  lane_kind: string;
  /** row of the picture that shows it, from 0 */
  row: number;
  /** nanoseconds from the start of the step; negative: before it */
  start_ns: number;
  /** duration in nanoseconds */
  dur_ns: number;
  /** duration excluding direct children; null if not applicable */
  self_ns: number | null;
  /** total duration of the device work launched inside; null if not applicable */
  device_ns: number | null;
  /** number of those launches; null if not applicable */
  launches: number | null;
  /** time from the start of the launching API call; null if not applicable */
  queue_ns: number | null;
  /** time since the end of the previous event in the row; null if not applicable */
  idle_ns: number | null;
  /** number of events of this name in the step, including this one */
  same_count: number;
  /** total duration of those events */
  same_ns: number;
  /** names of the enclosing events, outermost first */
  enclosing: string[];
  /** events that called or launched this one, and events launched by it */
  linked: Link[];
  /** argument name -> recorded value */
  args: Record<string, unknown>;
}

/** An event linked to another, such as a launch and its kernel. */
export interface Link {
  /** index of the linked event in the step */
  event: number;
  /** `operator` or `launcher`: called or launched this one; `launched`: launched by it */
  role: string;
  /** row of the picture that shows it, from 0 */
  row: number;
  /** nanoseconds from the start of the step; negative: before it */
  start_ns: number;
  /** duration in nanoseconds */
  dur_ns: number;
  /** name as recorded, shortened if long */
  name: string;
}

/** Answer of api/verdicts. */
export interface VerdictsAnswer {
  /** name and number of this schema */
  schema: 'tb_perfcompare.verdicts/1';
  /** tb_perfcompare version */
  version: string;
  /** significance level, for each comparison and for all together */
  alpha: number;
  /** number of comparisons that have a p */
  compared: number;
  /** candidates, in the order of the request */
  rows: VerdictRow[];
}

/** One candidate with its adjusted p. */
export interface VerdictRow {
  /** run and part of it to compare with the baseline */
  candidate: Selected;
  /** why the candidate was not compared; null if it was */
  error: ServerError | null;
  /** comparison in brief; null if there is an error */
  result: CandidateResult | null;
  /** verdict after adjusting p for all candidates; null: no p, or verdict withheld */
  adjusted: Adjusted | null;
}

/** A candidate as it was requested. */
export interface Selected {
  /** run name, as in api/runs */
  run: string;
  /** one worker of the run; null: all */
  worker: string | null;
  /** one span of the worker; null: all */
  span: string | null;
  /** numbers of the steps to compare, such as `3-10`; null: all */
  steps: string | null;
}

/** Why there is no result. */
export interface ServerError {
  /** type of failure, such as `selection` or `corrupt` */
  code: string;
  /** what is wrong, and where */
  message: string;
  /** remedy, or the values that exist; may be empty */
  hint: string;
}

/** A comparison in brief. */
export interface CandidateResult {
  /** what was compared of the baseline */
  baseline: SideBrief;
  /** what was compared of the candidate */
  candidate: SideBrief;
  /** verdict on the step time, with its figures */
  headline: Headline;
  /** checks that warn or failed */
  checks: Check[];
  /** first finding; null without findings */
  cause: Finding | null;
  /** number of findings */
  causes: number;
  /** step time by category */
  parts: RowTimes[];
  /** name of the table that `rows` is from; empty if there is none */
  table: string;
  /** rows of `table` with the largest baseline time or the largest change */
  rows: RowTimes[];
  /** notes about the recordings of either side */
  notes: Note[];
}

/** One side in brief. */
export interface SideBrief {
  /** run name */
  run: string;
  /** format of the files, such as `torch_profiler_trace` */
  format: string;
  /** device the side ran on */
  device: Device;
  /** steps recorded, compared and dropped */
  steps: BriefSteps;
  /** number of captures: recordings of this side at different times */
  captures: number;
}

/** Step counts of a side: recorded, compared, and left out by reason. */
export interface BriefSteps {
  /** number of steps recorded */
  count: number;
  /** number of steps compared */
  admitted: number;
  /** steps not compared, the most frequent reason first */
  dropped: Skipped[];
}

/** Number of steps left out for one reason. */
export interface Skipped {
  /** why they are not compared */
  reason: string;
  /** number of steps */
  steps: number;
}

/** Time per step of a category or of a table row. */
export interface RowTimes {
  /** category of the step, or key of a table row */
  name: string;
  /** microseconds per step; null if the baseline lacks it */
  baseline_us: number | null;
  /** microseconds per step; null if the candidate lacks it */
  candidate_us: number | null;
}

/** A verdict after adjusting for the number of candidates. */
export interface Adjusted {
  /** p adjusted over all candidates by Holm's method */
  p: number;
  /** whether a claimed difference holds at `alpha` after adjusting; null: none claimed */
  stands: boolean | null;
}

/** Answer of api/history. */
export interface HistoryAnswer {
  /** name and number of this schema */
  schema: 'tb_perfcompare.history/1';
  /** tb_perfcompare version */
  version: string;
  /** all series of the log directories; empty after the first page */
  series: Series[];
  /** levels and points of the requested series; null if none was requested */
  history: History | null;
  /** number of entries missing from `series` */
  series_left_out?: number;
}

/** A series and its number of points. */
export interface Series {
  /** directory below the log directory */
  series: string;
  /** number of recorded runs */
  points: number;
}

/** The history of a series. */
export interface History {
  /** levels, in order of time; empty after the first page */
  segments: Segment[];
  /** starts of new levels; empty after the first page */
  changes: Change[];
  /** limits of this history, in words; empty after the first page */
  notes: string[];
  /** points that cannot be read; empty after the first page */
  problems: Problem[];
  /** directory below the log directory */
  series: string;
  /** recorded runs, in order of time */
  points: Point[];
  /** number of entries missing from `problems` */
  problems_left_out?: number;
  /** index of the page's first point; absent if one page has all points */
  offset?: number;
  /** number of points on all pages; absent if one page has all points */
  total_points?: number;
  /** identifier of the listing that all pages of a history share */
  listing?: string;
  /** index of the next page's first point; absent on the last page */
  next_offset?: number;
}

/** Points of one level, neighbours in time. */
export interface Segment {
  /** index of its first point */
  first: number;
  /** index of its last point */
  last: number;
  /** median of the points' median steps, in microseconds */
  typical_us: number;
}

/** A change of level. */
export interface Change {
  /** index of the first point of the new level */
  point: number;
  /** Hodges-Lehmann shift from the level before, as a fraction */
  shift: number;
  /** p of the permutation test that found it */
  p: number;
  /** direction of `shift` */
  verdict: 'slower' | 'faster';
}

/** A file or folder that could not be read, and why. */
export interface Problem {
  /** what could not be read, below the log directory */
  path: string;
  /** reason */
  message: string;
}

/** One recorded run of a series. */
export interface Point {
  /** run name for api/comparison; null if its summary is unreadable */
  run: string | null;
  /** commit, build, host or other name given when it was recorded */
  label: string;
  /** time of recording, ISO 8601 in UTC */
  at: string;
  /** name of the run that was recorded */
  recorded_run: string;
  /** device name; empty if unknown */
  device: string;
  /** what a step's time is: `step_time`, `kernel_time` or `cycle_time` */
  metric: string;
  /** tb_perfcompare version that recorded it */
  version: string;
  /** steps recorded and compared */
  steps: RecordedSteps;
  /** mean of the steps in microseconds; null without step times */
  mean_step_us: number | null;
  /** median of the steps in microseconds; null without step times */
  median_step_us: number | null;
  /** lower and upper quartile of the steps in microseconds; null if not recorded */
  quartiles_us: [number, number] | null;
  /** index of the point's segment; null without a step time */
  segment: number | null;
  /** difference from the previous level, a fraction; null for the first point */
  difference: number | null;
  /** verdict on `difference` */
  verdict: 'slower' | 'faster' | 'same' | 'cannot_tell' | null;
  /** whether the point is far from its own level */
  outlier: boolean;
}

/** Step counts of a point: recorded, and admitted to the comparison. */
export interface RecordedSteps {
  /** number of steps recorded */
  count: number;
  /** number of steps compared */
  admitted: number;
}
