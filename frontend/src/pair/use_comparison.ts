// One comparison at a time, its progress, and the last few results so that going back is instant.

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fetchComparison } from '../api/api';
import { asFailure, type Failure } from '../api/failure';
import { foldProgress, type FileProgress } from '../api/progress';
import type { Comparison, Progress } from '../contract/wire';

export type ComparisonState =
  | { status: 'none' }
  | { status: 'loading'; files: FileProgress[]; phase: string; since: number; cancel: () => void }
  | { status: 'ready'; comparison: Comparison; question: string }
  | { status: 'failed'; failure: Failure }
  | { status: 'cancelled' };

const KEPT_RESULTS = 8;

/** `question` is the query string plus the state of the files; null asks nothing. */
export function useComparison(question: string | null, query: URLSearchParams | null): [ComparisonState, () => void] {
  const [state, setState] = useState<ComparisonState>({ status: 'none' });
  const [attempt, setAttempt] = useState(0);
  const results = useRef(new Map<string, Comparison>());

  useLayoutEffect(() => {
    if (question === null || query === null) {
      setState({ status: 'none' });
      return undefined;
    }
    const known = results.current.get(question);
    if (known) {
      setState({ status: 'ready', comparison: known, question });
      return undefined;
    }
    const controller = new AbortController();
    let current = true;
    const cancel = (): void => {
      current = false;
      controller.abort();
      setState({ status: 'cancelled' });
    };
    setState({ status: 'loading', files: [], phase: 'queued', since: Date.now(), cancel });
    const onProgress = (progress: Progress): void => {
      if (!current) return;
      setState((before) =>
        before.status === 'loading'
          ? { ...before, files: foldProgress(before.files, progress), phase: progress.phase }
          : before,
      );
    };
    fetchComparison(query, onProgress, controller.signal)
      .then((comparison) => {
        if (!current) return;
        results.current.set(question, comparison);
        const oldest = results.current.keys().next().value;
        if (results.current.size > KEPT_RESULTS && oldest !== undefined) results.current.delete(oldest);
        setState({ status: 'ready', comparison, question });
      })
      .catch((error: unknown) => {
        if (current) setState({ status: 'failed', failure: asFailure(error) });
      });
    return () => {
      current = false;
      controller.abort();
    };
    // the query is part of the question
  }, [question, attempt]);

  const again = useCallback(() => setAttempt((n) => n + 1), []);
  return [state, again];
}
