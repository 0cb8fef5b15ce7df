// Small values of the contract for the tests: only what a test is about is spelled out there.

import { PLAIN_TABLE, type Column, type Comparison, type Headline, type Kind, type Ledger, type LedgerRow, type RunEntry, type RunsAnswer, type Table } from '../src/contract/wire';
import type { Shift } from '../src/contract/sent';

/** What the server says of a column of such a name. */
function meant(name: string, role: Column['role']): Pick<Column, 'measure' | 'side' | 'statistic'> {
  const side = /^(baseline|candidate)(_|$)/.exec(name)?.[1] ?? role;
  const tested = /(?:^|_)(change|q|p)$/.exec(name)?.[1] ?? (/^[pu]_/.test(name) ? 'p' : 'value');
  const statistic = role === 'delta' ? 'delta' : role === 'percent' ? (name === 'share' ? 'share' : 'ratio') : tested;
  const measure = name.replace(/^(baseline|candidate)(_|$)|(^|_)(change|q|p)$|_[ab]$|^[pu]_/g, '').replace(/_?delta/, '').replace(/_?us$/, '');
  return { measure, side: side === 'baseline' || side === 'candidate' ? side : '', statistic };
}

export function column(name: string, role: Column['role'], kind: Kind, over: Partial<Column> = {}): Column {
  return { name, label: name, unit: '', better: 'lower', description: `about ${name}`, role, kind, shown: true, ...meant(name, role), ...over };
}

export { PLAIN_TABLE as PLAIN };

/** name | A | B | delta | status, times in microseconds */
export function kernels(rows: [string, number | null, number | null, number, string][]): Table {
  return {
    ...PLAIN_TABLE,
    title: 'Kernels',
    columns: [
      column('name', 'key', 'text'),
      column('baseline_us', 'baseline', 'time_us'),
      column('candidate_us', 'candidate', 'time_us'),
      column('delta_us', 'delta', 'time_us'),
      column('status', 'status', 'text'),
    ],
    rows,
    notes: [],
  };
}

export function ledgerRow(path: string[], baseline: number, candidate: number, status: LedgerRow['status'] = 'both'): LedgerRow {
  return { path, name: '', baseline, candidate, delta: candidate - baseline, calls: [1, 1], count_effect: 0, rate_effect: candidate - baseline, mix_effect: 0, same_shape_effect: candidate - baseline, status };
}

/** Totals are the sums of the rows of depth 1. */
export function ledger(rows: LedgerRow[], denominator = 1): Ledger {
  const heads = rows.filter((row) => row.path.length === 1);
  const sum = (pick: (row: LedgerRow) => number): number => heads.reduce((total, row) => total + pick(row), 0);
  return { unit: 'ns', backlog: [0, 0], not_recorded: [[], []], denominator, baseline: sum((r) => r.baseline), candidate: sum((r) => r.candidate), delta: sum((r) => r.delta), rows };
}

export function run(name: string, spans: string[] = ['1'], workers: string[] = ['worker0']): RunEntry {
  return {
    run: name,
    workers: workers.map((worker) => ({
      worker,
      rank: null,
      spans: spans.map((span) => ({ span, files: [{ name: `${worker}.${span}.pt.trace.json`, bytes: 10, modified: 1 }] })),
    })),
  };
}

export function runs(entries: RunEntry[], over: Partial<RunsAnswer> = {}): RunsAnswer {
  return { schema: 'tb_perfcompare.runs/1', version: '0', roots: ['logs'], profiler_tab: false, runs: entries, pairs: [], problems: [], ...over };
}

/** A shift and its interval, as fractions. */
export function shift(estimate: number, low: number | null, high: number | null): Shift {
  return { estimate, low, high, estimate_us: null, low_us: null, high_us: null, level: 0.95, mean: null };
}

/** What a headline without more than a verdict says. */
export const HEADLINE = {
  margin: 0.01, inflation: 1, scope: '', method: '', sensitivity: '', certainty: null, sentence: '', facts: [], basis: 'recorded', machine: null, program: null, counted: null, long_steps: null, amount: null, paces: [], unsplit: '',
  recorded: null, alternatives: [],
  recorded_more: null,
} satisfies Partial<Headline>;

const side = (name: string): Comparison['baseline'] => ({
  source: name,
  run: name,
  worker: 'worker0',
  span: '1',
  format: 'torch_profiler_trace',
  device: { kind: 'cpu', word: 'CPU', name: null, count: 0 },
  steps: { count: 2, admitted: 2, dropped: [], by: null },
  files: [],
  captures: 1,
});

export function comparison(over: Partial<Comparison> = {}): Comparison {
  return {
    schema: 'tb_perfcompare.comparison/1',
    version: '0',
    window: 'device',
    baseline: side('normal'),
    candidate: side('abnormal'),
    headline: {
      metric: 'step_time',
      unit: 'us',
      baseline: 100_000,
      candidate: 125_000,
      delta: 25_000,
      ratio: 1.25,
      shift: shift(0.24, 0.2, 0.3),
      p: 0.00001,
      n: [10, 12],
      verdict: 'slower',
      reason: 'the interval lies beyond the margin',
      ...HEADLINE,
    },
    ledger: ledger([ledgerRow(['Kernel'], 100_000_000, 125_000_000), ledgerRow(['Other'], 0, 0)]),
    findings: [],
    unexplained_us: null,
    no_finding: null,
    comparability: [],
    tables: {},
    notes: [],
    peaks: { baseline: null, candidate: null },
    ...over,
  };
}
