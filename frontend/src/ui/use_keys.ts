// Keyboard shortcuts of the whole tab.

import { useLayoutEffect, useRef } from 'preact/hooks';

interface KeyActions {
  [key: string]: ((n: number) => unknown) | undefined;
  digit: (n: number) => unknown;
}

/** Runs a key's action and stops the event; ignores keys with a modifier. */
export function runKeyAction(event: KeyboardEvent, actions: Record<string, (() => unknown) | undefined>): void {
  const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

/** Runs the actions of single keys, unless the reader is typing or holds a modifier. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      // a drop-down list uses letters and digits to find its options
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
