// Axis ticks: a grid line with its label.

export const GRID = 'var(--line)';

interface Props {
  /** position of the grid line, then its ends on the other axis, in pixels */
  at: number;
  from: number;
  to: number;
  /** of the grid line */
  stroke?: string;
  children: preact.ComponentChildren;
}

export function YTick({ at, from, to, stroke = GRID, children }: Props) {
  return (
    <g>
      <line stroke={stroke} x1={from} x2={to} y1={at} y2={at} />
      <text class="axis-text" x={from - 7} y={at + 4} text-anchor="end">
        {children}
      </text>
    </g>
  );
}

export function XTick({ at, from, to, children }: Props) {
  return (
    <g>
      <line stroke={GRID} x1={at} x2={at} y1={from} y2={to} />
      <text class="axis-text" x={at} y={to + 15} text-anchor="middle">
        {children}
      </text>
    </g>
  );
}
