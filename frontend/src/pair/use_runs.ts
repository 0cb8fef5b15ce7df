// The list of runs: fetched at the start and whenever TensorBoard reloads its data.

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type Failure, fetchRuns, RequestError } from '../api/api';
import type { RunsAnswer } from '../contract/wire';
import { isVisible, onDataReloaded, onShown } from '../host/host';

const FIRST_RETRY_S = 2;
const LONGEST_RETRY_S = 30;

/** `first` fetches the initial list. `retryIn` are the seconds until the next retry after the server became unreachable; 0 if none is
 *  planned. */
export function useRuns(first: () => Promise<RunsAnswer>) {
  const [answer, setAnswer] = useState<RunsAnswer | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [scanning, setScanning] = useState(true);
  const [retryIn, setRetryIn] = useState(0);
  const wait = useRef(FIRST_RETRY_S);

  const take = useCallback((asked: Promise<RunsAnswer>) => {
    setScanning(true);
    setRetryIn(0);
    asked
      .then((next) => {
        wait.current = FIRST_RETRY_S;
        setAnswer(next);
        setFailure(null);
      })
      .catch((error: unknown) => {
        const failed = asFailure(error);
        setFailure(failed);
        if (failed instanceof RequestError && failed.code === 'unreachable') {
          setRetryIn(wait.current);
          wait.current = Math.min(LONGEST_RETRY_S, 2 * wait.current);
        }
      })
      .finally(() => setScanning(false));
  }, []);
  const refresh = useCallback((rescan: boolean) => take(fetchRuns(rescan)), [take]);

  useLayoutEffect(() => take(first()), []);
  const stale = useRef(false);
  useLayoutEffect(
    () =>
      onDataReloaded(() => {
        if (isVisible()) refresh(true);
        else stale.current = true; // hidden: rescan when shown
      }),
    [refresh],
  );
  useLayoutEffect(
    () =>
      onShown(() => {
        if (stale.current) refresh(true);
        stale.current = false;
      }),
    [refresh],
  );
  useLayoutEffect(() => {
    if (retryIn <= 0) return undefined;
    const timer = setTimeout(() => {
      if (!isVisible()) setRetryIn(retryIn); // hidden: wait until shown
      else if (retryIn > 1) setRetryIn(retryIn - 1);
      else refresh(false);
    }, 1000);
    return () => clearTimeout(timer);
  }, [retryIn, refresh]);

  return { answer, failure, scanning, retryIn, refresh };
}
