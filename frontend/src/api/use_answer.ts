// Fetches the answer to the latest question, with its progress; the last few are cached, so that going back is instant.

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

/** Progress lines that come within this time are drawn together: a job of many ranks has hundreds of files. */
const TOGETHER_MS = 100;

interface Answered<T> {
  status: 'none' | 'loading' | 'ready' | 'failed' | 'cancelled';
  /** the latest answer; while another is loading or has failed, the previous one */
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

const NONE: Answered<never> = { status: 'none', answer: null, question: '', failure: null, files: [], progress: null, since: 0 };

/** `question` identifies everything that the answer depends on; null requests nothing. It is asked after `wait` milliseconds, which
 *  skips rows passed by quickly. Also returns callbacks that retry and cancel. */
export function useAnswer<T>(kept: BoundedCache<T>, question: string | null, ask: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<T>, wait = 0): [Answered<T>, () => void, () => void] {
  const [state, setState] = useState<Answered<T>>(NONE);
  const [attempt, setAttempt] = useState(0);
  const [cancelled, setCancelled] = useState<string | null>(null);
  const known = question === null ? undefined : kept.get(question);
  const ready = (answer: T): Answered<T> => ({ ...NONE, status: 'ready', answer, question: question! });
  useLayoutEffect(() => {
    if (question === null || cancelled === question) {
      setState({ ...NONE, status: question === null ? 'none' : 'cancelled' });
      return undefined;
    }
    if (known !== undefined) {
      setState(ready(known));
      return undefined;
    }
    const controller = new AbortController();
    const unlessOver = (change: (before: Answered<T>) => Answered<T>): void => {
      if (!controller.signal.aborted) setState(change);
    };
    const before = ({ answer, question: answered }: Answered<T>) => ({ ...NONE, answer, question: answered });
    unlessOver((state) => ({ ...before(state), status: 'loading', since: Date.now() }));
    let lines: Progress[] = [];
    const draw = (): void => {
      const came = lines;
      lines = [];
      unlessOver((state) => (state.status === 'loading' ? { ...state, files: came.reduce(foldProgress, state.files), progress: came.at(-1)! } : state));
    };
    const start = (): void => {
      ask(controller.signal, (progress) => lines.push(progress) === 1 && setTimeout(draw, TOGETHER_MS))
        .then((answer) => {
          kept.set(question, answer);
          unlessOver(() => ready(answer));
        })
        .catch((error: unknown) => unlessOver((state) => ({ ...before(state), status: 'failed', failure: asFailure(error) })));
    };
    const timer = wait > 0 ? setTimeout(start, wait) : start();
    return () => {
      clearTimeout(timer as ReturnType<typeof setTimeout> | undefined);
      controller.abort();
    };
  }, [question, attempt, cancelled]);
  const again = useCallback(() => {
    setCancelled(null);
    setAttempt((n) => n + 1);
  }, []);
  return [known !== undefined && state.question !== question ? ready(known) : state, again, useCallback(() => setCancelled(question), [question])];
}
