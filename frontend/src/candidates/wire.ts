// The contract of api/verdicts, and how it is asked.

import type { VerdictRow, VerdictsAnswer } from '../contract/sent';
import type { Progress, Side } from '../contract/wire';
import { queryOf, withLaunches } from '../pair/selection';

export type { Adjusted, Look, RowTimes, SideBrief, VerdictsAnswer } from '../contract/sent';

/** What one candidate gives: a comparison, or why there is none. */
export type Row = Pick<VerdictRow, 'error' | 'look'>;

export type VerdictsLine = { progress: Progress & { row: number } } | { row: Row & { row: number } } | { result: VerdictsAnswer };

/** MOST_CANDIDATES of tb_perfcompare/workspace/queries/candidates.py */
export const MOST_CANDIDATES = 20;

export function verdictsQuery(baseline: Side, candidates: Side[], window: string, marker = '', kind = ''): URLSearchParams {
  const others = candidates.slice(0, MOST_CANDIDATES).map((side, index) => [`candidate_${index + 1}`, withLaunches(side, '')]);
  return queryOf({ baseline: withLaunches(baseline, ''), ...Object.fromEntries(others) }, window, marker, kind);
}
