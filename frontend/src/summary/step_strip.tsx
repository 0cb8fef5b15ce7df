// Chart of both sides' step times in order, on one scale: A left, B right. Also selects ranges of steps.

import { useState } from 'preact/hooks';
import type { RowSource } from '../api/api';
import { YTick } from '../charts/axes';
import { stepNumber } from '../charts/brush';
import { niceTicks } from '../charts/ticks';
import { laneWords, useLanes } from '../charts/use_lanes';
import type { Comparison } from '../contract/wire';
import { rowKey, stepTimes, type StepTime } from '../table/data/rows';
import { useAllRows } from '../table/shown_rows/use_all_rows';
import { FilterChip } from '../ui/buttons';
import { Segments } from '../ui/controls/segments';
import { formatMany, formatRound, formatTime, formatWithUnit, timeStyle } from '../ui/format';
import { letterOf, LETTERS, sideName, type Letter } from '../ui/sides';
import { metricWords, text, type MetricWords } from '../ui/strings';
import { useWidth } from '../ui/use_width';

const HEIGHT = 170;
const TOP = 8;
const BOTTOM = 22;
const LEFT = 64;
const GAP = 14;
const COLUMNS = ['side', 'capture', 'step', 'total_us', 'admitted', 'reason', 'backlog_us', 'at_one_pace_us'];

const stripWords = {
  none: (words: MetricWords) => `The source has no ${words.times.toLowerCase()} to draw.`,
  pace: 'Pace of the machine',
  recorded: 'As recorded',
  onePace: 'At equal speed',
  onePaceAbout: 'Step times without the changes of machine speed',
  both: (paced: string, recorded: string) => `${paced} at equal machine speed, ${recorded} recorded`,
  dropped: 'hollow: not compared',
  step: (one: string, side: string, step: string, capture: string, time: string) => `${side}, ${one} ${step}${capture}: ${time}`,
  capture: (capture: string) => ` of capture ${capture}`,
  numbers: ({ one, many }: MetricWords, first: string, last: string) => (first === last ? `${one} ${first}` : `${many} ${first}–${last}`),
  beyond: (side: string, n: number, words: MetricWords) => `${side}: ${formatMany(n, words.one, words.many)} beyond the axis`,
  order: (words: MetricWords, a: string, b: string) =>
    `${words.times} in order. A: ${a}. B: ${b}. Left and right go from ${words.one} to ${words.one}, up and down from run to run, Enter shows the ${words.one} in the table. With Shift, left and right choose a range; Enter then compares only these, Escape all.`,
  sideSummary: (n: number, dropped: number, low: string, high: string, words: MetricWords) =>
    `${formatMany(n, words.one, words.many)} from ${low} to ${high}${dropped > 0 ? `, ${dropped} not compared` : ''}`,
};

interface Props {
  comparison: Comparison;
  /** source of the step table's rows not sent with it */
  source: RowSource | null;
  /** range of compared steps per side, "" for all */
  chosen: Record<Letter, string>;
  onSteps: (side: Letter, steps: string) => void;
  onStep: (row: string) => void;
}

/** Groups steps by number, merging captures, since a range is of numbers. Steps without numbers are not grouped. */
export function placesOf(steps: StepTime[], side: Letter): StepTime[][] {
  const own = steps.filter((step) => step.side === side);
  const numbers = own.map((step) => stepNumber(step.step));
  if (numbers.includes(null)) return own.map((step) => [step]);
  const places = new Map<number, StepTime[]>();
  own.forEach((step, at) => places.set(numbers[at]!, [...(places.get(numbers[at]!) ?? []), step]));
  return [...places].sort(([one], [other]) => one - other).map(([, some]) => some);
}

export function StepStrip({ comparison, source, chosen, onSteps, onStep }: Props) {
  const [frame, width] = useWidth();
  const { table } = useAllRows(source, comparison.tables['steps'], COLUMNS);
  const words = metricWords(comparison.headline.metric);
  const recorded = stepTimes(table ?? undefined);
  const [asked, setAtPace] = useState(false);
  const paced = recorded.some((step) => step.paced !== null);
  const atPace = asked && paced;
  const steps = atPace ? atOnePace(recorded) : recorded;
  const lanes = { a: placesOf(steps, 'a'), b: placesOf(steps, 'b') };
  const shown = LETTERS.filter((side) => lanes[side].length > 0);
  const axis = stepAxis(steps);
  const style = timeStyle([axis.high]);
  const half = Math.max(40, (width - LEFT - GAP) / 2);
  const left = (side: Letter): number => LEFT + (side === 'b' ? half + GAP : 0);
  const slot = (side: Letter): number => half / lanes[side].length;
  const y = (us: number): number => TOP + (1 - (Math.min(Math.max(us, axis.low), axis.high) - axis.low) / (axis.high - axis.low)) * (HEIGHT - TOP - BOTTOM);
  const placeAt = (side: Letter, px: number): number => Math.max(0, Math.min(lanes[side].length - 1, Math.floor((px - left(side)) / slot(side))));
  const labels = { a: lanes.a.map((some) => some.map((step) => step.step)), b: lanes.b.map((some) => some.map((step) => step.step)) };
  const { box, active, range, band, handlers } = useLanes({
    shown, labels, chosen, placeAt, onSteps,
    at: (px) => {
      const side = px >= left('b') - GAP / 2 ? 'b' : 'a';
      return lanes[side].length > 0 ? { side, place: placeAt(side, px) } : null;
    },
    onOpen: (side, place) => table && onStep(rowKey(table, lanes[side][place]![0]!.row)),
  });
  const describe = (step: StepTime): string => {
    const captures = Math.max(comparison.baseline.captures ?? 1, comparison.candidate.captures ?? 1);
    const where = captures > 1 && step.capture !== '' ? stripWords.capture(step.capture) : '';
    const shown = atPace && step.paced !== null ? stripWords.both(formatWithUnit(style, step.paced), formatWithUnit(style, recorded.find(({ row }) => row === step.row)!.us)) : formatWithUnit(style, step.us);
    const time = stripWords.step(words.one, sideName(step.side), step.step, where, shown);
    if (step.backlog > 0) return `${time}, ${text.backlog.of(formatTime(step.backlog), words.one)}`;
    return step.admitted ? time : `${time}, ${laneWords.reason(step.reason)}`;
  };
  const banded = (side: Letter): [number, number] | null => {
    if (band?.side === side) return [band.from, band.to];
    const [low = NaN, high = low] = chosen[side].split('-').map(Number);
    const inside = chosen[side] === '' ? [] : lanes[side].flatMap((some, place) => (stepNumber(some[0]!.step)! >= low && stepNumber(some[0]!.step)! <= high ? [place] : []));
    return inside.length > 0 ? [inside[0]!, inside[inside.length - 1]!] : null;
  };
  const beyond = (side: Letter): number => lanes[side].flat().filter((step) => step.us > axis.high).length;
  const summary = (side: Letter): string => {
    const own = lanes[side].flat();
    const times = own.filter((step) => step.admitted).map((step) => step.us);
    return times.length === 0 ? stripWords.none(words) : stripWords.sideSummary(times.length, own.length - times.length, formatTime(Math.min(...times)), formatTime(Math.max(...times)), words);
  };

  return (
    <section class="panel steps" aria-label={words.times}>
      <header>
        <h2>{words.times}</h2>
        {paced && (
          <Segments label={stripWords.pace} all={[false, true]} chosen={(one) => one === atPace} name={(one) => (one ? stripWords.onePace : stripWords.recorded)} title={(one) => (one ? stripWords.onePaceAbout : undefined)} onChoose={setAtPace} />
        )}
      </header>
      <div ref={frame}>
        {table && steps.length === 0 && <p class="muted">{stripWords.none(words)}</p>}
        {steps.length > 0 && (
          <div ref={box} class="step-strip picture-box" role="group" tabIndex={0} aria-label={stripWords.order(words, summary('a'), summary('b'))} style={{ height: `${HEIGHT}px` }} {...handlers}>
            {width > 0 && (
              <svg width={width} height={HEIGHT} aria-hidden="true">
                {niceTicks(axis.low / style.scale, axis.high / style.scale, 4).map((tick) => (
                  <YTick key={tick} at={y(tick * style.scale)} from={LEFT} to={width}>
                    {`${formatRound(tick)}\u202f${style.unit}`}
                  </YTick>
                ))}
                {shown.map((side) => (
                  <Lane
                    key={side}
                    side={side}
                    places={lanes[side]}
                    left={left(side)}
                    width={half}
                    y={y}
                    band={banded(side)}
                    cursor={active?.side === side ? active.place : null}
                    words={words}
                  />
                ))}
              </svg>
            )}
          </div>
        )}
      </div>
      <p class="legend small soft">
        {LETTERS.map(
          (side) =>
            chosen[side] !== '' && (
              <FilterChip key={side} title={text.picker.allSteps(words)} onClick={() => onSteps(side, '')}>{text.picker.onlySteps(letterOf(side), chosen[side], words)}</FilterChip>
            ),
        )}
        {LETTERS.map((side) => beyond(side) > 0 && <span key={side}>{stripWords.beyond(letterOf(side), beyond(side), words)} ▴</span>)}
        {steps.some((step) => !step.admitted) && <span class="legend-key legend-hollow">{stripWords.dropped}</span>}
      </p>
      <p class="step-read small" role="status">
        {range !== '' ? laneWords.choosing(range, words) : active ? lanes[active.side][active.place]?.map(describe).join(' · ') : <span class="muted">{steps.length > 0 ? laneWords.hint(words) : ''}</span>}
      </p>
    </section>
  );
}

/** Replaces each step's time by its time at equal machine speed, if known. */
export function atOnePace(steps: StepTime[]): StepTime[] {
  return steps.map((step) => (step.paced === null ? step : { ...step, us: step.paced }));
}

interface LaneProps {
  side: Letter;
  places: StepTime[][];
  left: number;
  width: number;
  y: (us: number) => number;
  /** first and last place of the steps compared, and the place that is read; null for none */
  band: [number, number] | null;
  cursor: number | null;
  words: MetricWords;
}

/** One side's steps. */
function Lane({ side, places, left, width, y, band, cursor, words }: LaneProps) {
  const slot = width / places.length;
  const x = (place: number): number => left + (place + 0.5) * slot;
  const radius = Math.min(3.2, Math.max(1.2, slot / 3));
  const spots = (admitted: boolean): string => places.flatMap((some, place) => some.filter((step) => step.admitted === admitted).map((step) => spot(x(place), y(step.us), radius))).join('');
  return (
    <g class={`series-${side}`}>
      {band && <rect fill="var(--selected)" stroke="var(--focus)" x={left + band[0] * slot} y={TOP} width={(band[1] - band[0] + 1) * slot} height={HEIGHT - TOP - BOTTOM} />}
      {[...new Set(places.flat().map((step) => step.capture))].map((capture) => (
        <path key={capture} fill="none" opacity="0.55" stroke="currentColor" stroke-width="1.2" d={line(places, capture, x, y)} />
      ))}
      <path class="order-marks" d={spots(true)} />
      <path class="order-marks hollow" d={spots(false)} />
      <text class={`lane-label text-${side}`} x={left} y={HEIGHT - 6}>
        {sideName(side)}
      </text>
      <text class="axis-text" x={left + width} y={HEIGHT - 6} text-anchor="end">
        {stripWords.numbers(words, places[0]![0]!.step, places[places.length - 1]![0]!.step)}
      </text>
      {cursor !== null && <line stroke="var(--ink)" x1={x(cursor)} x2={x(cursor)} y1={TOP} y2={HEIGHT - BOTTOM} />}
    </g>
  );
}

/** Circle as part of an SVG path, so that one element draws a whole lane. */
const spot = (x: number, y: number, r: number): string => `M${(x - r).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

/** SVG path that joins the steps of a capture. */
function line(lane: StepTime[][], capture: string, x: (place: number) => number, y: (us: number) => number): string {
  const points = lane.flatMap((some, place) => some.filter((step) => step.capture === capture).map((step) => `${x(place).toFixed(1)} ${y(step.us).toFixed(1)}`));
  return points.length > 1 ? `M${points.join('L')}` : '';
}

/** Axis range over the admitted steps; a dropped step far outside is drawn at the edge with a label. */
export function stepAxis(steps: StepTime[]): { low: number; high: number } {
  const kept = steps.filter((step) => step.admitted);
  const times = (kept.length > 0 ? kept : steps).map((step) => step.us);
  if (times.length === 0) return { low: 0, high: 1 };
  const low = Math.min(...times);
  const high = Math.max(...times);
  const pad = Math.max((high - low) * 0.06, high * 0.01);
  return { low: Math.max(0, low - pad), high: high + pad };
}
