// One answer at a time: of the latest question, asked once its row is no longer only passed by.

import { useLayoutEffect, useState } from 'preact/hooks';
import { asFailure, type Failure } from './api';

export interface Answered<T> {
  /** the question that this answers, which may be the one before */
  key: string;
  found: T | null;
  failure: Failure | null;
}

/** `key` names the question, "" for none; `wait` are the milliseconds that it must last. What was found stays until the next answer. */
export function useAnswer<T>(key: string, ask: (signal: AbortSignal) => Promise<T>, wait = 0): Answered<T> {
  const [state, setState] = useState<Answered<T>>({ key: '', found: null, failure: null });
  useLayoutEffect(() => {
    if (key === '') return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      ask(controller.signal)
        .then((found) => setState({ key, found, failure: null }))
        .catch((error: unknown) => {
          if (!controller.signal.aborted) setState({ key, found: null, failure: asFailure(error) });
        });
    }, wait);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return state;
}
