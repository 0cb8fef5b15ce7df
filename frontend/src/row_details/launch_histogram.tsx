// Histogram of the durations of a row's launches: A above B, on one logarithmic scale.

import type { LaunchDurations } from '../contract/sent';
import { formatMany, formatTime } from '../ui/format';
import { letterOf } from '../ui/sides';
import { useWidth } from '../ui/use_width';
import { words } from './words';

const LANE = 40;
const LEFT = 18;

/** Bar barHeights as fractions of the highest bar of both sides. Bars show the share of a side's own launches; null for a side
 *  without launches. */
export function barHeights({ baseline, candidate }: LaunchDurations): { a: number[] | null; b: number[] | null } {
  const [a, b] = [baseline, candidate].map((counts) => counts && shares(counts)) as [number[] | null, number[] | null];
  const most = Math.max(...[...(a ?? []), ...(b ?? [])]);
  return { a: a && a.map((share) => share / most), b: b && b.map((share) => share / most) };
}

function shares(counts: number[]): number[] {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => count / all);
}

export function LaunchHistogram({ durations }: { durations: LaunchDurations }) {
  const [box, width] = useWidth();
  const drawn = barHeights(durations);
  return (
    <section class="launch-histogram" aria-label={words.durations}>
      <h3>{words.durations}</h3>
      <div ref={box}>
        {width > 0 &&
          (['a', 'b'] as const).map((side) => <Lane key={side} side={side} start={durations.start_ns} counts={side === 'a' ? durations.baseline : durations.candidate} bars={drawn[side]} width={width} />)}
        <p class="histogram-axis muted small">
          <span>{formatTime(durations.start_ns[0]! / 1000)}</span>
          <span>{formatTime(durations.start_ns.at(-1)! / 1000)}</span>
        </p>
      </div>
    </section>
  );
}

interface LaneProps {
  side: 'a' | 'b';
  start: number[];
  counts: number[] | null;
  bars: number[] | null;
  width: number;
}

function Lane({ side, start, counts, bars, width }: LaneProps) {
  const letter = letterOf(side);
  const slot = (width - LEFT) / (start.length - 1);
  const span = (bin: number): string => `${formatTime(start[bin]! / 1000)} – ${formatTime(start[bin + 1]! / 1000)}`;
  const most = counts ? counts.indexOf(Math.max(...counts)) : -1;
  const caption = counts ? words.mostLaunches(formatMany(counts.reduce((sum, count) => sum + count, 0), 'launch', 'launches'), span(most)) : words.noLaunch;
  return (
    <figure class={`series-${side}`}>
      <svg width={width} height={LANE} role="img" aria-label={`${letter}: ${caption}`}>
        <rect class="lane" x={LEFT} y={0} width={width - LEFT} height={LANE} />
        <text class={`lane-label text-${side}`} x={LEFT - 6} y={LANE / 2 + 4} text-anchor="end">
          {letter}
        </text>
        {bars?.map((height, bin) =>
          height > 0 ? (
            <rect key={bin} class="launch-bar" x={LEFT + bin * slot} y={LANE * (1 - height)} width={Math.max(1, slot - 1)} height={LANE * height}>
              <title>{`${span(bin)}: ${formatMany(counts![bin]!, 'launch', 'launches')}`}</title>
            </rect>
          ) : null,
        )}
      </svg>
      <figcaption class="muted">{caption}</figcaption>
    </figure>
  );
}
