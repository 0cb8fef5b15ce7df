// A note next to the pointer or the chosen mark. What it says is also said to screen readers, elsewhere.

import { Badge, LETTERS, type Letter } from '../sides';

interface Props {
  /** the place it points at, and the room it must stay in, in pixels of its container */
  x: number;
  y: number;
  width: number;
  children: preact.ComponentChildren;
}

const OFFSET = 14;

/** Figures of both sides, the cells of a row each; what else there is follows as rows of its own. */
export function SideFigures({ of, children }: { of: (side: Letter) => preact.ComponentChildren; children?: preact.ComponentChildren }) {
  return (
    <table class="tooltip-figures">
      <tbody>
        {LETTERS.map((side) => (
          <tr key={side}>
            <th scope="row">
              <Badge side={side} />
            </th>
            {of(side)}
          </tr>
        ))}
        {children}
      </tbody>
    </table>
  );
}

export function Tooltip({ x, y, width, children }: Props) {
  const left = x <= width / 2;
  const style = left ? { left: `${x + OFFSET}px`, maxWidth: `${Math.max(180, width - x - OFFSET)}px` } : { right: `${width - x + OFFSET}px`, maxWidth: `${Math.max(180, x - OFFSET)}px` };
  return (
    <div class="tooltip" aria-hidden="true" style={{ ...style, top: `${y}px` }}>
      {children}
    </div>
  );
}
