// Fetches one streamed answer at a time, with its progress; the last few are cached, so that going back is instant.

import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import type { Progress } from '../contract/wire';
import type { BoundedCache } from '../ui/kept';
import { asFailure, type Failure } from './api';

/** How far the server has read a file. */
export interface FileProgress extends Progress {
  finished: boolean;
}

/** Adds a progress line to the list, which has one entry per file in order of first mention. */
export function foldProgress(files: FileProgress[], progress: Progress): FileProgress[] {
  if (progress.path === '') {
    const over = progress.phase === 'comparing';
    return over ? files.map((file) => ({ ...file, finished: true })) : files;
  }
  const entry = { ...progress, finished: progress.phase === 'done' };
  const known = files.some((file) => file.path === progress.path);
  return known ? files.map((file) => (file.path === progress.path ? entry : file)) : [...files, entry];
}

interface Streamed<T> {
  status: 'none' | 'loading' | 'ready' | 'failed' | 'cancelled';
  /** the latest answer; while another is loading, the previous one */
  answer: T | null;
  /** the question that `answer` answers */
  question: string;
  failure: Failure | null;
  /** progress of the files read for the loading answer, the latest line of it, and the Unix time in milliseconds when it was
   *  requested */
  files: FileProgress[];
  progress: Progress | null;
  since: number;
}

const NONE: Streamed<never> = { status: 'none', answer: null, question: '', failure: null, files: [], progress: null, since: 0 };

/** `question` identifies everything that the answer depends on; null requests nothing. Also returns callbacks that retry and
 *  cancel. */
export function useStream<T>(kept: BoundedCache<T>, question: string | null, ask: (onProgress: (progress: Progress) => void, signal: AbortSignal) => Promise<T>): [Streamed<T>, () => void, () => void] {
  const [state, setState] = useState<Streamed<T>>(NONE);
  const [attempt, setAttempt] = useState(0);
  const [cancelled, setCancelled] = useState<string | null>(null);
  useLayoutEffect(() => {
    const known = question === null ? undefined : kept.get(question);
    if (question === null || cancelled === question) {
      setState({ ...NONE, status: question === null ? 'none' : 'cancelled' });
      return undefined;
    }
    if (known) {
      setState({ ...NONE, status: 'ready', answer: known, question });
      return undefined;
    }
    const controller = new AbortController();
    let current = true;
    setState(({ answer, question: answered }) => ({ ...NONE, status: 'loading', answer, question: answered, since: Date.now() }));
    const onProgress = (progress: Progress): void => {
      if (current) setState((before) => ({ ...before, files: foldProgress(before.files, progress), progress }));
    };
    ask(onProgress, controller.signal)
      .then((answer) => {
        kept.set(question, answer);
        if (current) setState({ ...NONE, status: 'ready', answer, question });
      })
      .catch((error: unknown) => {
        if (current) setState({ ...NONE, status: 'failed', failure: asFailure(error) });
      });
    return () => {
      current = false;
      controller.abort();
    };
  }, [question, attempt, cancelled]);
  const again = useCallback(() => {
    setCancelled(null);
    setAttempt((n) => n + 1);
  }, []);
  return [state, again, useCallback(() => setCancelled(question), [question])];
}
