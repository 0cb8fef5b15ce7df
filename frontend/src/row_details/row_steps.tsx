// A row's time in every step of both sides, on one scale.

import { fetchAnswer, queryWith } from '../api/api';
import { useAnswer } from '../api/use_answer';
import type { RowSteps, StepTimes } from '../contract/wire';
import { failureText } from '../states/failed';
import { formatTime } from '../ui/format';
import { BoundedCache } from '../ui/kept';
import { letterOf, LETTERS, SIDES, type Letter } from '../ui/sides';
import { sentence, text } from '../ui/strings';
import { useWidth } from '../ui/use_width';
import { words as stepWords } from '../table/step_lines/words';
import { Lane, LEFT } from './lane';

const HEIGHT = 46;
const INSET = 6;
/** Rows that the arrow keys pass within this time make no request. */
const PASSING_MS = 150;

const kept = new BoundedCache<RowSteps>(50);

interface Props {
  question: string;
  query: URLSearchParams;
  table: string;
  row: string;
  /** the time that the table shows */
  measure: string;
}

/** If its steps do not have the table's time, the row's main one is drawn. */
export function RowStepsView({ question, query, table, row, measure }: Props) {
  const key = [question, table, row].join('\n');
  // the last row's picture stays until the next one arrives
  const [{ status, answer: found, failure }] = useAnswer(kept, key, (signal) => fetchAnswer<RowSteps>('row', queryWith(query, { table, row }), 'tb_perfcompare.row/1', signal), PASSING_MS);
  const [box, width] = useWidth();
  const shown = found && (found.measures.find((one) => one.name === measure) ?? found.measures[0]);
  return (
    <section class="row-steps apart" aria-label={stepWords.region} aria-busy={status === 'loading'}>
      <header>
        <h3>{stepWords.title}</h3>
        {found && found.measures.length > 1 && <span class="muted">{shown?.label}</span>}
      </header>
      <div ref={box}>
        {failure && <p class="muted">{sentence(failureText(failure).message)}</p>}
        {!failure && !found && <p class="muted late">{text.lazy.loading}</p>}
        {found && !failure && width > 0 && <Lanes found={found} measure={shown?.name ?? ''} width={width} />}
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
  const ranges = LETTERS.flatMap((side) => rangeOf(found[SIDES[side]].time_us?.[measure] ?? []) ?? []);
  const [low, high] = [Math.min(...ranges.map((range) => range.low)), Math.max(...ranges.map((range) => range.high))];
  const y = (us: number): number => (high > low ? INSET + (1 - (us - low) / (high - low)) * (HEIGHT - 2 * INSET) : HEIGHT / 2);
  return (
    <>
      {LETTERS.map((side) => (
        <Steps key={side} side={side} steps={found[SIDES[side]]} measure={measure} width={width} y={y} />
      ))}
    </>
  );
}

interface StepsProps {
  side: Letter;
  steps: StepTimes;
  measure: string;
  width: number;
  y: (us: number) => number;
}

function Steps({ side, steps, measure, width, y }: StepsProps) {
  const times = steps.time_us?.[measure] ?? [];
  const range = rangeOf(times);
  if (!range)
    return (
      <p class="muted">
        {letterOf(side)}: {stepWords.absent}
      </p>
    );
  const slot = (width - LEFT) / times.length;
  const x = (place: number): number => LEFT + (place + 0.5) * slot;
  const radius = Math.min(3, Math.max(1, slot / 3));
  return (
    <Lane side={side} width={width} height={HEIGHT} caption={stepWords.summary(times.length, formatTime(range.median), formatTime(range.low), formatTime(range.high))}>
      <line stroke="currentColor" stroke-dasharray="4 3" x1={LEFT} x2={width} y1={y(range.median)} y2={y(range.median)} />
      {times.map((us, place) => (
        <circle key={place} class={steps.captures[place]! % 2 === 0 ? 'order-marks' : 'order-marks hollow'} cx={x(place)} cy={y(us)} r={radius}>
          <title>{stepWords.one(steps.steps[place] ?? '', formatTime(us))}</title>
        </circle>
      ))}
    </Lane>
  );
}
