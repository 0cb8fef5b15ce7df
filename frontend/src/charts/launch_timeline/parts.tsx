// Texts about launches: names, the tooltip, the legend.

import { useMemo } from 'preact/hooks';
import { columnAt, type Table } from '../../contract/wire';
import { formatMany, formatPercent, formatTime, formatWithUnit, NOT_MEASURED, type NumberStyle } from '../../ui/format';
import { SideFigures } from '../../ui/controls/tooltip';
import { text } from '../../ui/strings';
import { boundColor, boundWord } from '../bound';
import { BOUND_CLASSES } from '../../contract/constants';
import { PARTS, type Shade } from './canvas';
import { STATUSES, type Timeline } from './timeline';
import { Swatch } from '../../ui/controls/swatch';

export const words = {
  title: 'Launch by launch',
  about: 'in launch order; width is time; matched launches are aligned',
  color: 'What the strips show',
  shade: { bound: 'Limits', tensor: 'Tensor', dram: 'DRAM' } as Record<string, string>,
  shadeAbout: {
    bound: 'What limits each launch: 60 % of the peak of the tensor pipe or of the memory',
    tensor: 'How busy each launch keeps the tensor pipe',
    dram: 'How much of the peak memory throughput each launch uses',
  } as Record<string, string>,
  high: { tensor: 'height: tensor pipe active, 0 to 100 %', dram: 'height: share of peak DRAM throughput, 0 to 100 %' } as Record<string, string>,
  both: 'on both sides',
  tensor: 'Tensor',
  dram: 'DRAM',
  missing: 'absent',
  change: 'Δ: share of the longer launch, up for more time in B',
  range: (time: string) => `in view: ${time}`,
  hint: 'Wheel or + − zooms, dragging moves, ← → go from launch to launch, Enter or a click shows the row.',
  label: (n: number) => `Launches of both runs at ${formatMany(n, 'place')}. Arrow keys go from launch to launch, plus and minus zoom, Enter shows the row.`,
  launchText: (n: number, all: number, name: string, status: string, a: string, b: string) => `Place ${n} of ${all}: ${name}, ${status}. baseline ${a}, candidate ${b}.`,
};

export function namesOf(table: Table): { a: string[]; b: string[] } {
  const at = (name: string): number => columnAt(table, name);
  const [own, other] = [at('name'), at('candidate_name')];
  const a = table.rows.map((row) => String(row[own] ?? ''));
  return { a, b: table.rows.map((row, index) => String(row[other] || a[index])) };
}

const statusText = (status: string): string => text.table.chips[status]?.about ?? words.both;

export function describe(timeline: Timeline, names: { a: string[]; b: string[] }, row: number): string {
  const time = (us: number): string => (Number.isNaN(us) ? words.missing : formatTime(us));
  const status = STATUSES[timeline.status[row]!]!;
  const name = status === 'replaced' ? `${names.a[row]} → ${names.b[row]}` : names.a[row]!;
  return words.launchText(row + 1, timeline.count, name, statusText(status), time(timeline.a.us[row]!), time(timeline.b.us[row]!));
}

interface LaunchProps {
  timeline: Timeline;
  names: { a: string[]; b: string[] };
  row: number;
  style: NumberStyle;
}

/** Tooltip of one position. */
export function Launch({ timeline, names, row, style }: LaunchProps) {
  const status = STATUSES[timeline.status[row]!]!;
  const share = (value: number): string => (Number.isNaN(value) ? NOT_MEASURED : formatPercent(value));
  return (
    <>
      <p class="tooltip-name strong">{names.a[row]}</p>
      {status === 'replaced' && <p class="tooltip-name strong">→ {names.b[row]}</p>}
      {status !== 'both' && <p class="muted">{statusText(status)}</p>}
      <SideFigures
        of={(side) => {
          const lane = timeline[side];
          const us = lane.us[row]!;
          if (Number.isNaN(us)) return <td colSpan={4}>{words.missing}</td>;
          return (
            <>
              <td>{formatWithUnit(style, us)}</td>
              {timeline.hasUtilization && (
                <>
                  <td>{`${words.tensor} ${share(lane.tensor[row]!)}`}</td>
                  <td>{`${words.dram} ${share(lane.dram[row]!)}`}</td>
                  <td>{boundWord(BOUND_CLASSES[lane.bound[row]!]!)}</td>
                </>
              )}
            </>
          );
        }}
      />
    </>
  );
}

/** Color and filled part of the height for each status, as drawn between the two strips. */
const MARKS: Record<string, [color: string, part: [number, number]]> = { replaced: ['--ink-2', [0, 1]], added: ['--b-fill', [0.5, 1]], removed: ['--a-fill', [0, 0.5]] };

/** Legend key: the color in that part of the height. */
function Key({ color, part: [from, to] }: { color: string; part: [number, number] }) {
  const place = to - from < 1 ? Math.round((100 * from) / (1 - to + from)) : 0;
  return <Swatch fill={`linear-gradient(var(${color}), var(${color})) 0 ${place}% / 100% ${100 * (to - from)}% no-repeat var(--stripe)`} />;
}

export function Legend({ timeline, shade, range }: { timeline: Timeline; shade: Shade; range: number }) {
  const used = useMemo(() => BOUND_CLASSES.filter((_, index) => [timeline.a, timeline.b].some((lane) => lane.us.some((us, row) => us > 0 && lane.bound[row] === index))), [timeline]);
  const marks = STATUSES.filter((_, index) => index > 0 && timeline.status.includes(index));
  return (
    <p class="legend small soft">
      {shade === 'bound'
        ? used.map((name) => (
            <span key={name}>
              <Key color={boundColor(name)} part={PARTS[name]} /> {boundWord(name)}
            </span>
          ))
        : <span>{words.high[shade]}</span>}
      {marks.map((status) => (
        <span key={status}>
          <Key color={MARKS[status]![0]} part={MARKS[status]![1]} /> {statusText(status)}
        </span>
      ))}
      <span>{words.change}</span>
      <span>{words.range(formatTime(range))}</span>
      <span class="muted">{words.hint}</span>
    </p>
  );
}
