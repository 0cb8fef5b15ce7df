// Step times of both sides: distribution curves over strips with one mark per step.

import { useState } from 'preact/hooks';
import { niceTicks } from '../charts/ticks';
import type { Comparison } from '../contract/wire';
import { formatIn, formatRound, formatTime, timeStyle } from '../ui/format';
import { metricWords, text, type MetricWords } from '../ui/strings';
import { useWidth } from '../ui/use_width';
import { curvePath, ecdf } from './distribution';
import { StepOrder } from './step_order';
import { stepAxis, stepTimes, type StepTime } from './steps';

const CURVE = 150;
const LANE = 34;
const TOP = 12;
const LEFT = 44;
const RIGHT = 22;
const RADIUS = 4;
const HEIGHT = TOP + CURVE + 2 * LANE + 46;

interface Props {
  comparison: Comparison;
  /** steps that are compared of each side, "" for all */
  chosen: Record<'a' | 'b', string>;
  onSteps: (side: 'a' | 'b', steps: string) => void;
  onStep: (row: number) => void;
}

interface Placed extends StepTime {
  x: number;
  y: number;
}

/** A circle as a path, so that one element draws a whole lane. */
const circle = (x: number, y: number): string => `M${(x - RADIUS).toFixed(1)} ${y.toFixed(1)}a${RADIUS} ${RADIUS} 0 1 0 ${2 * RADIUS} 0a${RADIUS} ${RADIUS} 0 1 0 ${-2 * RADIUS} 0`;

/** Marks of one lane; neighbours that would cover each other are spread over three heights. */
function place(steps: StepTime[], x: (us: number) => number, middle: number): Placed[] {
  const sorted = [...steps].sort((a, b) => a.us - b.us);
  let last = -Infinity;
  let level = 0;
  return sorted.map((step) => {
    const at = x(step.us);
    level = at - last < 2 * RADIUS ? (level + 1) % 3 : 0;
    last = at;
    return { ...step, x: at, y: middle + [0, -8, 8][level]! };
  });
}

function summary(steps: StepTime[], words: MetricWords): string {
  const kept = steps.filter((step) => step.admitted).map((step) => step.us);
  if (kept.length === 0) return text.steps.none(words);
  return text.steps.sideSummary(kept.length, steps.length - kept.length, formatTime(Math.min(...kept)), formatTime(Math.max(...kept)), words);
}

export function StepChart({ comparison, chosen: range, onSteps, onStep }: Props) {
  const [box, width] = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const [said, setSaid] = useState('');
  const words = metricWords(comparison.headline.metric);
  const steps = stepTimes(comparison);
  const axis = stepAxis(steps);
  const style = timeStyle(steps.map((step) => step.us));
  const right = Math.max(LEFT + 100, width - RIGHT);
  const x = (us: number): number => LEFT + ((Math.min(us, axis.high) - axis.low) / (axis.high - axis.low)) * (right - LEFT);
  const level = (share: number): number => TOP + CURVE * (1 - share);
  const bottom = TOP + CURVE + 2 * LANE + 10;
  const sides = (['a', 'b'] as const).map((letter, lane) => {
    const own = steps.filter((step) => step.side === letter);
    const kept = own.filter((step) => step.admitted);
    return { letter, own, points: ecdf(kept.map((step) => step.us)), placed: place(own, x, TOP + CURVE + LANE * (lane + 0.5) + 8), beyond: own.filter((step) => step.us > axis.high).length };
  });
  const all = sides.flatMap((side) => side.placed);
  const chosen = active === null ? undefined : all[active];

  const describe = (step: StepTime): string => {
    const captures = Math.max(comparison.baseline.captures ?? 1, comparison.candidate.captures ?? 1);
    const where = captures > 1 && step.capture !== '' ? text.steps.capture(step.capture) : '';
    const time = text.steps.step(words.one, step.side === 'a' ? text.sideA : text.sideB, step.step, where, `${formatIn(style, step.us)}\u202f${style.unit}`);
    if (step.backlog > 0) return `${time}, ${text.backlog.of(formatTime(step.backlog), words.one)}`;
    return step.admitted ? time : `${time}, ${text.steps.reason(step.reason)}`;
  };
  const nearest = (event: MouseEvent): number | null => {
    const frame = (event.currentTarget as Element).getBoundingClientRect();
    const [px, py] = [event.clientX - frame.left, event.clientY - frame.top];
    let best: number | null = null;
    let distance = 24 ** 2;
    all.forEach((mark, index) => {
      const away = (mark.x - px) ** 2 + (mark.y - py) ** 2;
      if (away < distance) [best, distance] = [index, away];
    });
    return best;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (move !== undefined && all.length > 0) {
      event.preventDefault();
      setActive(active === null ? 0 : (active + move + all.length) % all.length);
    } else if (event.key === 'Enter' && chosen) onStep(chosen.row);
  };

  return (
    <section class="panel steps" aria-label={words.times}>
      <header>
        <h2 class="section-title">{words.times}</h2>
        <p class="muted">{text.steps.about(words)}</p>
      </header>
      <div
        ref={box}
        class="step-chart"
        tabIndex={steps.length > 0 ? 0 : -1}
        role="group"
        aria-label={text.steps.label(words.times.toLowerCase(), summary(steps.filter((s) => s.side === 'a'), words), summary(steps.filter((s) => s.side === 'b'), words))}
        onKeyDown={onKeyDown}
        onBlur={() => setActive(null)}
      >
        {steps.length === 0 && <p class="muted">{text.steps.none(words)}</p>}
        {steps.length > 0 && width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            aria-hidden="true"
            onMouseMove={(event) => setActive(nearest(event))}
            onMouseLeave={() => setActive(null)}
            onClick={(event) => {
              const hit = nearest(event);
              if (hit !== null) onStep(all[hit]!.row);
            }}
          >
            {[0, 0.5, 1].map((share) => (
              <g key={share}>
                <line class="grid-line" x1={LEFT} x2={right} y1={level(share)} y2={level(share)} />
                <text class="axis-text" x={LEFT - 8} y={level(share) + 4} text-anchor="end">{`${100 * share}\u202f%`}</text>
              </g>
            ))}
            {niceTicks(axis.low / style.scale, axis.high / style.scale, 6).map((tick) => (
              <g key={tick}>
                <line class="grid-line" x1={x(tick * style.scale)} x2={x(tick * style.scale)} y1={TOP} y2={bottom} />
                <text class="axis-text" x={x(tick * style.scale)} y={bottom + 16} text-anchor="middle">
                  {formatRound(tick)}
                </text>
              </g>
            ))}
            <text class="axis-text" x={right} y={bottom + 30} text-anchor="end">
              {style.unit}
            </text>
            {sides.map((side) => (
              <g key={side.letter} class={`series-${side.letter}`}>
                <path class="curve" d={curvePath(side.points, x, level, axis.low, axis.high)} />
                <path class="marks" d={side.placed.filter((mark) => mark.admitted).map((mark) => circle(mark.x, mark.y)).join('')} />
                <path class="marks hollow" d={side.placed.filter((mark) => !mark.admitted).map((mark) => circle(mark.x, mark.y)).join('')} />
                <text class="lane-label" x={LEFT - 8} y={TOP + CURVE + LANE * (side.letter === 'a' ? 0.5 : 1.5) + 12} text-anchor="end">
                  {side.letter === 'a' ? text.letterA : text.letterB}
                </text>
              </g>
            ))}
            {chosen && <circle class="chosen" cx={chosen.x} cy={chosen.y} r={RADIUS + 3} />}
          </svg>
        )}
      </div>
      {width > 0 && <StepOrder steps={steps} axis={axis} words={words} left={LEFT} right={right} width={width} chosen={range} describe={describe} onSteps={onSteps} onStep={onStep} onSay={setSaid} />}
      <p class="step-read" role="status">
        {chosen ? describe(chosen) : said !== '' ? said : steps.length > 0 ? <span class="muted">{text.steps.hint(words.one)}</span> : null}
      </p>
      <p class="legend">
        <span class="legend-key legend-a">{text.sideA}</span>
        <span class="legend-key legend-b">{text.sideB}</span>
        {sides.map((side) => side.beyond > 0 && <span key={side.letter}>{text.steps.beyond(side.letter === 'a' ? text.letterA : text.letterB, side.beyond, words)} ▸</span>)}
        {steps.some((step) => !step.admitted) && <span class="legend-key legend-hollow">{text.steps.dropped}</span>}
      </p>
    </section>
  );
}
