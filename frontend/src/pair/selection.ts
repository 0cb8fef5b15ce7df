// The sides of a comparison: their runs, files and query parameters.

import { FORMATS } from '../contract/constants';
import { wholeRun, type Alternative, type Pair, type RunEntry, type RunsAnswer, type Side, type SpanFile } from '../contract/wire';
import { FRESH_STEPS, type Address } from '../host/url_state';
import type { Change } from '../host/use_address';

export function sameSide(a: Side | null, b: Side | null): boolean {
  if (a === null || b === null) return a === b;
  return a.run === b.run && a.worker === b.worker && a.span === b.span && a.steps === b.steps && a.launches === b.launches;
}

export function findRun(answer: RunsAnswer, run: string): RunEntry | undefined {
  return answer.runs.find((entry) => entry.run === run);
}

/** A format's display name, alone and with its article. */
export const formatTitle = (format: string): string => (format in FORMATS ? FORMATS[format as keyof typeof FORMATS][0] : format.replaceAll('_', ' '));
export const withArticle = (format: string): string => (format in FORMATS ? FORMATS[format as keyof typeof FORMATS][1] : formatTitle(format));

/** Whether a run is of PyTorch traces, which the PyTorch Profiler tab shows too and which have steps to delimit. True if the
 *  server names no format: it then has only traces. */
export function isTrace(run: RunEntry | undefined): boolean {
  return run?.format === undefined || run.format === 'torch_profiler_trace';
}

export interface Missing {
  what: 'run' | 'worker' | 'span';
  name: string;
}

/** The first part of a side (run, worker, span) that does not exist; null if all exist. */
export function missingOf(answer: RunsAnswer, side: Side): Missing | null {
  const run = findRun(answer, side.run);
  if (!run) return { what: 'run', name: side.run };
  const workers = run.workers.filter((entry) => side.worker === null || entry.worker === side.worker);
  if (workers.length === 0) return { what: 'worker', name: side.worker ?? '' };
  if (side.span !== null && !workers.some((entry) => entry.spans.some((span) => span.span === side.span)))
    return { what: 'span', name: side.span };
  return null;
}

/** Runs whose figures can be attached to the kernels of a trace. */
export function attachable(answer: RunsAnswer): RunEntry[] {
  return answer.runs.filter((run) => run.format === 'kernel_listing' || run.format === 'ncu_csv');
}

/** Files of a side, including those of its attached listing. */
export function filesOf(answer: RunsAnswer, side: Side): SpanFile[] {
  const own = (findRun(answer, side.run)?.workers ?? [])
    .filter((entry) => side.worker === null || entry.worker === side.worker)
    .flatMap((entry) => entry.spans.filter((span) => side.span === null || span.span === side.span))
    .flatMap((span) => span.files);
  const attached = side.launches === undefined ? [] : filesOf(answer, wholeRun(side.launches));
  return [...own, ...attached];
}

/** A text that changes whenever a file of the side changes. */
export function fingerprint(answer: RunsAnswer, side: Side): string {
  return filesOf(answer, side)
    .map((file) => `${file.name}|${file.bytes}|${file.modified}`)
    .sort()
    .join('\n');
}

/** Spans of a run, over all workers or one. */
export function spansOf(run: RunEntry, worker: string | null): string[] {
  const spans = new Set<string>();
  for (const entry of run.workers) if (worker === null || entry.worker === worker) for (const span of entry.spans) spans.add(span.span);
  return [...spans];
}

/** The first two spans of one worker as a pair, which compares the run with itself; null if no worker has two. */
export function spanPair(run: RunEntry): Pair | null {
  for (const worker of run.workers) {
    const [first, second] = worker.spans;
    if (first && second)
      return {
        baseline: { run: run.run, worker: worker.worker, span: first.span },
        candidate: { run: run.run, worker: worker.worker, span: second.span },
        reason: '',
      };
  }
  return null;
}

/** The pair of a first visit: the server's first suggestion, else the first two runs; null for a single run, which is
 *  compared with itself only on request. */
export function defaultPair(answer: RunsAnswer): Pair | null {
  const suggested = answer.pairs[0];
  if (suggested) return suggested;
  const [first, second] = answer.runs;
  if (!first || !second) return null;
  return { baseline: wholeRun(first.run), candidate: wholeRun(second.run), reason: '' };
}

/** The side with another run's kernel figures attached; "" removes them. */
export function withLaunches({ launches: _, ...side }: Side, launches: string): Side {
  return launches === '' ? side : { ...side, launches };
}

/** The side limited to these steps; "" means all. */
export function withSteps({ steps: _, ...side }: Side, steps: string): Side {
  return steps === '' ? side : { ...side, steps };
}

/** Query parameters of sides, under the names that the route uses, and of how steps are found. */
export function queryOf(sides: Record<string, Side>, window: string, marker: string, kind: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, { run, ...parts }] of Object.entries(sides)) {
    query.set(name, run);
    for (const part of ['worker', 'span', 'steps', 'launches'] as const) if (parts[part] != null) query.set(`${name}_${part}`, parts[part]);
  }
  if (window !== 'device') query.set('step_window', window);
  if (marker !== '') query.set('step_marker', marker);
  if (kind !== '') query.set('kind', kind);
  return query;
}

export function sideQuery(a: Side, b: Side, window: string, marker = '', kind = ''): URLSearchParams {
  return queryOf({ baseline: a, candidate: b }, window, marker, kind);
}

/** Goes to a comparison that the summary offers instead: of two captures of one side, or of ranges of steps. */
export function alternativeChange(one: Alternative, a: Side, b: Side, window: Address['window']): Change {
  const alone = one.side === 'baseline' ? a : one.side === 'candidate' ? b : null;
  if (alone) {
    const capture = (at: 0 | 1): Side => ({ ...alone, worker: one.workers?.[at] ?? alone.worker, span: one.spans?.[at] ?? alone.span });
    return { a: capture(0), b: capture(1), row: '', ...FRESH_STEPS };
  }
  const steps = (side: Side, range: string | null): Side => (range === null ? side : withSteps(side, range));
  return { a: steps(a, one.baseline_steps), b: steps(b, one.candidate_steps), window: one.step_window ?? window, row: '', ...FRESH_STEPS };
}
