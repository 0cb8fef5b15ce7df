// The strict report of the shown pair: asked for when its view opens, let go when it is left.

import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { fetchStrict } from '../api/api';
import { asFailure, type Failure } from '../api/failure';
import { foldProgress, type FileProgress } from '../api/progress';
import type { StrictAnswer } from '../contract/strict_wire';

export interface StrictState {
  /** null until there is one; the one before while another is on its way */
  answer: StrictAnswer | null;
  failure: Failure | null;
  waiting: boolean;
  /** what is read for it, and since when, in milliseconds */
  files: FileProgress[];
  phase: string;
  since: number;
}

const KEPT = 8;
const answers = new Map<string, StrictAnswer>();

function settled(answer: StrictAnswer | null, failure: Failure | null = null): StrictState {
  return { answer, failure, waiting: false, files: [], phase: '', since: 0 };
}

function begun(answer: StrictAnswer | null): StrictState {
  return { answer, failure: null, waiting: true, files: [], phase: 'queued', since: Date.now() };
}

/** `question` names the files as they are now; the query is the rest of what is asked. Also how to ask again, and how to
 * stop waiting: then there is neither an answer nor a failure. */
export function useStrict(question: string, query: URLSearchParams): [StrictState, () => void, () => void] {
  const key = `${question}\n${query.toString()}`;
  const [state, setState] = useState<StrictState>(() => begun(answers.get(key) ?? null));
  const [attempt, setAttempt] = useState(0);
  const [cancelled, setCancelled] = useState('');
  useLayoutEffect(() => {
    if (cancelled === key) {
      setState(settled(null));
      return undefined;
    }
    const known = answers.get(key);
    if (known) {
      setState(settled(known));
      return undefined;
    }
    const controller = new AbortController();
    let current = true;
    setState((before) => begun(before.answer));
    fetchStrict(
      query,
      (progress) => {
        if (current) setState((before) => ({ ...before, files: foldProgress(before.files, progress), phase: progress.phase }));
      },
      controller.signal,
    )
      .then((answer) => {
        answers.set(key, answer);
        const oldest = answers.keys().next().value;
        if (answers.size > KEPT && oldest !== undefined) answers.delete(oldest);
        if (current) setState(settled(answer));
      })
      .catch((error: unknown) => {
        if (current) setState(settled(null, asFailure(error)));
      });
    return () => {
      current = false;
      controller.abort();
    };
  }, [key, attempt, cancelled]);
  const again = useCallback(() => {
    setCancelled('');
    setAttempt((n) => n + 1);
  }, []);
  return [state, again, useCallback(() => setCancelled(key), [key])];
}
