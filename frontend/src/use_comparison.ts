// The pair's comparison: what is asked of the server, its answer, and the views that the answer has.

import { useMemo } from 'preact/hooks';
import { useAnswer } from './api/use_answer';
import type { Comparison, RunsAnswer, Side } from './contract/wire';
import { comparisonOf } from './early';
import { STRICT, SUMMARY } from './host/tab';
import type { Address } from './host/url_state';
import { fingerprint, missingOf, sideQuery, type Missing } from './pair/selection';
import { tabsOf } from './tabs';
import { BoundedCache } from './ui/kept';
import { LETTERS, sideName, type Letter } from './ui/sides';
import { areRenamed, DRAWN, viewsOf } from './views';

const comparisons = new BoundedCache<Comparison>(8);

/** `loaded` is the list of runs that the reader accepted, `answer` the latest. On other pages than the pair's nothing is asked. */
export function useComparison(answer: RunsAnswer | null, loaded: RunsAnswer | null, a: Side | null, b: Side | null, address: Address) {
  const paired = address.page === '';
  const { window, marker, kind } = address;
  const { question, query, missing, newer } = useMemo(() => questionOf(answer, loaded, paired ? a : null, b, address), [answer, loaded, paired, JSON.stringify([a, b]), window, marker, kind]);
  const [state, again, cancel] = useAnswer(comparisons, question, (signal, onProgress) => comparisonOf(query!, onProgress, signal));
  const comparison = paired && state.status === 'ready' ? state.answer : null;
  // the comparison on screen may still answer the previous question
  const asked = state.status === 'ready' ? state.question : '';
  const compared = useMemo(() => new URLSearchParams(asked.split('\n', 1)[0]), [asked]);
  const wanted = DRAWN[address.tab] ?? address.tab;
  const tabs = useMemo(() => (comparison ? tabsOf(comparison, wanted) : []), [comparison, wanted]);
  const views = useMemo(() => viewsOf(tabs, areRenamed(comparison?.tables.kernels)), [tabs]);
  const tab = tabs.some((entry) => entry.id === wanted) ? wanted : SUMMARY;
  const strict = tabs.some((entry) => entry.id === STRICT && entry.absent === '');
  return { question, missing, newer, state, again, cancel, comparison, compared, tabs, views, tab, strict };
}

interface Question {
  /** null while there is nothing to request */
  question: string | null;
  query: URLSearchParams | null;
  missing: ({ side: Letter } & Missing) | null;
  /** names of the sides whose files changed since they were compared, "" for none */
  newer: string;
}

/** The request for the pair, with its files as of the list of runs that the reader accepted. */
function questionOf(answer: RunsAnswer | null, loaded: RunsAnswer | null, a: Side | null, b: Side | null, { window, marker, kind }: Address): Question {
  const nothing: Question = { question: null, query: null, missing: null, newer: '' };
  if (!answer || !a || !b) return nothing;
  const sides = { a, b };
  for (const side of LETTERS) {
    const missing = missingOf(answer, sides[side]);
    if (missing) return { ...nothing, missing: { side, ...missing } };
  }
  const query = sideQuery(a, b, window, marker, kind);
  const accepted = loaded ?? answer;
  const stamp = (side: Side): string => fingerprint(missingOf(accepted, side) ? answer : accepted, side);
  const question = [query.toString(), stamp(a), stamp(b)].join('\n');
  const newer = LETTERS.filter((side) => stamp(sides[side]) !== fingerprint(answer, sides[side])).map(sideName).join(', ');
  return { ...nothing, question, query, newer };
}
