// The contract of api/verdicts, and how it is asked.

import type { VerdictRow, VerdictsAnswer } from '../contract/sent';
import type { Progress, Side } from '../contract/wire';

export type { Adjusted, Look, RowTimes, SideBrief, VerdictsAnswer } from '../contract/sent';

/** What one candidate gives: a comparison, or why there is none. */
export type Row = Pick<VerdictRow, 'error' | 'look'>;

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
