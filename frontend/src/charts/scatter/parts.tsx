// Parts of the utilization chart: axes, lines and names of the limits, marks, arrows.

import { formatMany, formatSetting } from '../../ui/format';
import { XTick, YTick } from '../axes';
import { boundWord } from '../bound';
import { BOUND, BOUND_CLASSES } from '../../contract/constants';
import type { Mark } from './use_marks';

export const words = {
  title: 'Utilization',
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
  unmeasured: (n: number, a: string, b: string) => `${formatMany(n, 'kernel has', 'kernels have')} no utilization figures: ${a} of A, ${b} of B.`,
};

export const HEIGHT = 300;
export const LEFT = 48;
export const RIGHT = 24;
export const TOP = 24;
export const BOTTOM = 38;
/** padding inside the axes, so that marks at 0 and 100 % are not cut off */
export const INSET = 12;
const LIMIT = { stroke: 'var(--ink-3)', 'stroke-dasharray': '5 4' };
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** half diagonal of a diamond with the area of a circle of radius 1 */
const DIAMOND = Math.sqrt(Math.PI / 2);

/** Line height of a region's name, and its distance from the edge. */
const LINE = 15;
const GAP = 5;

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
      <line {...LIMIT} x1={x(BOUND)} x2={x(BOUND)} y1={TOP} y2={bottom} />
      <line {...LIMIT} x1={LEFT} x2={right} y1={y(BOUND)} y2={y(BOUND)} />
      <text class="axis-text" x={right} y={bottom + 31} text-anchor="end">
        {words.dramAxis}
      </text>
      <text class="axis-text" x={2} y={12} text-anchor="start">
        {words.tensorAxis}
      </text>
    </g>
  );
}

/** Names of the four classes, each at the outer, upper corner of its region: many marks lie on the lower edge. */
export function Regions({ y, right }: { y: (share: number) => number; right: number }) {
  // in the order of BOUND_CLASSES
  const corners = [[LEFT, TOP], [right, y(BOUND)], [right, TOP], [LEFT, y(BOUND)]] as const;
  return (
    <g>
      {corners.map(([x, top], index) => (
        <text key={index} class="region strong" x={x === LEFT ? x + GAP : x - GAP} y={top + LINE} text-anchor={x === LEFT ? 'start' : 'end'}>
          {boundWord(BOUND_CLASSES[index]!)}
        </text>
      ))}
    </g>
  );
}

export function diamond(x: number, y: number, r: number): string {
  const d = r * DIAMOND;
  return `M${x} ${y - d}L${x + d} ${y}L${x} ${y + d}L${x - d} ${y}Z`;
}

export function Shape({ mark, dim = false }: { mark: Omit<Mark, 'point'>; dim?: boolean }) {
  const shade = dim ? ' dim' : '';
  return mark.side === 'a' ? <circle class={`scatter-a${shade}`} cx={mark.x} cy={mark.y} r={mark.r} /> : <path class={`scatter-b${shade}`} d={diamond(mark.x, mark.y, mark.r)} />;
}

export const arrowLook = (strong: boolean) => ({ fill: 'none', stroke: strong ? 'var(--ink)' : 'var(--ink-3)', 'stroke-width': strong ? 2 : 1.2 });

/** Arrow from the center of A's mark to that of B's. Its head is a path, because references to SVG markers break with
 *  a base URL. */
export function Arrow({ from, to, strong }: { from: Mark; to: Mark; strong: boolean }) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < 6) return null;
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const [bx, by] = [to.x - 8 * ux, to.y - 8 * uy];
  return (
    <path
      class="scatter-arrow"
      {...arrowLook(strong)}
      d={`M${from.x} ${from.y}L${to.x} ${to.y}M${bx - 4 * uy} ${by + 4 * ux}L${to.x} ${to.y}L${bx + 4 * uy} ${by - 4 * ux}`}
    />
  );
}
