// What the utilisation chart is made of: axes, the limits' lines and names, marks and arrows.

import { formatSetting } from '../../ui/format';
import { XTick, YTick } from '../axes';
import { BOUND, BOUND_CLASSES, boundWord } from '../bound';
import type { Point } from './scatter';
import { words } from './words';

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

/** Width of a letter of a region's name, height of its line, and its distance from the lines. */
const LETTER = 7.6;
const LINE = 15;
const GAP = 5;

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Mark<T = Point> {
  point: T;
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
          <XTick at={x(tick)} from={TOP} to={bottom}>
            {formatSetting(tick)}
          </XTick>
          <YTick at={y(tick)} from={LEFT} to={right}>
            {formatSetting(tick)}
          </YTick>
        </g>
      ))}
      <line class="bound-line" x1={x(BOUND)} x2={x(BOUND)} y1={TOP} y2={bottom} />
      <line class="bound-line" x1={LEFT} x2={right} y1={y(BOUND)} y2={y(BOUND)} />
      <text class="axis-text" x={right} y={bottom + 31} text-anchor="end">
        {words.dramAxis}
      </text>
      <text class="axis-text" x={2} y={12} text-anchor="start">
        {words.tensorAxis}
      </text>
    </g>
  );
}

/** Names of the four classes, each at the side of its region where it hides the least. */
export function Regions({ x, y, right: edge, marks }: { x: (share: number) => number; y: (share: number) => number; right: number; marks: Mark[] }) {
  const [across, down] = [x(BOUND), y(BOUND)];
  const bottom = HEIGHT - BOTTOM;
  // in the order of the classes
  const regions: Box[] = [
    { left: LEFT, right: across, top: TOP, bottom: down },
    { left: across, right: edge, top: down, bottom },
    { left: across, right: edge, top: TOP, bottom: down },
    { left: LEFT, right: across, top: down, bottom },
  ];
  return (
    <g>
      {regions.map((region, index) => {
        const name = boundWord(BOUND_CLASSES[index]!);
        const spot = emptiest(region, name.length * LETTER, marks, index === 1 || index === 2);
        const right = spot.left > region.left + GAP;
        return (
          <text key={index} class="region strong" x={right ? spot.right : spot.left} y={spot.bottom - 3} text-anchor={right ? 'end' : 'start'}>
            {name}
          </text>
        );
      })}
    </g>
  );
}

/** Of the places along a region's left and right side the one where a name of this width overlaps the marks least; of
 *  equal ones the highest, then the outer. */
export function emptiest(region: Box, width: number, marks: readonly Pick<Mark, 'x' | 'y' | 'r'>[], outerRight: boolean): Box {
  const lefts = [region.left + GAP, region.right - GAP - width];
  if (outerRight) lefts.reverse();
  const lines = Math.max(1, Math.floor((region.bottom - region.top - 2 * GAP) / LINE));
  const spots = Array.from({ length: lines }, (_, line) => region.top + GAP + line * LINE).flatMap((top) => lefts.map((left) => ({ left, right: left + width, top, bottom: top + LINE })));
  const hidden = spots.map((spot) => marks.reduce((sum, mark) => sum + overlap(spot, mark), 0));
  return spots[hidden.indexOf(Math.min(...hidden))]!;
}

/** How far a mark reaches into a box, 0 where it stays outside. */
function overlap(box: Box, { x, y, r }: Pick<Mark, 'x' | 'y' | 'r'>): number {
  const away = Math.hypot(x - Math.max(box.left, Math.min(x, box.right)), y - Math.max(box.top, Math.min(y, box.bottom)));
  return Math.max(0, r * DIAMOND - away);
}

export function diamond(x: number, y: number, r: number): string {
  const d = r * DIAMOND;
  return `M${x} ${y - d}L${x + d} ${y}L${x} ${y + d}L${x - d} ${y}Z`;
}

export function Shape({ mark, dim }: { mark: Mark<unknown>; dim: boolean }) {
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
