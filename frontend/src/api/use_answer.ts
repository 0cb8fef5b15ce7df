// Fetches the answer to the latest question only, after a delay that skips rows passed by quickly.

import { useLayoutEffect, useState } from 'preact/hooks';
import { asFailure, type Failure } from './api';

interface Answered<T> {
  /** the question answered, which may be the previous one */
  key: string;
  found: T | null;
  failure: Failure | null;
}

/** `key` identifies the question, "" for none; it is asked after `wait` milliseconds unless it changes. The last answer stays
 *  until the next arrives. */
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
