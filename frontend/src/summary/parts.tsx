// Program and machine: what the change of step time is made of, as bars with their intervals.

import type { Headline, Part } from '../contract/wire';
import { formatEnds, formatPercent } from '../ui/format';
import { text } from '../ui/strings';

/** Ends of the scale, fractions: zero and every interval lie inside. */
export function scaleOf(parts: Part[]): [number, number] {
  const low = Math.min(0, ...parts.map((part) => part.low ?? 0));
  const high = Math.max(0, ...parts.map((part) => part.high ?? 0));
  const room = (high - low || 0.02) * 0.06;
  return [low - room, high + room];
}

function Bar({ label, part, scale }: { label: string; part: Part; scale: [number, number] }) {
  const at = (fraction: number) => `${(100 * (fraction - scale[0])) / (scale[1] - scale[0])}%`;
  const estimate = part.estimate ?? 0;
  const [from, to] = [Math.min(0, estimate), Math.max(0, estimate)];
  const figures = `${formatPercent(part.estimate, true)} (${formatEnds(part.low, part.high).join(' … ')})`;
  return (
    <div class="part">
      <dt class="soft">{label}</dt>
      <dd>
        <span class="part-track" aria-hidden="true">
          <span class={`part-bar delta-${estimate > 0 ? 'more' : 'less'}`} style={{ left: at(from), width: `calc(${at(to)} - ${at(from)})` }} />
          {part.low !== null && part.high !== null && <span class="part-interval" style={{ left: at(part.low), width: `calc(${at(part.high)} - ${at(part.low)})` }} />}
          <span class="part-zero" style={{ left: at(0) }} />
        </span>
        <span class="part-said">{figures}</span>
      </dd>
    </div>
  );
}

export function Parts({ headline }: { headline: Headline }) {
  const { machine, program } = headline;
  if (!machine || !program) return null;
  const scale = scaleOf([machine, program]);
  return (
    <dl class="parts" aria-label={text.verdict.parts}>
      <Bar label={text.verdict.program} part={program} scale={scale} />
      <Bar label={text.verdict.machine} part={machine} scale={scale} />
    </dl>
  );
}
