// Written by build_support/wire_types.py from the types that the server sends: do not edit.

/** Document of `tb-perfcompare diff --format json`, and of api/comparison, where tables are cut to their first rows. Times are in microseconds unless the key names another unit; null means "not measured". Keys may be added, but no key changes its meaning under this schema number. */
export interface Comparison {
  schema: 'tb_perfcompare.comparison/1'; // name and number of this schema
  version: string; // tb_perfcompare version
  baseline: SideFacts; // the baseline run
  candidate: SideFacts; // the candidate run
  window: 'device' | 'marker'; // end of a step: its last device work, or its marker
  headline: Headline; // verdict on the step time, with its figures
  ledger: Ledger; // exact split of the step time by category and entity
  findings: Finding[]; // causes of the change, most important first
  unexplained_us: number | null; // change that no finding explains, with the opposite sign of the change if findings explain more; null if less than a tenth of the change, or if times of findings are not parts of it
  no_finding: string | null; // sentence if there are no findings; null with findings, or if the sides are not comparable
  comparability: Check[]; // checks that both sides measured the same
  tables: Record<string, Table>; // table name -> table
  notes: Note[]; // limitations: repaired files, dropped events, few steps, ...
  peaks: Peaks; // peak rates of both devices, for rooflines
  tag?: string; // identifier of the compared files' state; pass it to api/table
  notes_left_out?: number; // number of notes missing from `notes` in a truncated response
  caveats?: Caveat[]; // only from api/comparison: failed checks, warnings and notes, grouped
}

/** Description of one side. */
export interface SideFacts {
  source: string; // path or address of the run as given
  run: string; // run name
  worker: string; // worker name, or several separated by commas
  span: string; // span name, or several separated by commas
  format: string; // format of the files, such as `torch_profiler_trace`
  device: Device; // device the side ran on
  steps: Steps; // steps recorded, compared and dropped
  files: FileFacts[]; // input files
  captures: number; // number of captures: recordings of this side at different times
  files_left_out?: number; // number of files missing from `files` in a truncated response
}

/** The device that a side ran on. */
export interface Device {
  kind: string; // type of device: mlu, rocm, mtia, xpu, npu, hpu, aiu, musa, maca, gcu, cuda or cpu
  word: string; // readable term for the type of device
  name: string | null; // device name; null if the trace lacks it
  count: number; // number of devices
}

/** Steps of a side. */
export interface Steps {
  count: number; // number of steps recorded
  admitted: number; // number of steps compared
  dropped: DroppedStep[]; // steps that were recorded but not compared
  by: StepsBy | null; // marker that delimits the steps; null for formats without markers
  dropped_left_out?: LeftOutSteps; // steps missing from `dropped` in a truncated response
}

/** A step that is not compared. */
export interface DroppedStep {
  step: string; // label of the step
  reason: string; // why it is not compared
  capture: number; // index in `files` of the file that recorded it
  total_us: number; // length in microseconds
}

/** The marker that delimits the steps, and the other candidates. */
export interface StepsBy {
  step_marker: string; // value of --step-marker that selects it
  origin: 'profiler' | 'annotation' | 'optimizer' | 'graph' | 'detected' | 'whole'; // how the marker was found
  name: string; // name of the marker
  count: number; // number of iterations it marks
  coverage: number | null; // fraction of the recording that the iterations cover
  mean_us: number | null; // mean time of an iteration
  alike: number | null; // similarity of successive iterations, 0 to 1; null: identified by name
  candidates: StepMarker[]; // all markers found, the chosen one included
}

/** Marker that may delimit the steps of a trace. */
export interface StepMarker {
  step_marker: string; // value of --step-marker that selects it
  origin: 'profiler' | 'annotation' | 'optimizer' | 'graph' | 'detected' | 'whole'; // how the marker was found
  name: string; // name of the marker
  count: number; // number of iterations it marks
  coverage: number | null; // fraction of the recording that the iterations cover
  mean_us: number | null; // mean time of an iteration
  alike: number | null; // similarity of successive iterations, 0 to 1; null: identified by name
}

/** Steps that are neither compared nor listed. */
export interface LeftOutSteps {
  steps: number; // number of steps
  total_us: number; // sum of their lengths in microseconds
}

/** An input file. */
export interface FileFacts {
  path: string; // path relative to `source`
  bytes: number; // size of the file as stored, in bytes
  sha256: string | null; // SHA-256 of the file as stored; null if not computed
}

/** The verdict with its figures. */
export interface Headline {
  metric: string; // quantity compared: `step_time`, or `kernel_time` or `cycle_time` without steps
  unit: string; // unit of `baseline`, `candidate` and `delta`
  baseline: number | null; // mean per step of the baseline, in `unit`
  candidate: number | null; // mean per step of the candidate, in `unit`
  delta: number | null; // candidate - baseline, in `unit`
  ratio: number | null; // candidate / baseline
  shift: Shift | null; // typical change with its confidence interval; null if not estimated
  p: number | null; // two-sided Mann-Whitney p; null if not tested
  n: [number, number]; // sample sizes: baseline, candidate
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld'; // the verdict
  reason: string; // why the verdict was given
  margin: number; // threshold: the smallest change that matters, as a fraction
  inflation: number | null; // factor by which autocorrelation of the steps widens the interval
  scope: string; // what the verdict applies to: these captures, or the configurations
  method: string; // tests used, in words
  sensitivity: string; // single steps, captures or ranks without which the verdict changes
  certainty: Certainty | null; // further evidence; null if nothing was estimated
  sentence: string; // the headline in words
  facts: Fact[]; // labeled lines below the headline
  basis: 'program' | 'machine' | 'amount' | 'recorded'; // quantity that the verdict is about
  machine: Part | null; // change of the time for the same work; null: see `unsplit`
  program: Part | null; // change of the step time at equal machine speed; null: see `unsplit`
  counted: Counted | null; // extra work that decides the verdict; null if times decide it
  long_steps: LongSteps | null; // set if one side has more of them, and no part decides
  paces: PaceFacts[]; // pace of host and device, where they could be measured
  unsplit: string; // reason why machine and program are not separated; empty if they are
  recorded: Recorded | null; // verdict on the step time as recorded, uncorrected for pace
  alternatives: Alternative[]; // changes of the comparison that could settle an open verdict
  amount: AmountFacts | null; // amount of work per step; null: it does not vary, or is not known
  recorded_more: RecordedMore | null; // profiler options of one side only; null: none
}

/** Hodges-Lehmann shift, as a fraction of the baseline and in microseconds, with its interval. */
export interface Shift {
  estimate: number | null; // typical change as a fraction: 0.05 is 5 % slower
  low: number | null; // lower end of the confidence interval, as a fraction
  high: number | null; // upper end of the confidence interval, as a fraction
  estimate_us: number | null; // typical change in microseconds per step
  low_us: number | null; // lower end of the confidence interval, in microseconds per step
  high_us: number | null; // upper end of the confidence interval, in microseconds per step
  level: number | null; // actual confidence level; null with too few samples: low, high are the full range
  mean: number | null; // change of the mean step as a fraction, within kinds of steps; null: unknown
}

/** Further evidence on the headline: effect size, intervals, detectable change; fractions are 0.05 for 5 %, null means "unknown". */
export interface Certainty {
  effect_size: number; // Cliff's delta
  effect: 'negligible' | 'small' | 'medium' | 'large'; // size of `effect_size` in words
  mean_low: number | null; // confidence interval of the change of the mean, as fractions
  mean_high: number | null; // upper end of that interval, as a fraction
  tail_driven: boolean; // whether a few very long steps make the mean disagree with the typical step
  autocorrelation: number; // correlation of neighboring steps, -1 to 1
  detectable: number | null; // smallest change detected with about 80 % power, as a fraction
  steps_needed: number | null; // steps per side needed to detect a change as large as the margin
  captures: [number, number]; // number of captures: baseline, candidate
  noise_floor: number | null; // largest change between two captures of a side; null: no side has two
  captures_needed: number | null; // captures per side needed to settle an open verdict; null if unknown
}

/** A labeled line below the headline. */
export interface Fact {
  label: string; // name of the figure
  text: string; // the figure in words, with unit
}

/** The machine's or the program's part of the change. */
export interface Part {
  estimate: number | null; // change as a fraction: 0.05 is 5 % longer
  low: number | null; // lower end of the confidence interval, as a fraction
  high: number | null; // upper end of the confidence interval, as a fraction
  p: number | null; // null if nothing was tested
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld'; // verdict on this part alone
  rows: number; // number of rows with the same work on both sides
  kept: number; // number of rows used: those that changed with the others
  coverage: number | null; // fraction of the time that the rows cover
  tau: number | null; // spread of the change between rows, as a fraction
  captures_needed: number | null; // captures per side needed to settle an open verdict; null if unknown
  mean: number | null; // program: change of the mean step at equal machine speed, as a fraction
  same_work: number | null; // program: fraction of it in operators that changed on the same inputs
}

/** Work that one side does beyond the other's; it decides the direction if times leave it open. */
export interface Counted {
  noun: 'operator calls' | 'kernel launches' | 'input elements'; // what is counted
  calls: number | null; // calls per step of the candidate minus the baseline's; null for input elements
  change: number | null; // implied change of the step time, or change of the inputs' size; a fraction
  larger: boolean; // inputs are larger on the side with more work, too; a change by calls leaves that out
}

/** One side has more long steps: steps far longer than its others. */
export interface LongSteps {
  baseline: number; // long steps of the baseline
  candidate: number; // long steps of the candidate
  longer_us: number; // microseconds by which they are longer than the others of the side with more
  of_same_work: number | null; // fraction of that in work that the others do as well: the machine may stall
}

/** Pace of the host or of the device: how much longer the rows with the same work take in the candidate (0.05 = 5 %). */
export interface PaceFacts {
  of: 'host' | 'device'; // processor that the pace is of
  rows: number; // number of rows with the same work on both sides
  kept: number; // number of rows used: those that changed with the others
  coverage: number | null; // fraction of the time that the rows cover
  tau: number | null; // spread of the change between rows, as a fraction
  share: number | null; // fraction of the step that runs at this pace
  estimate: number | null; // change of the summed time of all rows, as a fraction
  typical: number | null; // change of the typical row, as a fraction
  unusable: string; // reason why the pace is not used; empty if it is
}

/** Verdict and shift of the step time as recorded, not corrected for pace. */
export interface Recorded {
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld'; // verdict on the step time as recorded
  estimate: number | null; // typical change as a fraction
  low: number | null; // lower end of the confidence interval, as a fraction
  high: number | null; // upper end of the confidence interval, as a fraction
  p: number | null; // two-sided Mann-Whitney p; null if not tested
  at_least: number | null; // least change that all captures show, if only a bound is known
}

/** A change of the comparison that could settle an open verdict, and the verdict that it gives. */
export interface Alternative {
  rule: 'captures_apart' | 'without_outliers' | 'after_warm_up' | 'other_window' | 'record_more'; // kind of change
  what: string; // what to change, in words
  arguments: string; // command line arguments that apply it; empty if both sides change
  side: 'baseline' | 'candidate' | null; // side whose fastest and slowest capture are compared with each other
  workers: [string, string] | null; // workers of these captures; null: all
  spans: [string, string] | null; // spans of these captures
  baseline_steps: string | null; // baseline steps to compare; null: unchanged
  candidate_steps: string | null; // candidate steps to compare; null: unchanged
  step_window: 'device' | 'marker' | null; // `--step-window` to use; null: unchanged
  more: [number, number] | null; // amount to record on each side: baseline, candidate
  unit: 'captures' | 'steps' | ''; // unit of `more`
  verdict: 'slower' | 'faster' | 'same' | 'probably_slower' | 'probably_faster' | 'inconclusive' | 'withheld' | null; // verdict after the change; null if more has to be recorded
  sentence: string; // headline after the change, in words
  delta: number | null; // candidate - baseline after the change, in microseconds per step
  ratio: number | null; // candidate / baseline after the change
  n: [number, number] | null; // sample sizes after the change: baseline, candidate
}

/** The amount of work of a step, where it varies from step to step, by calls or input elements of one operator. */
export interface AmountFacts {
  operator: string; // operator whose calls or elements show the amount
  of: 'calls' | 'input elements'; // what is counted
  baseline: number; // mean per step of the baseline
  candidate: number; // mean per step of the candidate
  estimate: number | null; // change of the mean as a fraction: 0.05 is 5 % more work
  low: number | null; // lower end of the confidence interval, as a fraction
  high: number | null; // upper end of the confidence interval, as a fraction
  p: number; // two-sided, of no change
  differs: boolean; // whether the amounts clearly differ
  in_time: number | null; // change of the mean step that the amount alone makes, as a fraction
  explained: number; // fraction of the variation between a capture's steps that the amount explains
}

/** Profiler options that only one side recorded. */
export interface RecordedMore {
  side: 'baseline' | 'candidate'; // side that recorded them
  options: string[]; // the options
  cost_us: number; // microseconds per step that they can add to that side at most
  cost: number; // the same as a fraction of the step without them
}

/** Every integer is nanoseconds per step times `denominator`. */
export interface Ledger {
  unit: 'ns'; // unit of all times, before division by `denominator`
  denominator: number; // divide times by it for nanoseconds per step
  baseline: number; // step time of the baseline
  candidate: number; // step time of the candidate
  delta: number; // candidate - baseline
  backlog: [number, number]; // per side, exposed time of device work that an earlier step launched
  not_recorded: [string[], string[]]; // per side, categories that it could not record: absent, not zero
  rows: LedgerRow[]; // categories (depth 1), their entities (depth 2) and parts of those (depth 3)
  rows_left_out?: number; // number of rows pooled into other rows in a truncated response
  entries?: number; // number of entries of the full ledger, in a truncated response
  short_names?: Record<string, string>; // only in HTTP responses: name -> short form, for names that have one
}

/** Time per step of a category, an entity or a part, in integer nanoseconds x denominator. */
export interface LedgerRow {
  path: string[]; // category; category and entity; or category, entity and part
  name: string; // one of the raw names with this key
  baseline: number; // exposed time of the baseline, 1/`denominator` ns per step
  candidate: number; // exposed time of the candidate, 1/`denominator` ns per step
  delta: number; // candidate - baseline
  calls: [number | null, number | null]; // calls per step: baseline, candidate; null if not counted
  count_effect: number; // part of `delta` from more or fewer calls
  rate_effect: number; // mix_effect + same_shape_effect
  status: 'both' | 'added' | 'removed'; // whether both sides have it
  mix_effect: number; // part of `delta` from another mix of parts (shapes)
  same_shape_effect: number; // part of `delta` from another time per call of the same parts
}

/** A cause in a sentence. */
export interface Finding {
  rule: string; // rule that found the cause (docs/method/findings.md)
  subject: string; // operator, kernel or other entity concerned
  category: string; // category of the ledger
  delta_us: number | null; // change of time per step; null if the finding is not a time, such as a clock
  share: number | null; // fraction of the headline's delta; null: no delta, above 2, or not part of it
  sentence: string; // what changed, by how much, and why
  evidence: Evidence[]; // figures that support it
  confidence: string; // how certain it is, in words
  look_at: string; // what to look at next; empty if nothing in particular
}

/** Source of a finding's figure: a table and the key of its row. */
export interface Evidence {
  table: string; // table with the figure
  row: string; // key of the row in that table; empty: the whole table
}

/** A comparability check. */
export interface Check {
  check: string; // code of the check
  status: 'ok' | 'warn' | 'fail'; // result of the check
  detail: string; // what was found, in words
  invalidates: string[]; // conclusions that a failure or warning weakens
}

/** A table. */
export interface Table {
  per_step: boolean; // whether rows have a time for each step
  callers: boolean; // whether traces record the callers of rows, or related rows of other tables
  adds_up: boolean; // whether rows can be summed: they neither overlap nor are means
  categories: string[]; // ledger categories in which a row's name is an entry
  title: string; // heading
  columns: Column[]; // columns, in the order of the cells
  rows: ((string | number | boolean | null)[])[]; // rows; in a truncated response only the first of `total_rows`
  notes: string[]; // notes on the whole table
  total_rows?: number; // number of rows of the full table
  left_out?: RowSums; // sums of the rows missing from a truncated response
  short_names?: Record<string, string>; // only in HTTP responses: name -> short form, for names that have one
}

/** Description of a column. */
export interface Column {
  name: string; // key of the column
  label: string; // heading
  unit: string; // unit of the cells; empty if they have none
  better: 'lower' | 'higher' | 'none'; // direction of an improvement
  description: string; // definition of the figure
  role: 'key' | 'text' | 'baseline' | 'candidate' | 'delta' | 'percent' | 'status' | 'amount' | 'plain'; // what the cells are
  kind: 'text' | 'time_us' | 'count' | 'fraction' | 'number' | 'bool'; // type of the cells
  shown: boolean; // whether the column is shown by default
  measure: string; // quantity, "" for the main measure
  side: 'baseline' | 'candidate' | ''; // side of the figure; empty for both or neither
  statistic: string; // figure of the measure: value, delta, shift, change, p, q, ...
}

/** Sums over a group of rows. */
export interface RowSums {
  rows: number; // number of rows
  sums: Record<string, number | null>; // column name -> sum; null if nothing was measured
}

/** A limitation of a result. */
export interface Note {
  code: string; // kind of limitation
  message: string; // the limitation in words
  where: string; // file, table or step concerned; empty for all
}

/** Peak rates of both sides' devices; null if the device is unknown. */
export interface Peaks {
  baseline: DevicePeaks | null; // peaks of the baseline's device; null if unknown
  candidate: DevicePeaks | null; // peaks of the candidate's device; null if unknown
}

/** Peak rates of a device, dense. */
export interface DevicePeaks {
  device: string; // device name in the table of peaks
  tflops: Record<string, number>; // peak TFLOP/s by data type
  memory_gbs: number; // peak memory bandwidth in GB/s; 0 if unknown
  source: string; // URL of the data sheet
}

/** A failed check, a check that warns, or a group of notes with the same wording. */
export interface Caveat {
  status: 'fail' | 'warn' | 'note'; // result of the check, or `note`
  code: string; // code of the check or of the notes
  name: string; // readable form of `code`
  message: string; // text; figures that differ among the grouped notes are given as a range
  weakens: string; // conclusions that become less certain, in words; empty for notes
  where: string; // file, side or number of files concerned; empty for checks
  notes: number[]; // indices of the grouped notes in the comparison's `notes`; empty for checks
}

/** A page of a table's filtered and sorted rows. */
export interface TablePage {
  schema: 'tb_perfcompare.table/1'; // name and number of this schema
  version: string; // tb_perfcompare version
  table: string; // name of the table that the rows are from
  columns: string[]; // column names, in the order of a row's cells
  total_rows: number; // number of rows of the table
  matching_rows: number; // number of rows that pass all filters
  sums: Record<string, number | null>; // sums of additive columns over the matching rows
  hidden: RowSums; // rows that only `min_delta_us` excludes
  all_sums: Record<string, number | null>; // sums of additive columns over all rows
  statuses: Record<string, number>; // status -> number of rows that pass all filters except `status`, `change` and `min_delta_us`
  offset: number; // index of the page's first row among the matching rows
  place: number | null; // position of the requested row among the matching rows; null if not there
  lost: number; // number of notes about input that could not be read for these rows
  rows: ((string | number | boolean | null)[])[]; // cells in the order of `columns`; null: absent or not measured
  short_names: Record<string, string>; // name -> short form, for names of these rows that have one
  next_offset: number | null; // offset of the next page; null on the last page
}

/** Answer of api/row. */
export interface RowSteps {
  schema: 'tb_perfcompare.row/1'; // name and number of this schema
  version: string; // tb_perfcompare version
  table: string; // name of the table that the row is from
  row: string; // its key: key columns joined by ` › `
  metric: string; // what a step's time is: `step_time`, `kernel_time` or `cycle_time`
  unit: 'us'; // microseconds, for all times
  measures: Measure[]; // kinds of time that both sides have per step, the main one first
  baseline: StepTimes; // the row in each step of the baseline
  candidate: StepTimes; // the row in each step of the candidate
}

/** A kind of time by which rows are compared. */
export interface Measure {
  name: string; // part of its column names: `host_total` in `baseline_host_total_us`; "" for the main one
  label: string; // heading of the time
}

/** Times of one row in each step of a side. */
export interface StepTimes {
  steps: string[]; // number of each step, as recorded
  captures: number[]; // for each step, index of the span that recorded it, from 0
  time_us: Record<string, number[]> | null; // times by measure, one per step; null if the side lacks the row
}

/** Answer of api/row_paths. A pair is baseline and candidate; null: a side has no such row, path or frame. */
export interface RowPaths {
  schema: 'tb_perfcompare.row_paths/1'; // name and number of this schema
  version: string; // tb_perfcompare version
  table: string; // name of the table that the row is from
  row: string; // its key: key columns joined by ` › `
  denominator: number; // divide calls and nanoseconds by it for figures per step
  measures: Measure[]; // kinds of time that `times` has, the main one first
  total: Figures; // the whole row
  frames: [string, string, string][]; // kind, name, and the table that has a row of this name, or ""
  ways: PathSplit[]; // the row split by its callers, once per kind of path; empty if the table has no call paths
  related: Related[]; // rows of other tables that share work with this one, by relation
  call_tree: FrameLink | null; // largest frame of this name in the call tree; null if there is none
  callees: Callees | null; // what the row's frames call, by exposed time; null if nothing runs inside them
  durations: LaunchDurations | null; // histogram of the single launches; null if there are none
  short_names: Record<string, string>; // name -> short form, for names of frames, rows and callees that have one
}

/** Calls and times (measure -> nanoseconds), all per step and multiplied by RowPaths.denominator. */
export interface Figures {
  calls: [number | null, number | null]; // calls per step x `denominator`: baseline, candidate
  times: Record<string, [number | null, number | null]>; // measure -> nanoseconds per step x `denominator`: baseline, candidate
}

/** The row split by one kind of path. */
export interface PathSplit {
  way: string; // kind of path: `operators` (modules and operators) or `python` (Python functions and operators)
  absent: Absent; // why a side has no paths of this kind
  paths: CallPath[]; // at most 40 paths, the largest change first; with `rest` they sum to `RowPaths.total`
  rest: Rest; // sum of the paths that are not listed
}

/** Why a side has no paths. */
export interface Absent {
  baseline: string | null; // what the baseline's recording lacks; null if it has paths
  candidate: string | null; // the same for the candidate
}

/** One call path to the row. */
export interface CallPath {
  frames: number[]; // indices into RowPaths.frames, outermost first
  calls: [number | null, number | null]; // calls per step x `denominator`: baseline, candidate
  times: Record<string, [number | null, number | null]>; // measure -> nanoseconds per step x `denominator`: baseline, candidate
  candidate_frames?: number[]; // the same for the candidate, if its folders or line numbers differ
}

/** The part of the row that is not in the listed paths. */
export interface Rest {
  calls: [number | null, number | null]; // calls per step x `denominator`: baseline, candidate
  times: Record<string, [number | null, number | null]>; // measure -> nanoseconds per step x `denominator`: baseline, candidate
  paths: number; // number of paths in the rest
}

/** Rows with one relation to the row. */
export interface Related {
  what: string; // relation: launches, launched_by, contains, shapes, launch_properties, in_modules, kernel, operator or module
  rows: RelatedRow[]; // at most 8 rows, the largest change first
  others: number; // number of rows that are not listed
}

/** A row that shares work with another, and the time that they share. */
export interface RelatedRow {
  table: string; // name of the table that has the row
  row: string; // its key: key columns joined by ` › `
  name: string; // text for this list, such as the kernel or the input shapes
  time: [number | null, number | null]; // nanoseconds per step x `denominator`: baseline, candidate
}

/** Link to the largest frame of a name in the call tree. */
export interface FrameLink {
  row: string; // key of the largest frame in the table `call_tree`
  frames: number; // number of frames of this name
}

/** Exposed times of the direct callees of the row's frames: `own`, `rows` and `rest` sum to `whole`. */
export interface Callees {
  whole: [number | null, number | null]; // the row's frames with everything they call; nanoseconds per step x `denominator`: baseline, candidate
  own: [number | null, number | null]; // time in the frames themselves; nanoseconds per step x `denominator`: baseline, candidate
  rows: Callee[]; // at most 12 callees, the largest change first
  rest: CalleesRest; // sum of the callees that are not listed
}

/** Direct callees of one name, summed. */
export interface Callee {
  kind: string; // kind of frame: `module`, `operator`, `host call`, `device work`, `other` or `smaller frames`
  name: string; // name that its frames share
  table: string; // name of the table that has a row of this name; "" if none has
  time: [number | null, number | null]; // exposed nanoseconds per step x `denominator`: baseline, candidate
}

/** Time and number of the callees that are not listed. */
export interface CalleesRest {
  time: [number | null, number | null]; // nanoseconds per step x `denominator`: baseline, candidate
  callees: number; // number of callees that are not listed
}

/** Histogram of launch durations over all compared steps. */
export interface LaunchDurations {
  start_ns: number[]; // start of each bin and end of the last, in nanoseconds
  baseline: number[] | null; // number of launches in each bin; null if the baseline lacks the row
  candidate: number[] | null; // the same for the candidate
}

/** Answer of api/rows. */
export interface RowLines {
  schema: 'tb_perfcompare.rows/1'; // name and number of this schema
  version: string; // tb_perfcompare version
  table: string; // name of the table that the rows are from
  metric: string; // what a step's time is: `step_time`, `kernel_time` or `cycle_time`
  unit: 'us'; // microseconds, for all times
  measure: Measure; // kind of time that is drawn
  steps: StepCounts; // number of steps behind each line
  places: number[]; // positions of the returned rows; fewer than requested if the response is full
  rows: StepLine[]; // lines, in the order of `places`
  lost: number; // number of notes about input that could not be read, as in TablePage
}

/** Number of steps of each side. */
export interface StepCounts {
  baseline: number; // number of compared steps of the baseline
  candidate: number; // number of compared steps of the candidate
}

/** The steps of one row on both sides. */
export interface StepLine {
  baseline: SideLine | null; // null if the baseline lacks the row
  candidate: SideLine | null; // null if the candidate lacks the row
}

/** The steps of one row on one side, in order: the time of each, or the minimum and maximum of groups of steps. */
export interface SideLine {
  median_us: number; // median of all steps
  low_us: number[]; // time of each step; minimum of each group if `high_us` is present
  high_us?: number[]; // maximum of each group of steps; absent if steps are not grouped
}

/** Answer of api/strict. docs/method/strict.md defines the figures; null is "undefined" or "not measured". Keys may be added; none changes its meaning under this schema number. */
export interface StrictAnswer {
  schema: 'tb_perfcompare.strict/1'; // name and number of this schema
  version: string; // tb_perfcompare version
  title: string; // heading of the report
  labels: [string, string]; // names of the normal and the abnormal side in tables and texts
  processes: ProcessPair[]; // all pairs of processes that can be compared
  chosen: number; // index of the compared pair in `processes`
  overview: string; // opening sentences of the report
  findings: StrictFinding[]; // key findings, at most three
  recommendation: string; // recommendation; empty without findings
  note: string; // note on shares above 100 %; empty if no finding has one
  weaknesses: Weakness[]; // weaknesses of the method that apply to this report
  units: string[]; // unit of each counter's mean (mu)
  tables: Record<string, Table>; // `summary`, `cycles` and `triplets`; empty if there is no report
  absent: string; // reason why there is no report; empty if there is one
  tag?: string; // identifier of the compared files' state; pass it to api/table
}

/** A pair of processes that a strict report can compare. */
export interface ProcessPair {
  normal: number; // pid; for traces the rank, or a number given to the worker
  abnormal: number; // pid, rank or number of the abnormal side
  label: string; // both processes in words
  strict: boolean; // whether it is the same process on both sides
}

/** One of at most three key findings. */
export interface StrictFinding {
  function: string; // function name
  device: string; // device of the function; N/A if it has none
  sentence: string; // the finding in words
  counters: string[]; // changes of its counters, in words
}

/** A weakness of the method that applies to this report. */
export interface Weakness {
  number: number; // number in docs/method/strict.md, Weaknesses
  sentence: string; // the weakness with the figures of this report
}

/** Answer of api/step_event. */
export interface EventAnswer {
  schema: 'tb_perfcompare.step_event/1'; // name and number of this schema
  version: string; // tb_perfcompare version
  event: EventFacts; // the requested event
  counterpart: EventFacts | null; // matched event of the other step; null if there is none
  renamed: boolean; // whether the counterpart has another name and was matched by position
}

/** One event with all its figures, enclosing events and links. */
export interface EventFacts {
  event: number; // index of the event in the step
  name: string; // name as recorded
  kind: string; // type of event, such as `operator` or `kernel`
  lane: string; // lane that shows it, such as `GPU 0 stream 7`
  lane_kind: string; // contents of the lane: stream, communication, copies, ranges, waits, host, calls, python, overhead or other
  row: number; // row of the picture that shows it, from 0
  start_ns: number; // nanoseconds from the start of the step; negative: before it
  dur_ns: number; // duration in nanoseconds
  self_ns: number | null; // duration excluding direct children; null if not applicable
  device_ns: number | null; // total duration of the device work launched inside; null if not applicable
  launches: number | null; // number of those launches; null if not applicable
  queue_ns: number | null; // time from the start of the launching API call; null if not applicable
  idle_ns: number | null; // time since the end of the previous event in the row; null if not applicable
  same_count: number; // number of events of this name in the step, including this one
  same_ns: number; // total duration of those events
  enclosing: string[]; // short names of the enclosing events, outermost first
  linked: Link[]; // events that called or launched this one, and events launched by it
  args: Record<string, unknown>; // argument name -> recorded value
}

/** An event linked to another, such as a launch and its kernel. */
export interface Link {
  event: number; // index of the linked event in the step
  role: string; // `operator` or `launcher`: called or launched this one; `launched`: launched by it
  row: number; // row of the picture that shows it, from 0
  start_ns: number; // nanoseconds from the start of the step; negative: before it
  dur_ns: number; // duration in nanoseconds
  name: string; // name as recorded, cut if very long
  short_name: string; // name for narrow places
}

/** Answer of api/verdicts. */
export interface VerdictsAnswer {
  schema: 'tb_perfcompare.verdicts/1'; // name and number of this schema
  version: string; // tb_perfcompare version
  alpha: number; // significance level, for each comparison and for all together
  compared: number; // number of comparisons that have a p
  rows: VerdictRow[]; // candidates, in the order of the request
}

/** One candidate with its adjusted p. */
export interface VerdictRow {
  candidate: Selected; // run and part of it to compare with the baseline
  error: ServerError | null; // why the candidate was not compared; null if it was
  result: CandidateResult | null; // comparison in brief; null if there is an error
  adjusted: Adjusted | null; // verdict after adjusting p for all candidates; null: no p, or verdict withheld
}

/** A candidate as it was requested. */
export interface Selected {
  run: string; // run name, as in api/runs
  worker: string | null; // one worker of the run; null: all
  span: string | null; // one span of the worker; null: all
  steps: string | null; // numbers of the steps to compare, such as `3-10`; null: all
}

/** Why there is no result. */
export interface ServerError {
  code: string; // type of failure, such as `selection` or `corrupt`
  message: string; // what is wrong, and where
  hint: string; // remedy, or the values that exist; may be empty
}

/** A comparison in brief. */
export interface CandidateResult {
  baseline: SideBrief; // what was compared of the baseline
  candidate: SideBrief; // what was compared of the candidate
  headline: Headline; // verdict on the step time, with its figures
  checks: Check[]; // checks that warn or failed
  cause: Finding | null; // first finding; null without findings
  causes: number; // number of findings
  parts: RowTimes[]; // step time by category
  table: string; // name of the table that `rows` is from; empty if there is none
  rows: RowTimes[]; // rows of `table` with the largest baseline time or the largest change
  notes: Note[]; // notes about the recordings of either side
  short_names: Record<string, string>; // name -> short form, for names of `rows` that have one
}

/** One side in brief. */
export interface SideBrief {
  run: string; // run name
  format: string; // format of the files, such as `torch_profiler_trace`
  device: Device; // device the side ran on
  steps: BriefSteps; // steps recorded, compared and dropped
  captures: number; // number of captures: recordings of this side at different times
}

/** Step counts of a side: recorded, compared, and left out by reason. */
export interface BriefSteps {
  count: number; // number of steps recorded
  admitted: number; // number of steps compared
  dropped: Skipped[]; // steps not compared, the most frequent reason first
}

/** Number of steps left out for one reason. */
export interface Skipped {
  reason: string; // why they are not compared
  steps: number; // number of steps
}

/** Time per step of a category or of a table row. */
export interface RowTimes {
  name: string; // category of the step, or key of a table row
  baseline_us: number | null; // microseconds per step; null if the baseline lacks or did not record it
  candidate_us: number | null; // microseconds per step; null if the candidate lacks or did not record it
}

/** A verdict after adjusting for the number of candidates. */
export interface Adjusted {
  p: number; // p adjusted over all candidates by Holm's method
  stands: boolean | null; // whether a claimed difference holds at `alpha` after adjusting; null: none claimed
}

/** Answer of api/history. */
export interface HistoryAnswer {
  schema: 'tb_perfcompare.history/1'; // name and number of this schema
  version: string; // tb_perfcompare version
  series: Series[]; // all series of the log directories; empty after the first page
  history: History | null; // levels and points of the requested series; null if none was requested
  series_left_out?: number; // number of entries missing from `series`
}

/** A series and its number of points. */
export interface Series {
  series: string; // directory below the log directory
  points: number; // number of recorded runs
}

/** The history of a series. */
export interface History {
  segments: Segment[]; // levels, in order of time; empty after the first page
  changes: Change[]; // starts of new levels; empty after the first page
  notes: string[]; // limits of this history, in words; empty after the first page
  problems: Problem[]; // points that cannot be read; empty after the first page
  series: string; // directory below the log directory
  points: Point[]; // recorded runs, in order of time
  problems_left_out?: number; // number of entries missing from `problems`
  offset?: number; // index of the page's first point; absent if one page has all points
  total_points?: number; // number of points on all pages; absent if one page has all points
  listing?: string; // identifier of the listing that all pages of a history share
  next_offset?: number; // index of the next page's first point; absent on the last page
}

/** Points of one level, neighbors in time. */
export interface Segment {
  first: number; // index of its first point
  last: number; // index of its last point
  typical_us: number; // median of the points' median steps, in microseconds
}

/** A change of level. */
export interface Change {
  point: number; // index of the first point of the new level
  shift: number; // Hodges-Lehmann shift from the level before, as a fraction
  p: number; // p of the permutation test that found it
  verdict: 'slower' | 'faster'; // direction of `shift`
}

/** A file or folder that could not be read, and why. */
export interface Problem {
  path: string; // what could not be read, below the log directory
  message: string; // reason
}

/** One recorded run of a series. */
export interface Point {
  run: string | null; // run name for api/comparison; null if its summary is unreadable
  label: string; // commit, build, host or other name given when it was recorded
  at: string; // time of recording, ISO 8601 in UTC
  recorded_run: string; // name of the run that was recorded
  device: string; // device name; empty if unknown
  metric: string; // what a step's time is: `step_time`, `kernel_time` or `cycle_time`
  version: string; // tb_perfcompare version that recorded it
  steps: RecordedSteps; // steps recorded and compared
  mean_step_us: number | null; // mean of the steps in microseconds; null without step times
  median_step_us: number | null; // median of the steps in microseconds; null without step times
  quartiles_us: [number, number] | null; // lower and upper quartile of the steps in microseconds; null if not recorded
  segment: number | null; // index of the point's segment; null without a step time
  difference: number | null; // difference from the previous level, a fraction; null for the first point
  verdict: 'slower' | 'faster' | 'same' | 'cannot_tell' | null; // verdict on `difference`
  outlier: boolean; // whether the point is far from its own level
}

/** Step counts of a point: recorded, and admitted to the comparison. */
export interface RecordedSteps {
  count: number; // number of steps recorded
  admitted: number; // number of steps compared
}
