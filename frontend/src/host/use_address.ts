// Hook for the page's state, which is stored in TensorBoard's address.

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { currentHash, isVisible, onHashChange, setHash } from './host';
import { readHash, writeHash, type Address } from './url_state';

export type Change = Partial<Address>;

/** The page's state, and what merges a change into it; with `push`, Back undoes the change. */
export interface Located {
  address: Address;
  onChange: (change: Change, push?: boolean) => void;
}

export function useAddress(): [Address, Located['onChange']] {
  const [address, setAddress] = useState<Address>(() => readHash(currentHash()));
  const latest = useRef(address);

  const change = useCallback((part: Change, push = false) => {
    latest.current = { ...latest.current, ...part };
    setAddress(latest.current);
    if (isVisible()) setHash(writeHash(currentHash(), latest.current), push);
  }, []);

  useLayoutEffect(
    () =>
      onHashChange(() => {
        const hash = currentHash();
        const next = readHash(hash);
        // own writes raise no event; Back, manual edits and TensorBoard's changes of other keys do
        if (writeHash('', next) === writeHash('', latest.current)) return;
        latest.current = next;
        setAddress(next);
      }),
    [],
  );
  return [address, change];
}
