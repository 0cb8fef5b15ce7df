// Every word the page shows, in one place so that another language is another object of this shape.

import type { Kind, VerdictWord } from './wire';

const count = (n: number, one: string, many: string): string => `${n.toLocaleString()} ${n === 1 ? one : many}`;

/** With a capital and a full stop; the server's clauses are made to stand inside others. A name at the start stays as it is. */
export function sentence(clause: string): string {
  const start = /^[a-z]+([ ,;]|$)/.test(clause) ? clause.charAt(0).toUpperCase() + clause.slice(1) : clause;
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

/** What one headline metric measures, in words. */
export interface MetricWords {
  one: string;
  many: string;
  /** what shares are taken of, without and with its article */
  whole: string;
  the: string;
  /** after a difference in the verdict */
  per: string;
  mean: string;
  total: string;
  /** below the title of the waterfall */
  parts: string;
  times: string;
  /** after "calls" */
  each: string;
}

const METRICS: Record<string, MetricWords> = {
  step_time: {
    one: 'step',
    many: 'steps',
    whole: 'step',
    the: 'the step',
    per: 'per step',
    mean: 'mean per step',
    total: 'mean step time',
    parts: 'mean per step, every part of the step once',
    times: 'Step times',
    each: 'per step',
  },
  cycle_time: {
    one: 'cycle',
    many: 'cycles',
    whole: 'cycle',
    the: 'the cycle',
    per: 'per cycle',
    mean: 'mean per cycle',
    total: 'mean cycle time',
    parts: 'mean per cycle, every part of the cycle once',
    times: 'Cycle times',
    each: 'per cycle',
  },
  kernel_time: {
    one: 'recording',
    many: 'recordings',
    whole: 'kernel time',
    the: 'the kernel time',
    per: 'of kernel time',
    mean: 'kernel time',
    total: 'kernel time',
    parts: 'every launch once',
    times: 'Kernel times',
    each: 'in all',
  },
};

/** Words of a headline metric; of a step's for one that this page does not know. */
export function metricWords(metric: string): MetricWords {
  return METRICS[metric] ?? METRICS['step_time']!;
}

export const text = {
  title: 'Perf Compare',
  sideA: 'Normal',
  sideB: 'Abnormal',
  letterA: 'A',
  letterB: 'B',

  picker: {
    region: 'What is compared',
    run: 'run',
    worker: 'worker',
    span: 'span',
    label: (side: string, what: string) => `${side}: ${what}`,
    together: 'Several workers or spans are taken together',
    allWorkers: (n: number) => (n === 0 ? 'worker' : `${n} workers`),
    allSpans: (n: number) => (n === 0 ? 'span' : `${n} spans`),
    oneSpan: '1 span',
    missing: (name: string) => `${name} (missing)`,
    choose: 'choose a run…',
    swap: 'Swap Normal and Abnormal (x)',
    guess: 'This pair is a guess.',
    guessReason: (reason: string) => `A guess: ${reason}`,
    filter: 'type to search runs…',
    attach: 'utilisation',
    attachAbout: 'A kernel listing or ncu export of the same program: its figures are attached to the kernels of this side',
    attachNone: 'none attached',
    noMatch: 'no run of that name',
    openProfiler: (side: string) => `Open ${side} in the PyTorch Profiler tab`,
    steps: (admitted: number, all: number, words: MetricWords) =>
      admitted === all ? count(all, words.one, words.many) : `${admitted.toLocaleString()} of ${count(all, words.one, words.many)}`,
    format: {
      torch_profiler_trace: 'torch.profiler trace',
      profiler_answers: 'saved profiler answers',
      kernel_listing: 'kernel listing',
      ncu_csv: 'ncu export',
      perf_data: 'perf_data table',
      baseline: 'saved baseline',
    } as Record<string, string>,
    formatAbout: 'Format of the run',
    onlySteps: (side: string, range: string, words: MetricWords) => `${side}: only ${range.includes('-') ? words.many : words.one} ${range.replace('-', '–')}`,
    allSteps: (words: MetricWords) => `Compare all ${words.many} again`,
    files: (n: number, bytes: string) => `${count(n, 'file', 'files')}, ${bytes}`,
    device: (word: string, n: number, name: string | null) => (n > 0 ? `${name || word} ×${n}` : name || word),
  },

  pages: {
    several: 'Several candidates…',
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
    spanReason: 'two spans of one run: how much runs differ by themselves',
    copyLink: 'Copy link',
    copied: 'Link copied',
    notCopied: 'The browser did not allow copying',
    export: 'Export',
    rescan: 'Look for new runs',
    help: 'Keys',
    window: 'Step window',
    windowShort: 'Steps by',
    device: 'device',
    marker: 'marker',
    deviceAbout: 'A step lasts until its device work is done, as in the PyTorch Profiler tab',
    markerAbout: 'A step is what the host marked, from marker to marker',
    reportMd: 'Report (Markdown)',
    copyMd: 'Copy report as Markdown',
    copiedMd: 'Report copied',
    reportJson: 'Everything (JSON)',
    reportText: 'Report (plain text)',
    reportHtml: 'Report (web page)',
    reportCsv: (table: string) => `Table “${table}”, all rows (CSV)`,
    shownCsv: 'Table as filtered here (CSV)',
  },

  tabs: {
    region: 'Views',
    summary: 'Summary',
    attribution: 'Attribution',
    strict: 'Strict',
    timelines: 'Step timelines',
    noTimelines: 'No step timelines',
    untimed: (format: string) => `A ${format} holds no times of single events, so there is no step to draw.`,
    steps: { step_time: 'Steps', cycle_time: 'Cycles', kernel_time: 'Recordings' } as Record<string, string>,
    names: {
      categories: 'Categories',
      call_tree: 'Call tree',
      operators: 'Operators',
      operators_by_shape: 'By shape',
      operators_by_type: 'By type',
      kernels_by_operator: 'By operator',
      kernels_by_launch: 'By launch',
      alignment: 'Matched work',
      functions: 'Functions',
      kernels: 'Kernels',
      launches: 'Launches',
      steps: 'Steps',
      modules: 'Modules',
      modules_ledger: 'By module',
      communication: 'Communication',
      memory: 'Memory',
      memory_operators: 'Allocations',
      memory_curves: 'Memory curve',
      corrections: 'Corrections',
      memcpy: 'Memcpy',
      bound: 'Limits',
      device: 'Device',
      counters: 'Counters',
      environment: 'Environment',
      recommendations: 'Advice',
    } as Record<string, string>,
    absentCount: (n: number) => `${n} absent`,
    absent: (title: string) => `No ${title.toLowerCase()} table`,
    absentReason: 'These files do not hold what it needs.',
  },

  verdict: {
    region: 'Verdict',
    word: {
      slower: 'B is slower',
      faster: 'B is faster',
      same: 'No difference that matters',
      probably_slower: 'B is probably slower',
      probably_faster: 'B is probably faster',
      inconclusive: 'Cannot tell',
      withheld: 'Not comparable',
    } as Record<VerdictWord, string>,
    by: (delta: string, per: string, percent: string) => `by ${delta} ${per} (${percent})`,
    measured: (delta: string, per: string, percent: string) => `measured ${delta} ${per} (${percent})`,
    zero: (per: string) => `exactly the same time ${per}`,
    shift: 'typical shift',
    shiftAbout: (one: string) => `Hodges-Lehmann: the middle of all differences between a ${one} of B and a ${one} of A`,
    interval: (low: string, high: string, level: string) => `${low} … ${high} at ${level}`,
    range: (low: string, high: string) => `${low} … ${high}, whole range`,
    compared: (many: string) => `${many} compared`,
    versus: (a: number, b: number) => `${a.toLocaleString()} vs ${b.toLocaleString()}`,
    p: 'p',
    pAbout: (many: string) => `Chance of ${many} this different if A and B were alike (two-sided Mann-Whitney)`,
    scope: 'Scope',
    cause: 'Largest cause',
    largest: 'Largest measured difference',
    how: 'How this was decided',
    method: 'Method',
    margin: 'Smallest difference that matters',
    sensitivity: 'If some are left out',
    effect: "Size of the effect (Cliff's delta)",
    detectable: (many: string) => `Smallest change that so many ${many} show, 80 of 100 times`,
    stepsNeeded: 'Needed per side to show a change of the margin',
    some: (count: number, many: string) => `${count.toLocaleString()} ${many}`,
    captures: 'Captures',
    noiseFloor: 'Captures of one side differ by up to',
    capturesNeeded: 'Captures per side that would settle it',
    inflation: (many: string) => `Correction for ${many} that resemble their neighbours`,
    times: (factor: string) => `×${factor} on standard errors`,
    ratio: 'B / A',
  },

  findings: {
    lookAt: (what: string) => `Look at: ${what}`,
    region: 'Findings',
    title: 'What changed',
    none: 'Nothing stands out.',
    share: (percent: string) => `${percent} of the difference`,
    confidence: 'How repeatable it is',
    evidence: (title: string, row: string) => `${title}: ${row}`,
    more: (n: number) => `Show ${n} more`,
    fewer: 'Show fewer',
  },

  caveats: {
    region: 'Caveats',
    summary: (failed: number, warned: number, notes: number) =>
      [
        failed > 0 ? count(failed, 'check failed', 'checks failed') : '',
        warned > 0 ? count(warned, 'caveat', 'caveats') : '',
        notes > 0 ? count(notes, 'note', 'notes') : '',
      ]
        .filter(Boolean)
        .join(', ') || 'No caveats',
    weakens: 'weakens',
    passed: 'Passed',
    status: { ok: 'ok', warn: 'caveat', fail: 'failed' } as Record<string, string>,
  },

  lazy: {
    loading: 'Loading…',
    failed: 'This part of the page cannot be loaded; the server may have been updated.',
  },

  bound: {
    'tensor-bound': 'tensor-bound',
    'memory-bound': 'memory-bound',
    both: 'bound by both',
    neither: 'bound by neither',
    'not measured': 'not measured',
  } as Record<string, string>,

  scatter: {
    title: 'Utilisation',
    about: 'how busy each kernel keeps the tensor pipe and the memory; both runs',
    tensor: 'Tensor',
    dram: 'DRAM',
    tensorAxis: '↑ Tensor pipe active',
    dramAxis: 'Share of peak DRAM throughput →',
    label: (kernels: number, marks: number) =>
      `${count(kernels, 'kernel', 'kernels')} as ${count(marks, 'mark', 'marks')}: tensor pipe against DRAM throughput, area is time. The list beside it has the largest ones.`,
    listed: (shown: number, all: number) => (shown === all ? count(all, 'kernel', 'kernels') : `largest ${shown} of ${count(all, 'kernel', 'kernels')}`),
    /** said before a number that stands below its column's head */
    figure: (what: string, side: string) => `${what} ${side} `,
    absent: 'no figures',
    area: 'area: time',
    lines: (n: number) => (n === 1 ? 'line: the kernel that moved' : `lines: the ${n} kernels that moved most`),
    small: (n: number, a: string, b: string) => `${count(n, 'smaller kernel is', 'smaller kernels are')} not drawn: ${a} of A, ${b} of B.`,
    unmeasured: (n: number, a: string, b: string) => `${count(n, 'kernel has', 'kernels have')} no such figures: ${a} of A, ${b} of B.`,
  },

  timeline: {
    title: 'Launch by launch',
    about: 'in the order they ran, width is time; equal places stand below each other',
    colour: 'What the strips show',
    shade: { bound: 'Limits', tensor: 'Tensor', dram: 'DRAM' } as Record<string, string>,
    shadeAbout: {
      bound: 'What limits each launch: 60 % of the peak of the tensor pipe or of the memory',
      tensor: 'How busy each launch keeps the tensor pipe',
      dram: 'How much of the peak memory throughput each launch uses',
    } as Record<string, string>,
    high: { tensor: 'height: tensor pipe active, 0 to 100 %', dram: 'height: share of peak DRAM throughput, 0 to 100 %' } as Record<string, string>,
    zoom: 'Zoom',
    closer: 'Closer (+)',
    farther: 'Farther (-)',
    all: 'All launches (Esc)',
    status: { both: 'on both sides', replaced: 'another kernel in the same place', added: 'only in B', removed: 'only in A' } as Record<string, string>,
    missing: 'not there',
    change: 'Δ: share of the longer launch, up for more time in B',
    span: (time: string) => `in view: ${time}`,
    hint: 'Wheel or + − zooms, dragging moves, ← → go from launch to launch, Enter or a click shows the row.',
    label: (n: number) => `Launches of both runs at ${count(n, 'place', 'places')}. Arrow keys go from launch to launch, plus and minus zoom, Enter shows the row.`,
    said: (n: number, all: number, name: string, status: string, a: string, b: string) => `Place ${n} of ${all}: ${name}, ${status}. Normal ${a}, Abnormal ${b}.`,
  },

  strict: {
    refused: {
      profiler_answers: 'Saved profiler answers hold totals and means, no times of functions per step.',
      kernel_listing: 'A kernel listing has no clock, so there are no cycles to compare.',
      ncu_csv: 'An ncu export has no clock, so there are no cycles to compare.',
    } as Record<string, string>,
    notFor: (format: string) => `There is no strict report of a ${format}.`,
    about: 'The published method and its words, unchanged.',
    corrected: 'The corrected comparison of the same pair is on the other tabs:',
    summary: 'Summary',
    processes: 'Processes',
    beta: 'Share (β) of',
    betas: { total: 'total', exclusive: 'exclusive' } as Record<string, string>,
    betaAbout: {
      total: 'Summed durations, as published: calls within calls count twice, and shares may exceed 100 %',
      exclusive: 'Time owned in the ledger: every instant counts once, and the shares add up to the step',
    } as Record<string, string>,
    downloads: 'Download',
    markdown: 'Markdown',
    csv: 'CSV',
    markdownAbout: 'The report as published, as Markdown',
    csvAbout: 'All triplets, the published columns, as CSV',
    weaknesses: (n: number) => (n === 1 ? 'One known weakness of this method touches this pair' : `${n} known weaknesses of this method touch this pair`),
    noWeaknesses: 'No known weakness of this method touches this pair.',
    weaknessAbout: (n: number) => `Weakness ${n} in docs/strict.md`,
    overview: 'Overview',
    findings: 'Key findings',
    device: (name: string) => `on ${name}`,
    counters: 'Counters that moved with it',
    recommendation: 'Recommendation',
    units: 'Units of μ',
    unitOf: { us: 'µs', count: '' } as Record<string, string>,
    change: 'Change',
    measure: 'Measure',
    groups: { key: 'Triplet', published: 'Published report', beside: 'Beside it: not in the published report' },
    absent: 'No strict report',
    waiting: 'Comparing in the strict way…',
    newPair: 'Loading…',
  },

  waterfall: {
    region: 'From A to B',
    title: 'Where the time went',
    noChange: 'no change',
    expand: (category: string) => `${category}: show its entries and filter the tables to it`,
    sum: (delta: string) => `The parts add up to ${delta}, the whole difference, exactly.`,
    notSum: 'The parts do not add up to the difference; this is a fault of the tool.',
    broken: 'The axis does not start at zero.',
    entry: 'Entry',
    calls: 'calls',
    callsAbout: (each: string) => `Calls ${each}`,
    countEffect: 'Δ by count',
    rateEffect: 'Δ by call',
    countAbout: 'Part of the difference that comes from more or fewer calls, at the mean time per call of both sides',
    rateAbout: 'Part of the difference that comes from longer or shorter calls, at the mean number of calls of both sides',
    rest: (n: number) => count(n, 'further entry', 'further entries'),
    all: (n: number) => `All ${n.toLocaleString()} in Attribution`,
    noEntries: 'This part has no entries of its own.',
    parts: (entry: string) => `${entry}: by who called it and with which input shape`,
    label: (total: string, a: string, b: string, parts: string) => `Waterfall of the ${total} from ${a} in A to ${b} in B: ${parts}.`,
    empty: (n: number) => `${count(n, 'part is', 'parts are')} zero on both sides and not drawn.`,
  },

  attribution: (words: MetricWords) => ({
    title: 'Attribution',
    category: 'Part',
    entity: 'Entry',
    baseline: 'Normal',
    candidate: 'Abnormal',
    delta: 'Δ',
    callsA: 'Calls A',
    callsB: 'Calls B',
    count: 'Δ by count',
    rate: 'Δ by call',
    status: 'Status',
    about: {
      category: `The part of ${words.the} that the time belongs to; every instant belongs to one part`,
      entity: 'The kernel, operator or API call that owned the time',
      side: `Time owned, ${words.mean}; time under something of higher rank is not counted again`,
      delta: `Abnormal minus normal, ${words.mean}; all entries of a part add up to the part exactly`,
      calls: `Calls ${words.each}`,
      count: 'Part of Δ that comes from more or fewer calls, at the mean time per call of both sides',
      rate: 'Part of Δ that comes from longer or shorter calls, at the mean number of calls of both sides',
      status: 'Whether both sides have the entry',
    },
  }),

  steps: {
    about: (words: MetricWords) => `share of ${words.many} that took at most so long; each mark is a ${words.one}`,
    none: (words: MetricWords) => `The source has no ${words.times.toLowerCase()} to draw.`,
    dropped: 'hollow: not compared',
    step: (one: string, side: string, step: string, capture: string, time: string) => `${side}, ${one} ${step}${capture}: ${time}`,
    capture: (capture: string) => ` of capture ${capture}`,
    reason: (reason: string) => `not compared: ${reason}`,
    beyond: (side: string, n: number, words: MetricWords) => `${side}: ${count(n, words.one, words.many)} beyond the axis`,
    hint: (one: string) => `Point at a mark, or use ← → here, to read one ${one}; Enter shows it in the table.`,
    order: (words: MetricWords) =>
      `${words.times} in order. Left and right go from ${words.one} to ${words.one}, up and down from run to run, Enter shows the ${words.one} in the table. With Shift, left and right choose a range; Enter then compares only these, Escape all.`,
    number: (one: string) => `${one} number`,
    drag: (words: MetricWords) => `Drag over ${words.many}, or Shift with ← →, to compare only these.`,
    choosing: (range: string, words: MetricWords) => `${words.many} ${range.replace('-', '–')}: Enter compares only these, Esc does not`,
    label: (times: string, a: string, b: string) => `Distribution of ${times}. A: ${a}. B: ${b}.`,
    sideSummary: (n: number, dropped: number, low: string, high: string, words: MetricWords) =>
      `${count(n, words.one, words.many)} from ${low} to ${high}${dropped > 0 ? `, ${dropped} not compared` : ''}`,
  },

  table: {
    search: 'Search: word, -word, /regex/',
    searchShort: 'Search  /',
    badRegex: (message: string) => `Not a regular expression: ${message}`,
    minDelta: 'Smallest |Δ|',
    minAll: 'any |Δ|',
    minOf: (percent: string, whole: string) => `|Δ| ≥ ${percent} of ${whole}`,
    sure: 'q ≤ 0.05',
    sureAbout: 'Clear differences only: rows whose q is at most 0.05 for one of their times. Rows without a q are hidden too.',
    all: 'All',
    added: 'New',
    removed: 'Gone',
    replaced: 'Replaced',
    addedChip: 'new',
    replacedChip: 'other',
    removedChip: 'gone',
    addedAbout: 'only in B',
    removedAbout: 'only in A',
    replacedAbout: 'another kernel in the same place',
    csv: 'CSV',
    columns: 'Columns',
    resetColumns: 'Back to the usual columns',
    category: (name: string) => `Part: ${name}`,
    categoryMissing: (name: string) => `not filtered to ${name}: this table has no parts`,
    clear: 'clear',
    rows: (shown: number, all: number) =>
      shown === all ? count(all, 'row', 'rows') : `${shown.toLocaleString()} of ${count(all, 'row', 'rows')}`,
    sumShown: (sum: string) => `Σ Δ shown ${sum}`,
    sumAll: (sum: string) => `Σ Δ all ${sum}`,
    hidden: (n: number, percent: string, the: string, sum: string) => `${count(n, 'row', 'rows')} below ${percent} of ${the} hidden${sum === '' ? '' : `, Σ Δ ${sum}`}`,
    hiddenAll: (percent: string, the: string) => `No row changes by ${percent} of ${the}.`,
    show: 'show',
    drawn: (rows: number, all: number) => `The first ${rows.toLocaleString()} of ${count(all, 'row', 'rows')} are drawn.`,
    searched: (rows: number) => `Only the first ${count(rows, 'row', 'rows')} were searched: a regular expression is applied by the page. Words search all of them.`,
    nothing: 'No row passes the filters.',
    empty: 'This table has no rows.',
    clearFilters: 'Clear the filters',
    usualOrder: 'usual order',
    sortBy: (label: string) => `Sort by ${label}; Shift adds to the order`,
    bar: 'The bar is the difference on a square-root scale, right for more and left for less',
    sides: { baseline: 'Normal', candidate: 'Abnormal', both: 'both' } as Record<string, string>,
    yes: 'yes',
    no: 'no',
    notMeasured: 'not measured',
    grid: (title: string) => `${title}; arrow keys move, Enter opens a row`,
  },

  panel: {
    region: 'Row details',
    close: 'Close (Esc)',
    previous: 'Previous row ([)',
    next: 'Next row (])',
    copy: 'Copy name',
    copied: 'Copied',
    definitions: 'Definitions',
    open: 'Open in PyTorch Profiler tab',
    openHint: (run: string, worker: string, span: string) => `run ${run}, worker ${worker}, span ${span}`,
    openFailed: (run: string, worker: string, span: string) =>
      `The tab could not be set by itself. Choose there: run ${run}, worker ${worker}, span ${span}.`,
    measure: 'Measure',
    main: { text: 'Value', time_us: 'Time', count: 'Count', fraction: 'Share', number: 'Value', bool: 'Value' } as Record<Kind, string>,
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
    events: (n: number) => count(n, 'event', 'events'),
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
    one: (run: string) => `Two runs make a comparison; below this log directory there is only ${run}.`,
    oneSpans: 'Compare its spans with each other',
    oneNoSpans: 'It has one span only. Record a second run into another directory below the same log directory.',
    choosePair: 'Choose two runs above.',
  },

  problems: {
    title: (n: number) => count(n, 'file cannot be used', 'files cannot be used'),
  },

  errors: {
    title: 'No comparison',
    mixedTitle: 'These two cannot be compared',
    otherPairs: 'Pairs with one of these runs',
    retry: 'Try again',
    unreachable: 'TensorBoard does not answer.',
    unreachableHint: 'Is it still running? This page asks again by itself.',
    retryIn: (seconds: number) => `Asking again in ${seconds} s.`,
    notJson: 'The answer cannot be read.',
    incomplete: 'These rows are of another reading of the files than what is shown above.',
    incompleteHint: 'A process that reads files ended meanwhile. Reload the page in a few seconds.',
    schema: (found: string) => `The server speaks ${found}, which this page does not know.`,
    reloadPage: 'Reload the page.',
    missing: { run: 'run', worker: 'worker', span: 'span' },
    missingTitle: (side: string, what: string, name: string) => `${side}: there is no ${what} named “${name}”.`,
    missingHint: 'The link may come from another log directory. Choose another above, or look for new runs.',
  },

  banners: {
    older: (page: string, server: string) => `This page is of version ${page}, the server of ${server}.`,
    reload: 'Reload',
    newer: (sides: string) => `Newer data for ${sides}.`,
    update: 'Update',
    dismiss: 'Dismiss',
  },

  keys: {
    title: 'Keys',
    close: 'Close',
    list: [
      ['x', 'swap the two sides'],
      ['1 – 9', 'show the first to the ninth view'],
      ['/', 'search the table'],
      ['↑ ↓ PgUp PgDn Home End', 'move in the table'],
      ['Enter', 'open the row'],
      ['[  ]', 'previous and next row in the details'],
      ['Esc', 'close what is open, else clear the part filter, then the ranges of steps'],
      ['?', 'this list'],
    ] as [string, string][],
    about: (version: string, reader: string) => `tb_perfcompare ${version}${reader === '' ? '' : `; traces are read by the ${reader} reader`}`,
  },

  kinds: {
    text: '',
    time_us: 'time',
    count: 'count',
    fraction: 'share',
    number: 'number',
    bool: 'yes or no',
  } as Record<Kind, string>,
};
