// Side panel of charts with marks: the largest rows, the legend, rows left out. Also hit testing of marks.

import type { ComponentChildren } from 'preact';
import { formatIn, NOT_MEASURED, type NumberStyle } from '../../ui/format';
import { NameText } from '../../ui/name_text';
import { text } from '../../ui/strings';
import { diamond, type Mark } from './parts';
import type { Undrawn } from '../largest_points';

/** A mark can be hit within this many pixels of its edge. */
const REACH = 10;

/** Mark under the pointer. Inside several marks the smaller wins, since it may lie on top of a large one. */
export function nearest<T>(marks: Mark<T>[], event: MouseEvent, largest: number): Mark<T> | null {
  const frame = (event.currentTarget as Element).getBoundingClientRect();
  const [px, py] = [event.clientX - frame.left, event.clientY - frame.top];
  let best: Mark<T> | null = null;
  let least = REACH;
  for (const one of marks) {
    const away = Math.hypot(one.x - px, one.y - py);
    const rank = away <= one.r ? one.r / largest - 2 : away - one.r;
    if (rank < least) [best, least] = [one, rank];
  }
  return best;
}

interface ItemProps {
  /** full name for the tooltip; `name` is what is shown */
  title: string;
  name: string;
  classes?: string;
  selected: boolean;
  onActive: (active: boolean) => void;
  onOpen: () => void;
  children: ComponentChildren;
}

/** List item of a row; focus or hover highlights its marks, so the keyboard reaches them too. */
export function Item({ title, name, classes = '', selected, onActive, onOpen, children }: ItemProps) {
  return (
    <li>
      <button
        type="button"
        class={`scatter-item${classes}${selected ? ' selected' : ''}`}
        title={title}
        onFocus={() => onActive(true)}
        onBlur={() => onActive(false)}
        onMouseEnter={() => onActive(true)}
        onMouseLeave={() => onActive(false)}
        onClick={onOpen}
      >
        <span class="scatter-name">
          <NameText name={name} />
        </span>
        {children}
      </button>
    </li>
  );
}

/** Two values of one row, A above B; a dash for a missing side. */
export function Pair({ what, a, b }: { what: string; a: string | null; b: string | null }) {
  return (
    <span class="scatter-pair num stack">
      <span class="text-a">
        <span class="sr">{`${what} ${text.sideA} `}</span>
        {a ?? NOT_MEASURED}
      </span>
      <span class="text-b">
        <span class="sr">{`${what} ${text.sideB} `}</span>
        {b ?? NOT_MEASURED}
      </span>
    </span>
  );
}

/** Legend of both sides' marks, followed by further entries. */
export function Legend({ children }: { children: ComponentChildren }) {
  return (
    <p class="legend small soft">
      <span>
        <svg width="16" height="14" aria-hidden="true">
          <circle class="scatter-a" cx="8" cy="7" r="5.5" />
        </svg>{' '}
        {text.sideA}
      </span>
      <span>
        <svg width="16" height="14" aria-hidden="true">
          <path class="scatter-b" d={diamond(8, 7, 5)} />
        </svg>{' '}
        {text.sideB}
      </span>
      {children}
    </p>
  );
}

/** Number and time of the rows without a mark; empty if there are none. */
export function LeftOut({ left, say, style }: { left: Undrawn; say: (n: number, a: string, b: string) => string; style: NumberStyle }) {
  const shown = (us: number): string => `${formatIn(style, us)}\u202f${style.unit}`;
  return left.count === 0 ? null : <p class="scatter-left muted small">{say(left.count, shown(left.a_us), shown(left.b_us))}</p>;
}
