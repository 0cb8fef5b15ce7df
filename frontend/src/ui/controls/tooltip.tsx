// A tooltip next to the pointer or the selected mark. Hidden from screen readers, which get the same text elsewhere.

import { Badge, LETTERS, type Letter } from '../sides';

interface Props {
  /** the point that it describes, and the width that it must stay in, in pixels of its container */
  x: number;
  y: number;
  width: number;
  children: preact.ComponentChildren;
}

const OFFSET = 14;

/** A table with one row of cells per side; `children` are further rows. */
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
