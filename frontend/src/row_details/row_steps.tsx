// A row's time in every step of both sides, on one scale.

import { useState } from 'preact/hooks';
import { fetchAnswer, queryWith } from '../api/api';
import { useAnswer } from '../api/use_answer';
import type { RowSteps, StepTimes } from '../contract/wire';
import { failureText } from '../states/failed';
import { formatTime } from '../ui/format';
import { Select } from '../ui/controls/select';
import { adoptSheet } from '../ui/sheets';
import { letterOf } from '../ui/sides';
import { sentence, text } from '../ui/strings';
import { useWidth } from '../ui/use_width';
import css from './row_steps.css?inline';
import { words as stepWords } from '../table/step_lines/words';

adoptSheet(css);

const LANE = 46;
const INSET = 6;
const LEFT = 18;
/** Rows that the arrow keys pass within this time make no request. */
const PASSING_MS = 150;

export function RowStepsView({ question, query, table, row }: { question: string; query: URLSearchParams; table: string; row: string }) {
  const key = [question, table, row].join('\n');
  // the last row's picture stays until the next one arrives
  const { key: answered, found, failure } = useAnswer(key, (signal) => fetchAnswer<RowSteps>('row', queryWith(query, { table, row }), 'tb_perfcompare.row/1', signal), PASSING_MS);
  const [measure, setMeasure] = useState('');
  const [box, width] = useWidth();
  const measures = found?.measures ?? [];
  const shown = measures.some((one) => one.name === measure) ? measure : (measures[0]?.name ?? '');
  return (
    <section class="row-steps" aria-label={stepWords.region} aria-busy={answered !== key}>
      <header>
        <h3>{stepWords.title}</h3>
        {measures.length > 1 && <Select label={stepWords.measure} value={shown} options={measures.map(({ name, label }) => [name, name === '' ? stepWords.main : label])} onChoose={setMeasure} />}
      </header>
      <div ref={box}>
        {failure && <p class="muted">{sentence(failureText(failure).message)}</p>}
        {!failure && !found && <p class="muted late">{text.lazy.loading}</p>}
        {found && !failure && width > 0 && <Lanes found={found} measure={shown} width={width} />}
      </div>
    </section>
  );
}

/** Minimum, median and maximum of a row's times in one side's steps, in microseconds. */
interface Range {
  low: number;
  median: number;
  high: number;
}

/** null if there are no steps */
export function rangeOf(times: number[]): Range | null {
  if (times.length === 0) return null;
  const ordered = [...times].sort((one, other) => one - other);
  const middle = (ordered.length - 1) / 2;
  return { low: ordered[0]!, median: (ordered[Math.floor(middle)]! + ordered[Math.ceil(middle)]!) / 2, high: ordered[ordered.length - 1]! };
}

function Lanes({ found, measure, width }: { found: RowSteps; measure: string; width: number }) {
  const times = { a: found.baseline.time_us?.[measure] ?? null, b: found.candidate.time_us?.[measure] ?? null };
  const ranges = { a: times.a && rangeOf(times.a), b: times.b && rangeOf(times.b) };
  const low = Math.min(...[ranges.a, ranges.b].flatMap((range) => (range ? [range.low] : [])));
  const high = Math.max(...[ranges.a, ranges.b].flatMap((range) => (range ? [range.high] : [])));
  const y = (us: number): number => (high > low ? INSET + (1 - (us - low) / (high - low)) * (LANE - 2 * INSET) : LANE / 2);
  return (
    <>
      {(['a', 'b'] as const).map((side) => (
        <Lane key={side} side={side} steps={side === 'a' ? found.baseline : found.candidate} times={times[side]} range={ranges[side]} width={width} y={y} />
      ))}
    </>
  );
}

interface LaneProps {
  side: 'a' | 'b';
  steps: StepTimes;
  times: number[] | null;
  range: Range | null;
  width: number;
  y: (us: number) => number;
}

function Lane({ side, steps, times, range, width, y }: LaneProps) {
  const letter = letterOf(side);
  if (!times || !range)
    return (
      <p class="muted">
        {letter}: {stepWords.absent}
      </p>
    );
  const slot = (width - LEFT) / times.length;
  const x = (place: number): number => LEFT + (place + 0.5) * slot;
  const radius = Math.min(3, Math.max(1, slot / 3));
  const summary = stepWords.summary(times.length, formatTime(range.median), formatTime(range.low), formatTime(range.high));
  return (
    <figure class={`series-${side}`}>
      <svg width={width} height={LANE} role="img" aria-label={`${letter}: ${summary}`}>
        <rect class="lane" x={LEFT} y={0} width={width - LEFT} height={LANE} />
        <text class={`lane-label text-${side}`} x={LEFT - 6} y={LANE / 2 + 4} text-anchor="end">
          {letter}
        </text>
        <line class="row-steps-median" x1={LEFT} x2={width} y1={y(range.median)} y2={y(range.median)} />
        {times.map((us, place) => (
          <circle key={place} class={steps.captures[place]! % 2 === 0 ? 'order-marks' : 'order-marks hollow'} cx={x(place)} cy={y(us)} r={radius}>
            <title>{stepWords.one(steps.steps[place] ?? '', formatTime(us))}</title>
          </circle>
        ))}
      </svg>
      <figcaption class="muted">{summary}</figcaption>
    </figure>
  );
}
