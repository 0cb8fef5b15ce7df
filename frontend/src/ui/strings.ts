// The page's strings in one place, so that a translation is another object of this shape.

import type { VerdictWord } from '../contract/wire';
import { formatCount, formatMany, formatOfTheChange } from './format';

/** Makes a sentence of a clause from the server: adds a capital and a full stop. A name at the start stays as it is. */
export function sentence(clause: string): string {
  const start = /^[a-z]+([ ,;]|$)/.test(clause) ? clause.charAt(0).toUpperCase() + clause.slice(1) : clause;
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

/** Joins numbers to their units, and `p =` or `q <` to the number, by no-break spaces. */
export function noBreakNumbers(message: string): string {
  return message.replace(/(\d) (?=(?:%|[nµm]?s|[KMGT]?i?B)(?![\w]))|([pq]) (?=[=<])|([=<]) (?=\d)/g, '$1$2$3\u00a0');
}

/** Words for what a headline metric measures: the time of something that is repeated. */
const repeated = (one: string, times: string) => ({
  one,
  many: `${one}s`,
  /** what shares refer to, without and with an article */
  whole: one,
  the: `the ${one}`,
  /** follows a difference in the verdict */
  per: `per ${one}`,
  mean: `mean per ${one}`,
  total: `mean ${one} time`,
  /** shown beside the waterfall's title */
  parts: `mean per ${one}; the parts add up exactly`,
  times,
  /** follows "calls" */
  each: `per ${one}`,
});
export type MetricWords = ReturnType<typeof repeated>;

const METRICS: Record<string, MetricWords> = {
  step_time: repeated('step', 'Step times'),
  cycle_time: repeated('cycle', 'Cycle times'),
  kernel_time: {
    one: 'recording',
    many: 'recordings',
    whole: 'kernel time',
    the: 'the kernel time',
    per: 'of kernel time',
    mean: 'kernel time',
    total: 'kernel time',
    parts: 'the parts add up exactly',
    times: 'Kernel times',
    each: 'in all',
  },
};

/** Words of a headline metric; those of step time for a metric that this page does not know. */
export function metricWords(metric: string): MetricWords {
  return METRICS[metric] ?? METRICS['step_time']!;
}

export const text = {
  title: 'Perf Compare',
  skip: 'Skip to the results',
  sideA: 'Baseline',
  sideB: 'Candidate',
  letterA: 'A',
  letterB: 'B',

  picker: {
    region: 'What is compared',
    run: 'run',
    worker: 'worker',
    span: 'span',
    label: (side: string, what: string) => `${side}: ${what}`,
    together: 'Several workers or spans are taken together',
    title: (side: string) => `Choose the ${side.toLowerCase()}`,
    missing: (name: string) => `${name} (missing)`,
    choose: 'choose a run…',
    swap: 'Swap baseline and candidate (x)',
    guess: 'guessed pair',
    guessReason: (reason: string) => `This pair is a guess${reason === '' ? '' : `: ${reason}`}`,
    attach: 'utilization',
    attachAbout: 'Attach utilization figures from a kernel listing or ncu export of the same program',
    attachNone: 'none attached',
    details: (side: string) => `${side}: worker, span, steps, utilization, step boundary`,
    noFacts: 'details',
    profiler: 'PyTorch Profiler tab',
    profilerOnline: 'It loads its charts from the internet (gstatic.com) and stays empty without.',
    openProfiler: (side: string) => `Open ${side} in the PyTorch Profiler tab`,
    steps: (admitted: number, all: number, words: MetricWords) =>
      admitted === all ? formatMany(all, words.one, words.many) : `${formatCount(admitted)} of ${formatMany(all, words.one, words.many)}`,
    onlySteps: (side: string, range: string, words: MetricWords) => `${side}: only ${range.includes('-') ? words.many : words.one} ${range.replace('-', '–')}`,
    everyStep: 'all',
    stepsAbout: (words: MetricWords) => `Compare only these ${words.many} of this side: a number, or two with a dash, such as 3-10. Empty: all`,
    notSteps: 'A number, or two with a dash: 5 or 3-10',
    allSteps: (words: MetricWords) => `Compare all ${words.many} again`,
    files: (n: number, bytes: string) => `${formatMany(n, 'file')}, ${bytes}`,
    device: (word: string, n: number, name: string | null) => (n > 0 ? `${name || word} ×${n}` : name || word),
  },

  pages: {
    back: (n: number) => (n === 1 ? '‹ the candidate' : `‹ all ${n} candidates`),
    history: 'History',
    pair: 'Compare a pair',
  },

  actions: {
    region: 'Actions',
    recent: 'Compared here before',
    suggested: 'Suggested',
    suggest: 'Suggested pairs',
    noPairs: 'No two runs have names that suggest a pair.',
    morePairs: (n: number) => `${formatMany(n, 'more pair')}: search the runs`,
    spanReason: 'two spans of one run show its own noise',
    copyLink: 'Copy link',
    notCopied: 'The browser did not allow copying',
    export: 'Export',
    help: 'Keys',
    window: 'Step window',
    windowShort: 'step ends at',
    device: 'end of device work',
    marker: 'next marker',
    stepMarker: 'Step marker',
    markedBy: 'step marker',
    stepMarkerAbout: 'What delimits the steps: profiler.step(), an annotation, an operator that occurs once per iteration',
    stepMarkerFound: (used: string) => (used === '' ? 'detected' : `detected: ${used}`),
    stepMarkerWhole: 'whole recording',
    kind: 'Kind of iterations',
    kindShort: 'kind',
    kindAbout: 'Compare the iterations of one kind only',
    kindAll: 'all kinds of iterations',
    stepMarkerOption: (name: string, count: number, coverage: number, mean: string, sides: number) =>
      `${name} · ${count.toLocaleString('en-US')} × ${mean} · ${Math.round(100 * coverage)} % of the recording${sides < 2 ? ' (one side only)' : ''}`,
    deviceAbout: 'A step lasts until its device work is done, as in the PyTorch Profiler tab',
    markerAbout: 'A step lasts from one host marker to the next',
    reportMd: 'Report (Markdown)',
    copyMd: 'Copy report as Markdown',
    copyMdAbout: 'for an issue or a chat',
    reportJson: 'Everything (JSON)',
    reportText: 'Report (plain text)',
    reportHtml: 'Report (web page)',
    reportHtmlAbout: 'one file; opens without TensorBoard',
    reportCsv: (table: string) => `Table “${table}”, all rows (CSV)`,
    strict: 'Strict report',
    memoryCsv: 'Memory over time, all points (CSV)',
  },

  views: {
    region: 'Views',
    rowsRegion: 'Rows',
    choices: 'Rows, grouping and metric',
    groupBy: 'Group by',
    grouped: (rows: string, group: string) => `${rows} by ${group}`,
  },

  tabs: {
    summary: 'Summary',
    attribution: 'Everything',
    strict: 'Strict',
    timelines: 'Step timelines',
    noTimelines: 'No step timelines',
    untimed: (format: string) => `Only torch.profiler traces have event times to draw, not ${format}.`,
    steps: { step_time: 'Steps', cycle_time: 'Cycles', kernel_time: 'Recordings' } as Record<string, string>,
    noFunctions: 'no Python function calls; record with with_stack=True',
    absentCount: (n: number) => `${formatMany(n, 'table')} absent`,
    absent: (title: string) => `No ${title.toLowerCase()} table`,
    absentReason: 'These files lack the data it needs.',
  },

  verdict: {
    region: 'Verdict',
    toSummary: 'Show the summary',
    doubts: (n: number) => `${formatMany(n, 'caveat')}: see the summary`,
    word: {
      slower: 'B is slower',
      faster: 'B is faster',
      same: 'Same',
      probably_slower: 'B is probably slower',
      probably_faster: 'B is probably faster',
      inconclusive: 'Inconclusive',
      withheld: 'Not comparable',
    } as Record<VerdictWord, string>,
    byWord: 'by ',
    by: (delta: string, per: string, percent: string) => `by ${delta} ${per} (${percent})`,
    measured: (delta: string, percent: string) => `${delta} (${percent})`,
    zero: 'exactly the same',
    shift: 'typical shift',
    shiftOfEqual: 'at equal work',
    shiftAbout: (one: string) => `Hodges-Lehmann shift: the median of all differences between a ${one} of B and a ${one} of A`,
    interval: (low: string, high: string, level: string) => `${low} … ${high} at ${level}`,
    range: (low: string, high: string) => `${low} … ${high}, whole range`,
    compared: (many: string) => `${many} compared`,
    versus: (a: number, b: number) => `${formatCount(a)} vs ${formatCount(b)}`,
    p: 'p',
    pAbout: (many: string) => `Probability of ${many} this different if A and B were equal (two-sided Mann-Whitney)`,
    pOfProgram: 'p of the program',
    pOfProgramAbout: 'Probability of a change this large at equal machine speed if the program were the same on both sides',
    scope: 'Scope',
    how: 'How this was decided',
    parts: 'Parts of the change',
    program: 'Program',
    programBy: (percent: string) => `program ${percent}`,
    machine: 'Machine',
    amount: 'Work',
    recorded: 'As recorded',
    method: 'Method',
    margin: 'Threshold',
    sensitivity: 'Robustness',
    detectable: (many: string) => `Smallest change these ${many} detect (80 % power)`,
  },

  findings: {
    lookAt: (what: string) => `Look at: ${what}`,
    region: 'Findings',
    title: 'Why',
    share: formatOfTheChange,
    rest: (share: number, time: string) => `Not explained: ${time} (${formatOfTheChange(share)}).`,
    copy: 'Copy this finding as text',
    copyNamed: (subject: string) => `Copy this finding as text: ${subject}`,
    span: (span: string) => `${span.includes(',') ? 'spans' : 'span'} ${span}`,
    timeline: 'Timeline',
    timelineAbout: (name: string) => `Events in the step timelines: ${name}`,
    evidence: (title: string, row: string) => `${title}: ${row}`,
    more: (n: number) => `Show ${n} more`,
    fewer: 'Show fewer',
  },

  lazy: {
    loading: 'Loading…',
    failed: 'This part of the page did not load; the server may have been updated.',
  },

  backlog: {
    of: (time: string, one: string) => `${time} of it launched by an earlier ${one}`,
    means: (a: string, b: string, one: string) => `Of these, device work launched by an earlier ${one} (backlog): ${a} in A, ${b} in B.`,
    about: (one: string) => `The device is behind the host: its ${one} windows hold work that an earlier ${one} launched. The Steps view lists it per ${one}.`,
  },

  waterfall: {
    region: 'From A to B',
    title: 'Where the time went',
    noChange: 'no change',
    folded: (n: number) => `${formatCount(n)} other parts`,
    unchanged: (n: number) => `${formatCount(n)} parts without change`,
    expand: (category: string) => `${category}: show its entries and filter the tables to it`,
    notSum: 'The parts do not add up to the difference: please report this bug.',
    broken: 'The axis does not start at zero.',
    asRecorded: 'as recorded',
    atEqualSpeed: 'at equal speed',
    equalSpeed: (p: string) => `Change at equal machine speed, the program's part${p && `; p ${p}`}`,
    entry: 'Entry',
    calls: 'Calls',
    callsAbout: (each: string) => `Calls ${each}`,
    rest: (n: number) => formatMany(n, 'further entry', 'further entries'),
    all: (n: number) => `All ${formatCount(n)} in Everything`,
    noEntries: 'This part has no entries of its own.',
    parts: (entry: string) => `${entry}: by caller and input shape`,
    label: (total: string, a: string, b: string, parts: string) => `Waterfall of the ${total} from ${a} in A to ${b} in B: ${parts}.`,
    cpuAlone: (a: string[], b: string[]) =>
      `${a.length > 0 && b.length > 0 ? 'Both sides' : a.length > 0 ? 'The baseline' : 'The candidate'} recorded the CPU alone: ${(a.length > 0 ? a : b).join(', ')} not measured.`,
  },

  /** column -> label and description */
  attribution: (words: MetricWords) => {
    const side = `Exposed time, ${words.mean}: every instant counts once`;
    const calls = `Calls ${words.each}`;
    return {
      entity: ['Entry', 'The kernel, operator or API call that the time is assigned to'],
      category: ['Part', `Part of ${words.the}; every instant belongs to exactly one`],
      baseline_us: ['Baseline', side],
      candidate_us: ['Candidate', side],
      delta_us: ['Δ', `Candidate minus baseline, ${words.mean}; the entries add up to their part exactly`],
      baseline_calls: ['Calls A', calls],
      candidate_calls: ['Calls B', calls],
      count_effect_us: ['Δ by count', 'Effect of the number of calls, at the mean time per call of both sides'],
      rate_effect_us: ['Δ by call', 'Effect of the time per call, at the mean number of calls of both sides'],
      status: ['Status', 'Whether both sides have the entry'],
    } satisfies Record<string, [label: string, about: string]>;
  },

  loading: {
    region: 'Progress',
    runs: 'Looking for runs…',
    title: 'Comparing…',
    phase: {
      queued: 'waiting',
      listing: 'looking for files',
      reading: 'reading',
      summarising: 'attributing time',
      comparing: 'comparing',
      done: 'read',
    } as Record<string, string>,
    of: (done: string, total: string) => `${done} of ${total}`,
    events: (n: number) => formatMany(n, 'event'),
    elapsed: (time: string) => `${time} so far`,
    cancel: 'Cancel',
    cancelled: 'Cancelled.',
    again: 'Compare again',
  },

  empty: {
    title: 'No profiler runs found',
    searched: 'Searched below',
    nothingGiven: '(no log directory was given)',
    pattern: 'A run is a directory with files named',
    patterns: ['WORKER.pt.trace.json', 'WORKER.TIMESTAMP.pt.trace.json.gz'],
    record: 'How to record one',
    recordCode: `from torch.profiler import profile, schedule, tensorboard_trace_handler

with profile(
    schedule=schedule(wait=1, warmup=2, active=10),
    on_trace_ready=tensorboard_trace_handler("LOGDIR/normal"),
    record_shapes=True,
) as prof:
    for batch in loader:
        train_step(batch)
        prof.step()`,
    again: 'Look again',
    oneTitle: 'Only one run',
    one: (run: string) => `A comparison needs two runs; this log directory has only ${run}.`,
    oneSpans: 'Compare its spans with each other',
    oneNoSpans: 'It has a single span. Record a second run into another directory of the same log directory.',
    choosePair: 'Choose two runs above.',
  },

  problems: {
    title: (n: number) => formatMany(n, 'file cannot be used', 'files cannot be used'),
  },

  errors: {
    title: 'No comparison',
    mixedTitle: 'These two cannot be compared',
    otherPairs: 'Pairs with one of these runs',
    retry: 'Try again',
    unreachable: 'TensorBoard does not answer.',
    unreachableHint: 'Is it still running? This page retries automatically.',
    retryIn: (seconds: number) => `Retrying in ${seconds} s.`,
    notJson: 'The server sent an unreadable answer.',
    incomplete: 'These rows come from a different reading of the files than the figures above.',
    incompleteHint: 'A reader process ended in between. Reload the page in a few seconds.',
    schema: (found: string) => `The server speaks ${found}; this page does not.`,
    reloadPage: 'Reload the page.',
    missing: { run: 'run', worker: 'worker', span: 'span' },
    missingTitle: (side: string, what: string, name: string) => `${side}: there is no ${what} named “${name}”.`,
    missingHint: 'The link may come from another log directory. Choose another above.',
  },

  banners: {
    older: (page: string, server: string) => `This page is version ${page}, the server is ${server}.`,
    reload: 'Reload',
    newer: (sides: string) => `Newer data for ${sides}.`,
    update: 'Update',
    dismiss: 'Dismiss',
  },

  table: {
    chips: {
      added: { word: 'new', style: 'new', about: 'only in B' },
      removed: { word: 'gone', style: 'gone', about: 'only in A' },
      replaced: { word: 'replaced', style: 'other', about: 'another kernel in the same place' },
      slower: { word: 'slower', style: 'slower', about: '' },
      faster: { word: 'faster', style: 'faster', about: '' },
      unchanged: { word: 'n.s.', style: 'other', about: 'not significant' },
    } as Record<string, { word: string; style: string; about: string }>,
  },

  panel: {
    close: 'Close (Esc)',
    copy: 'Copy name',
    copied: 'Copied',
    openHint: (run: string, worker: string, span: string) => `run ${run}, worker ${worker}, span ${span}`,
    openFailed: (run: string, worker: string, span: string) =>
      `The tab could not be set automatically. Choose there: run ${run}, worker ${worker}, span ${span}.`,
    openNoView: (view: string) => `The PyTorch Profiler tab opened the run, but has no ${view} view of it.`,
    measure: 'Measure',
  },

  strict: {
    refused: {
      profiler_answers: 'Saved profiler answers hold totals and means, no times of functions per step.',
      kernel_listing: 'A kernel listing has no clock, so there are no cycles to compare.',
      ncu_csv: 'An ncu export has no clock, so there are no cycles to compare.',
    } as Record<string, string>,
    notFor: (format: string) => `There is no strict report of ${format}.`,
    absent: 'No strict report',
  },
};
