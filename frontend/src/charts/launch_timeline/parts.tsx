// What is said about launches: names, the tooltip, the legend.

import { useMemo } from 'preact/hooks';
import type { Table } from '../../contract/wire';
import { formatIn, formatPercent, formatTime, NOT_MEASURED, type NumberStyle } from '../../ui/format';
import { Badge } from '../../ui/sides';
import { text } from '../../ui/strings';
import { BOUND_CLASSES } from '../bound';
import type { Shade } from './canvas';
import { STATUSES, type Timeline } from './timeline';

export function namesOf(table: Table): { a: string[]; b: string[] } {
  const at = (name: string): number => table.columns.findIndex((column) => column.name === name);
  const [own, other] = [at('name'), at('candidate_name')];
  const a = table.rows.map((row) => String(row[own] ?? ''));
  return { a, b: table.rows.map((row, index) => String((other < 0 ? '' : row[other]) || a[index])) };
}

export function describe(timeline: Timeline, names: { a: string[]; b: string[] }, row: number): string {
  const time = (us: number): string => (Number.isNaN(us) ? text.timeline.missing : formatTime(us));
  const status = STATUSES[timeline.status[row]!]!;
  const name = status === 'replaced' ? `${names.a[row]} → ${names.b[row]}` : names.a[row]!;
  return text.timeline.said(row + 1, timeline.count, name, text.timeline.status[status] ?? status, time(timeline.a.us[row]!), time(timeline.b.us[row]!));
}

interface LaunchProps {
  timeline: Timeline;
  names: { a: string[]; b: string[] };
  row: number;
  style: NumberStyle;
}

/** What the tooltip says of one place. */
export function Launch({ timeline, names, row, style }: LaunchProps) {
  const status = STATUSES[timeline.status[row]!]!;
  const share = (value: number): string => (Number.isNaN(value) ? NOT_MEASURED : formatPercent(value));
  return (
    <>
      <p class="tooltip-name">{names.a[row]}</p>
      {status === 'replaced' && <p class="tooltip-name">→ {names.b[row]}</p>}
      {status !== 'both' && <p class="muted">{text.timeline.status[status]}</p>}
      <table class="tooltip-figures">
        <tbody>
          {(['a', 'b'] as const).map((side) => {
            const lane = timeline[side];
            const us = lane.us[row]!;
            return (
              <tr key={side}>
                <th scope="row">
                  <Badge side={side} />
                </th>
                {Number.isNaN(us) ? (
                  <td colSpan={4}>{text.timeline.missing}</td>
                ) : (
                  <>
                    <td>{`${formatIn(style, us)}\u202f${style.unit}`}</td>
                    {timeline.hasUtilisation && (
                      <>
                        <td>{`${text.scatter.tensor} ${share(lane.tensor[row]!)}`}</td>
                        <td>{`${text.scatter.dram} ${share(lane.dram[row]!)}`}</td>
                        <td>{text.bound[BOUND_CLASSES[lane.bound[row]!]!]}</td>
                      </>
                    )}
                  </>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

export function Legend({ timeline, shade, span }: { timeline: Timeline; shade: Shade; span: number }) {
  const used = useMemo(() => BOUND_CLASSES.filter((_, index) => [timeline.a, timeline.b].some((lane) => lane.us.some((us, row) => us > 0 && lane.bound[row] === index))), [timeline]);
  const marks = STATUSES.filter((_, index) => index > 0 && timeline.status.includes(index));
  return (
    <p class="legend timeline-legend">
      {shade === 'bound'
        ? used.map((name) => (
            <span key={name}>
              <span class={`bound-key bound-${name.replace(/[ -]/g, '_')}`} aria-hidden="true" /> {text.bound[name]}
            </span>
          ))
        : <span>{text.timeline.high[shade]}</span>}
      {marks.map((status) => (
        <span key={status}>
          <span class={`status-key status-${status}`} aria-hidden="true" /> {text.timeline.status[status]}
        </span>
      ))}
      <span>{text.timeline.change}</span>
      <span>{text.timeline.span(formatTime(span))}</span>
      <span class="muted">{text.timeline.hint}</span>
    </p>
  );
}
