// The strict report of the shown pair: asked for when its view opens, let go when it is left.

import { useCallback, useEffect, useState } from 'preact/hooks';
import { fetchStrict } from './api';
import type { StrictAnswer } from './strict_wire';
import { asFailure, type Failure } from './use_runs';

export interface StrictState {
  /** null until there is one; the one before while another is on its way */
  answer: StrictAnswer | null;
  failure: Failure | null;
  waiting: boolean;
}

const KEPT = 8;
const answers = new Map<string, StrictAnswer>();

/** `question` names the files as they are now; the query is the rest of what is asked. */
export function useStrict(question: string, query: URLSearchParams): [StrictState, () => void] {
  const key = `${question}\n${query.toString()}`;
  const [state, setState] = useState<StrictState>(() => ({ answer: answers.get(key) ?? null, failure: null, waiting: true }));
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const known = answers.get(key);
    if (known) {
      setState({ answer: known, failure: null, waiting: false });
      return undefined;
    }
    const controller = new AbortController();
    let current = true;
    setState((before) => ({ answer: before.answer, failure: null, waiting: true }));
    fetchStrict(query, controller.signal)
      .then((answer) => {
        answers.set(key, answer);
        const oldest = answers.keys().next().value;
        if (answers.size > KEPT && oldest !== undefined) answers.delete(oldest);
        if (current) setState({ answer, failure: null, waiting: false });
      })
      .catch((error: unknown) => {
        if (current) setState({ answer: null, failure: asFailure(error), waiting: false });
      });
    return () => {
      current = false;
      controller.abort();
    };
  }, [key, attempt]);
  return [state, useCallback(() => setAttempt((n) => n + 1), [])];
}
