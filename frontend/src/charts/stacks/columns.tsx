// The steps of one side as stacked columns: a path for each part, outlines for steps not compared, arrows beyond the axis.

import { PARTS, segments, type Bar } from './stacks';

interface Props {
  bars: Bar[];
  left: number;
  /** width per column, gap included */
  slot: number;
  /** top and height of the lane in pixels */
  top: number;
  high: number;
  /** time, or share if `share`, at the top of the lane */
  whole: number;
  share: boolean;
  /** index of the only part shown, -1 for all */
  only: number;
}

const box = (x: number, y: number, wide: number, high: number): string => `M${x} ${y}h${wide}v${high}h${-wide}z`;

export function Columns({ bars, left, slot, top, high, whole, share, only }: Props) {
  const gap = slot >= 8 ? Math.min(4, slot / 5) : slot >= 4 ? 1 : 0;
  const wide = Math.max(0.5, slot - gap);
  const y = (value: number): number => top + high - Math.min(1, value / whole) * high;
  const parts = PARTS.map(() => '');
  let [outlines, arrows] = ['', ''];
  bars.forEach((bar, index) => {
    const x = left + index * slot + gap / 2;
    const upper = share ? top : y(bar.us);
    if (!bar.admitted) outlines += box(x + 0.5, upper + 0.5, Math.max(0.1, wide - 1), top + high - upper - 1);
    // a thin gap between parts if they are high enough
    else for (const { part, from, to } of segments(bar, share, only)) parts[part] += box(x, y(to), wide, Math.max(0.4, y(from) - y(to) - (y(from) - y(to) >= 3 && from > 0 ? 0.7 : 0)));
    if (!share && bar.us > whole && (only < 0 || !bar.admitted)) arrows += `M${x + wide / 2 - 4} ${top + 5}l4 -6l4 6z`;
  });
  return (
    <g>
      {parts.map((path, part) => path !== '' && <path key={part} d={path} fill={`var(--part-${PARTS[part]})`} />)}
      <path fill="none" stroke="var(--ink-3)" stroke-dasharray="2 2" d={outlines} />
      <path fill="var(--ink-2)" d={arrows} />
    </g>
  );
}
