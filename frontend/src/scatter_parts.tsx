// What the utilisation chart is made of: axes, the limits' lines and names, marks and arrows.

import { BOUND, BOUND_CLASSES } from './bound';
import { formatPercent } from './format';
import type { Point } from './scatter';
import { text } from './strings';

export const HEIGHT = 300;
export const LEFT = 48;
export const RIGHT = 24;
export const TOP = 24;
export const BOTTOM = 38;
/** room inside the axes, so that marks at 0 and 100 % are whole */
export const INSET = 12;
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** a square on its corner with the area of a circle of radius 1 has this half diagonal */
const DIAMOND = Math.sqrt(Math.PI / 2);

export interface Mark {
  point: Point;
  side: 'a' | 'b';
  x: number;
  y: number;
  r: number;
}

export function Axes({ x, y, most, right }: { x: (share: number) => number; y: (share: number) => number; most: number; right: number }) {
  const ticks = most > 1 ? [...TICKS, most] : TICKS;
  const bottom = HEIGHT - BOTTOM;
  return (
    <g>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid-line" x1={x(tick)} x2={x(tick)} y1={TOP} y2={bottom} />
          <line class="grid-line" x1={LEFT} x2={right} y1={y(tick)} y2={y(tick)} />
          <text class="axis-text" x={x(tick)} y={bottom + 15} text-anchor="middle">
            {formatShare(tick)}
          </text>
          <text class="axis-text" x={LEFT - 7} y={y(tick) + 4} text-anchor="end">
            {formatShare(tick)}
          </text>
        </g>
      ))}
      <line class="bound-line" x1={x(BOUND)} x2={x(BOUND)} y1={TOP} y2={bottom} />
      <line class="bound-line" x1={LEFT} x2={right} y1={y(BOUND)} y2={y(BOUND)} />
      <text class="axis-text" x={right} y={bottom + 31} text-anchor="end">
        {text.scatter.dramAxis}
      </text>
      <text class="axis-text" x={2} y={12} text-anchor="start">
        {text.scatter.tensorAxis}
      </text>
    </g>
  );
}

/** Names of the four classes, above the marks. */
export function Regions({ y, right }: { y: (share: number) => number; right: number }) {
  // below a limit's line there are fewer marks than at its end: kernels without tensor work all lie at the bottom
  const regions: [number, number, number, 'start' | 'end'][] = [
    [0, LEFT + 6, TOP + 13, 'start'],
    [1, right - 6, y(BOUND) + 15, 'end'],
    [2, right - 6, TOP + 13, 'end'],
    [3, LEFT + 6, y(BOUND) + 15, 'start'],
  ];
  return (
    <g>
      {regions.map(([index, rx, ry, anchor]) => (
        <text key={index} class="region" x={rx} y={ry} text-anchor={anchor}>
          {text.bound[BOUND_CLASSES[index]!]}
        </text>
      ))}
    </g>
  );
}

const formatShare = (share: number): string => formatPercent(share).replace(/[.,]0(?=\D*$)/, '');

export function diamond(x: number, y: number, r: number): string {
  const d = r * DIAMOND;
  return `M${x} ${y - d}L${x + d} ${y}L${x} ${y + d}L${x - d} ${y}Z`;
}

export function Shape({ mark, dim }: { mark: Mark; dim: boolean }) {
  const shade = dim ? ' dim' : '';
  return mark.side === 'a' ? <circle class={`scatter-a${shade}`} cx={mark.x} cy={mark.y} r={mark.r} /> : <path class={`scatter-b${shade}`} d={diamond(mark.x, mark.y, mark.r)} />;
}

/** From the middle of A's mark to that of B, with a head drawn as a path: references to markers do not survive a base address. */
export function Arrow({ from, to, strong }: { from: Mark; to: Mark; strong: boolean }) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < 6) return null;
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const [bx, by] = [to.x - 8 * ux, to.y - 8 * uy];
  return (
    <path
      class={`scatter-arrow${strong ? ' strong' : ''}`}
      d={`M${from.x} ${from.y}L${to.x} ${to.y}M${bx - 4 * uy} ${by + 4 * ux}L${to.x} ${to.y}L${bx + 4 * uy} ${by - 4 * ux}`}
    />
  );
}
