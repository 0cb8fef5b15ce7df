// Histogram of the durations of a row's launches: A above B, on one logarithmic scale.

import type { LaunchDurations } from '../contract/sent';
import { formatMany, formatTime } from '../ui/format';
import { LETTERS, SIDES, type Letter } from '../ui/sides';
import { useWidth } from '../ui/use_width';
import { Lane, LEFT } from './lane';
import { words } from './words';

const HEIGHT = 40;

/** Heights of bars as fractions of the highest bar of both sides. Bars show the share of a side's own launches; null for a side
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
  const start = durations.start_ns;
  return (
    <section class="launch-histogram apart" aria-label={words.durations}>
      <h3>{words.durations}</h3>
      <div ref={box}>
        {width > 0 && LETTERS.map((side) => <Bars key={side} side={side} start={start} counts={durations[SIDES[side]]} heights={drawn[side]} width={width} />)}
        <p class="histogram-axis muted small">
          <span>{formatTime(start[0]! / 1000)}</span>
          <span>{formatTime(start.at(-1)! / 1000)}</span>
        </p>
      </div>
    </section>
  );
}

interface BarsProps {
  side: Letter;
  start: number[];
  counts: number[] | null;
  heights: number[] | null;
  width: number;
}

function Bars({ side, start, counts, heights, width }: BarsProps) {
  const slot = (width - LEFT) / (start.length - 1);
  const span = (bin: number): string => `${formatTime(start[bin]! / 1000)} – ${formatTime(start[bin + 1]! / 1000)}`;
  const most = counts ? counts.indexOf(Math.max(...counts)) : -1;
  const launches = (count: number): string => formatMany(count, 'launch', 'launches');
  const caption = counts ? words.mostLaunches(launches(counts.reduce((sum, count) => sum + count, 0)), span(most)) : words.noLaunch;
  return (
    <Lane side={side} width={width} height={HEIGHT} caption={caption}>
      {heights?.map((height, bin) =>
        height > 0 ? (
          <rect key={bin} fill="currentColor" x={LEFT + bin * slot} y={HEIGHT * (1 - height)} width={Math.max(1, slot - 1)} height={HEIGHT * height}>
            <title>{`${span(bin)}: ${launches(counts![bin]!)}`}</title>
          </rect>
        ) : null,
      )}
    </Lane>
  );
}
