// Types and query of the api/verdicts route.

import type { VerdictRow, VerdictsAnswer } from '../contract/sent';
import type { Progress, Side } from '../contract/wire';
import { queryOf, withLaunches } from '../pair/selection';

export type { Adjusted, CandidateResult, RowTimes, SideBrief, VerdictsAnswer } from '../contract/sent';

/** One candidate's result: the comparison in brief, or the error. */
export type Row = Pick<VerdictRow, 'error' | 'result'>;

export type VerdictsLine = { progress: Progress & { row: number } } | { row: Row & { row: number } } | { result: VerdictsAnswer };

/** Most candidates of one request; equals MAX_CANDIDATES of tb_perfcompare/workspace/queries/candidates.py */
export const MAX_CANDIDATES = 20;

export function verdictsQuery(baseline: Side, candidates: Side[], window: string, marker = '', kind = ''): URLSearchParams {
  const others = candidates.slice(0, MAX_CANDIDATES).map((side, index) => [`candidate_${index + 1}`, withLaunches(side, '')]);
  return queryOf({ baseline: withLaunches(baseline, ''), ...Object.fromEntries(others) }, window, marker, kind);
}
