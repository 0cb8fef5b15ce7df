// Keys of the whole tab.

import { useLayoutEffect, useRef } from 'preact/hooks';

interface KeyActions {
  [key: string]: ((n: number) => unknown) | undefined;
  digit: (n: number) => unknown;
}

/** Does what a key is for, and keeps it from whatever is around; keys with a modifier are for nothing. */
export function actOn(event: KeyboardEvent, actions: Record<string, (() => unknown) | undefined>): void {
  const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

/** Single keys, unless something is being typed or a modifier is held. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      // a list takes letters and digits for its options
      const listed = target.matches?.('select') && event.key !== '/' && event.key !== '?';
      const typing = listed || target.matches?.('input:not([type=checkbox]), textarea') || target.closest?.('dialog, .pop');
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (typing) {
        if (event.key === 'Escape' && target.matches('.search input') && !target.closest('dialog')) target.blur();
        return;
      }
      const action = /^[1-6]$/.test(event.key) ? latest.current.digit : latest.current[event.key];
      if (!action) return;
      if (event.key === '/' || event.key === '?') event.preventDefault();
      action(Number(event.key));
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
