// Controls that form one tab stop (roving tab index): arrow keys, Home and End move between them.

import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export function Toolbar({ label, class: name, children }: { label: string; class: string; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  return (
    <div ref={box} class={name} role="toolbar" aria-label={label} {...useOneStop(box)}>
      {children}
    </div>
  );
}

/** Makes the controls in a box one tab stop. */
export function useOneStop(box: RefObject<HTMLElement | null>, [forward, back] = ['ArrowRight', 'ArrowLeft']) {
  /** the control that holds the roving tab index */
  const held = useRef<HTMLElement | null>(null);
  // controls in an open menu or dialog keep their own tab stops
  const controls = (): HTMLElement[] => [...(box.current?.querySelectorAll<HTMLElement>('button, select, input, [role=columnheader][tabindex]') ?? [])].filter((one) => !one.closest('.pop, dialog'));
  const hold = (): void => {
    const all = controls();
    const enabled = all.filter((one) => !one.matches(':disabled'));
    if (!held.current || !enabled.includes(held.current)) held.current = enabled.find((one) => one.ariaPressed === 'true') ?? enabled[0] ?? null;
    for (const one of all) one.tabIndex = one === held.current ? 0 : -1;
  };
  useLayoutEffect(() => {
    hold();
    // a control that is loaded later joins the others
    const observer = new MutationObserver(hold);
    observer.observe(box.current!, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => observer.disconnect();
  }, []);
  const onFocusIn = (event: FocusEvent): void => {
    const focused = event.target as HTMLElement;
    if (!controls().includes(focused)) return;
    held.current = focused;
    hold();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = controls().filter((one) => !one.matches(':disabled'));
    const at = all.indexOf(event.target as HTMLElement);
    const moves: Record<string, number> = { [forward!]: at + 1, [back!]: at - 1, Home: 0, End: all.length - 1 };
    const next = moves[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    all[(next + all.length) % all.length]!.focus();
  };
  return { onFocusIn, onKeyDown };
}
