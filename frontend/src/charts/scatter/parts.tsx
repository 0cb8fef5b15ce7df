// Parts of the utilisation chart: axes, lines and names of the limits, marks, arrows.

import { formatMany, formatSetting } from '../../ui/format';
import { XTick, YTick } from '../axes';
import { BOUND, BOUND_CLASSES, boundWord } from '../bound';
import type { Mark } from './use_marks';

export const words = {
  title: 'Utilisation',
  about: 'tensor pipe and memory use of each kernel, both runs',
  tensor: 'Tensor',
  dram: 'DRAM',
  tensorAxis: '↑ Tensor pipe active',
  dramAxis: 'Share of peak DRAM throughput →',
  label: (kernels: number, marks: number) =>
    `${formatMany(kernels, 'kernel')} as ${formatMany(marks, 'mark')}: tensor pipe against DRAM throughput, area is time. The list has the largest ones.`,
  listed: (shown: number, all: number) => (shown === all ? formatMany(all, 'kernel') : `largest ${shown} of ${formatMany(all, 'kernel')}`),
  time: 'Time',
  absent: 'no figures',
  area: 'area: time',
  lines: (n: number) => (n === 1 ? 'line: the kernel that moved' : `lines: the ${n} kernels that moved most`),
  small: (n: number, a: string, b: string) => `${formatMany(n, 'smaller kernel is', 'smaller kernels are')} not drawn: ${a} of A, ${b} of B.`,
  unmeasured: (n: number, a: string, b: string) => `${formatMany(n, 'kernel has', 'kernels have')} no utilisation figures: ${a} of A, ${b} of B.`,
};

export const HEIGHT = 300;
export const LEFT = 48;
export const RIGHT = 24;
export const TOP = 24;
export const BOTTOM = 38;
/** padding inside the axes, so that marks at 0 and 100 % are not cut off */
export const INSET = 12;
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** half diagonal of a diamond with the area of a circle of radius 1 */
const DIAMOND = Math.sqrt(Math.PI / 2);

/** Letter width and line height of a region's name, and its distance from the lines. */
const LETTER = 7.6;
const LINE = 15;
const GAP = 5;

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
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

/** Names of the four classes, each placed in its region where it hides the fewest marks. */
export function Regions({ x, y, right: edge, marks }: { x: (share: number) => number; y: (share: number) => number; right: number; marks: Mark[] }) {
  const [across, down] = [x(BOUND), y(BOUND)];
  const bottom = HEIGHT - BOTTOM;
  // in the order of BOUND_CLASSES
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
        const spot = leastOverlap(region, name.length * LETTER, marks, index === 1 || index === 2);
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

/** Finds where on a region's left or right side a name of this width overlaps marks least. Ties: the highest place,
 *  then the outer side. */
export function leastOverlap(region: Box, width: number, marks: readonly Pick<Mark, 'x' | 'y' | 'r'>[], outerRight: boolean): Box {
  const lefts = [region.left + GAP, region.right - GAP - width];
  if (outerRight) lefts.reverse();
  const lines = Math.max(1, Math.floor((region.bottom - region.top - 2 * GAP) / LINE));
  const spots = Array.from({ length: lines }, (_, line) => region.top + GAP + line * LINE).flatMap((top) => lefts.map((left) => ({ left, right: left + width, top, bottom: top + LINE })));
  const hidden = spots.map((spot) => marks.reduce((sum, mark) => sum + overlap(spot, mark), 0));
  return spots[hidden.indexOf(Math.min(...hidden))]!;
}

/** How far a mark reaches into a box in pixels, 0 if it stays outside. */
function overlap(box: Box, { x, y, r }: Pick<Mark, 'x' | 'y' | 'r'>): number {
  const away = Math.hypot(x - Math.max(box.left, Math.min(x, box.right)), y - Math.max(box.top, Math.min(y, box.bottom)));
  return Math.max(0, r * DIAMOND - away);
}

export function diamond(x: number, y: number, r: number): string {
  const d = r * DIAMOND;
  return `M${x} ${y - d}L${x + d} ${y}L${x} ${y + d}L${x - d} ${y}Z`;
}

export function Shape({ mark, dim = false }: { mark: Omit<Mark, 'point'>; dim?: boolean }) {
  const shade = dim ? ' dim' : '';
  return mark.side === 'a' ? <circle class={`scatter-a${shade}`} cx={mark.x} cy={mark.y} r={mark.r} /> : <path class={`scatter-b${shade}`} d={diamond(mark.x, mark.y, mark.r)} />;
}

/** Arrow from the centre of A's mark to that of B's. Its head is a path, because references to SVG markers break with
 *  a base URL. */
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
