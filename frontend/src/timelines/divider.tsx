// Draggable divider between the timelines of A and B.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { runKeyAction } from '../ui/use_keys';
import { words } from './data/words';

/** Smallest share of the height for a pane. */
const MIN_SHARE = 0.12;
const STEP = 0.05;

interface Props {
  /** share of the upper pane; null: each pane is as high as its lanes need */
  share: number | null;
  onShare: (share: number | null) => void;
}

const within = (share: number): number => Math.min(1 - MIN_SHARE, Math.max(MIN_SHARE, share));

/** Share of both panes' height above `y` in the window; the panes are the divider's siblings. */
function shareAt(divider: HTMLElement, y: number): number {
  const above = divider.previousElementSibling!.getBoundingClientRect();
  const below = divider.nextElementSibling!.getBoundingClientRect();
  return (y - above.top) / Math.max(1, below.bottom - above.top);
}

export function Divider({ share, onShare }: Props) {
  const dragged = useRef(false);
  /** Disables text selection while dragging, even if the pointer leaves the divider. */
  const drag = (on: boolean): void => {
    dragged.current = on;
    document.documentElement.style.userSelect = on ? 'none' : '';
  };
  useLayoutEffect(() => () => drag(false), []);
  const now = (divider: HTMLElement): number => share ?? shareAt(divider, divider.getBoundingClientRect().top);
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    const held = now(event.currentTarget);
    runKeyAction(event, {
      ArrowUp: () => onShare(within(held - STEP)),
      ArrowDown: () => onShare(within(held + STEP)),
      Home: () => onShare(MIN_SHARE),
      End: () => onShare(1 - MIN_SHARE),
      Enter: () => onShare(null),
    });
  };
  return (
    <div
      class="st-divider"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label={words.divider.label}
      aria-valuemin={100 * MIN_SHARE}
      aria-valuemax={100 - 100 * MIN_SHARE}
      aria-valuenow={Math.round(100 * (share ?? 0.5))}
      aria-valuetext={share === null ? words.divider.automatic : undefined}
      title={words.divider.about}
      onKeyDown={onKeyDown}
      onDblClick={() => onShare(null)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.focus({ preventScroll: true });
        event.currentTarget.setPointerCapture(event.pointerId);
        drag(true);
      }}
      onPointerMove={(event) => dragged.current && onShare(within(shareAt(event.currentTarget, event.clientY)))}
      onPointerUp={() => drag(false)}
      onPointerCancel={() => drag(false)}
    />
  );
}
