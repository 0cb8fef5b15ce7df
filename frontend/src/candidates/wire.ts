// The contract of api/verdicts, and how it is asked.

import type { Check, Device, Finding, Headline, Progress, ServerError, Side } from '../contract/wire';

export interface SideBrief {
  run: string;
  format: string;
  device: Device;
  steps: { count: number; admitted: number; dropped: { reason: string; steps: number }[] };
  captures: number;
}

/** Time per step of a part or of a row of a table by its key; null on a side that does not have it. */
export interface RowTimes {
  name: string;
  baseline_us: number | null;
  candidate_us: number | null;
}

/** A comparison in brief; `rows` are the largest of `table`; `checks` are those that warn or failed. */
export interface Look {
  baseline: SideBrief;
  candidate: SideBrief;
  headline: Headline;
  checks: Check[];
  cause: Finding | null;
  causes: number;
  parts: RowTimes[];
  table: string;
  rows: RowTimes[];
}

/** What one candidate gives: a comparison, or why there is none. */
export interface Row {
  error: ServerError | null;
  look: Look | null;
}

/** p after Holm over all looks; `stands` is null for a verdict that claims no difference. */
export interface Adjusted {
  p: number;
  stands: boolean | null;
}

export interface VerdictsAnswer {
  schema: string;
  alpha: number;
  looks: number;
  rows: (Row & { adjusted: Adjusted | null })[];
}

export type VerdictsLine = { progress: Progress & { row: number } } | { row: Row & { row: number } } | { result: VerdictsAnswer };

/** MOST_CANDIDATES of tb_perfcompare/workspace/queries/candidates.py */
export const MOST_CANDIDATES = 20;

export function verdictsQuery(baseline: Side, candidates: Side[], window: string, marker = '', kind = ''): URLSearchParams {
  const query = new URLSearchParams();
  const add = (name: string, side: Side): void => {
    query.set(name, side.run);
    if (side.worker !== null) query.set(`${name}_worker`, side.worker);
    if (side.span !== null) query.set(`${name}_span`, side.span);
    if (side.steps !== undefined) query.set(`${name}_steps`, side.steps);
  };
  add('baseline', baseline);
  candidates.slice(0, MOST_CANDIDATES).forEach((side, index) => add(`candidate_${index + 1}`, side));
  if (window !== 'device') query.set('step_window', window);
  if (marker !== '') query.set('step_marker', marker);
  if (kind !== '') query.set('kind', kind);
  return query;
}
