// Sends the tab's first requests before anything is drawn: the list of runs and, if the address names both sides, their
// comparison.

import { fetchComparison, fetchRuns } from './api/api';
import type { Comparison, Progress, RunsAnswer } from './contract/wire';
import { currentHash } from './host/host';
import { readHash } from './host/url_state';
import { sideQuery } from './pair/selection';

type Ask = typeof fetchComparison;

interface Asked {
  query: string;
  answer: Promise<Comparison>;
  /** replays the progress so far, then reports what follows */
  follow: (onProgress: (progress: Progress) => void) => void;
  abort: () => void;
}

let runs: Promise<RunsAnswer> | null = null;
let asked: Asked | null = null;

export function requestEarly(): void {
  runs = fetchRuns(false);
  runs.catch(() => undefined); // callers that await it handle the error
  const { a, b, page, window, marker, kind } = readHash(currentHash());
  if (page === '' && a && b) asked = begun(sideQuery(a, b, window, marker, kind));
}

function begun(query: URLSearchParams): Asked {
  const controller = new AbortController();
  const so: Progress[] = [];
  let report = (progress: Progress): void => void so.push(progress);
  const answer = fetchComparison(query, (progress) => report(progress), controller.signal);
  answer.catch(() => undefined);
  return {
    query: query.toString(),
    answer,
    follow: (onProgress) => {
      so.forEach(onProgress);
      report = onProgress;
    },
    abort: () => controller.abort(),
  };
}

/** The list of runs: the early request's answer on the first call, later a new request. */
export function firstRuns(): Promise<RunsAnswer> {
  const found = runs ?? fetchRuns(false);
  runs = null;
  return found;
}

/** A comparison: the early request's answer if it is the first one wanted, else a new request. */
export const comparisonOf: Ask = (query, onProgress, signal) => {
  const found = asked;
  asked = null;
  if (found?.query !== query.toString()) {
    found?.abort();
    return fetchComparison(query, onProgress, signal);
  }
  found.follow(onProgress);
  signal.addEventListener('abort', found.abort);
  return found.answer;
};
