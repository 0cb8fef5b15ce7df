// Step times in the order of the steps, a lane per side: where a range of steps is chosen.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { stepNumber } from '../charts/brush';
import { justChosen, useBrush, type Letter } from '../charts/use_brush';
import { Icon } from '../ui/icons';
import { text, type MetricWords } from '../ui/strings';
import type { Axis, StepTime } from './steps';

const LANE = 44;
const GAP = 8;
const INSET = 5;
const LETTERS = ['a', 'b'] as const;

interface Props {
  steps: StepTime[];
  axis: Axis;
  words: MetricWords;
  left: number;
  right: number;
  width: number;
  /** steps that are compared of each side, "" for all */
  chosen: Record<Letter, string>;
  describe: (step: StepTime) => string;
  onSteps: (side: Letter, steps: string) => void;
  onStep: (row: number) => void;
  /** what is pointed at or chosen, in words */
  onSay: (said: string) => void;
}

/** Steps by number: captures lie on each other, as a range is of numbers. */
export function numbered(steps: StepTime[], side: Letter): { numbers: number[]; at: StepTime[][] } {
  const places = new Map<number, StepTime[]>();
  for (const step of steps) {
    const number = step.side === side ? stepNumber(step.step) : null;
    if (number !== null) places.set(number, [...(places.get(number) ?? []), step]);
  }
  const numbers = [...places.keys()].sort((one, other) => one - other);
  return { numbers, at: numbers.map((number) => places.get(number)!) };
}

export function StepOrder({ steps, axis, words, left, right, width, chosen, describe, onSteps, onStep, onSay }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<{ side: Letter; place: number } | null>(null);
  const grip = useRef(0);
  const lanes = { a: numbered(steps, 'a'), b: numbered(steps, 'b') };
  const labels = (side: Letter): string[][] => lanes[side].at.map((some) => some.map((step) => step.step));
  const brushing = useBrush({ a: labels('a'), b: labels('b') }, onSteps);
  const { brush, range } = brushing;
  const shown = LETTERS.filter((side) => brushing.possible(side));
  useLayoutEffect(() => {
    if (justChosen()) box.current?.focus({ preventScroll: true });
  }, []);
  if (shown.length === 0) return null;

  const slot = (side: Letter): number => (right - left) / lanes[side].numbers.length;
  const x = (side: Letter, place: number): number => left + (place + 0.5) * slot(side);
  const top = (side: Letter): number => shown.indexOf(side) * (LANE + GAP);
  // each lane about the middle of its own side, at one scale, so that what moves is seen on both
  const reach = { a: reachOf(steps, 'a'), b: reachOf(steps, 'b') };
  const span = Math.max(reach.a.high - reach.a.low, reach.b.high - reach.b.low, (axis.high - axis.low) / 20, 1e-6);
  const y = (side: Letter, us: number): number => {
    const off = (us - (reach[side].low + reach[side].high) / 2) / span;
    return top(side) + LANE / 2 - Math.min(0.5, Math.max(-0.5, off)) * (LANE - 2 * INSET);
  };
  const placeAt = (side: Letter, px: number): number => Math.max(0, Math.min(lanes[side].numbers.length - 1, Math.floor((px - left) / slot(side))));
  const at = (event: MouseEvent): { side: Letter; place: number } => {
    const frame = (event.currentTarget as Element).getBoundingClientRect();
    const lane = Math.floor((event.clientY - frame.top) / (LANE + GAP));
    const side = shown[Math.max(0, Math.min(shown.length - 1, lane))]!;
    return { side, place: placeAt(side, event.clientX - frame.left) };
  };
  const say = (side: Letter, place: number): void => onSay(lanes[side].at[place]!.map(describe).join(' · '));
  const go = (side: Letter, place: number): void => {
    setActive({ side, place });
    say(side, place);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { side, place } = active ?? { side: shown[0]!, place: -1 };
    const other = shown.find((one) => one !== side);
    const count = lanes[side].numbers.length;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const actions: Record<string, (() => void) | undefined> = {
      Home: () => go(side, 0),
      End: () => go(side, count - 1),
      ArrowDown: other && (() => go(other, Math.min(Math.max(0, place), lanes[other].numbers.length - 1))),
      ArrowUp: other && (() => go(other, Math.min(Math.max(0, place), lanes[other].numbers.length - 1))),
      Enter: () => {
        if (!brushing.finish() && place >= 0) onStep(lanes[side].at[place]![0]!.row);
      },
      Escape: brush ? brushing.cancel : chosen[side] !== '' ? () => onSteps(side, '') : undefined,
    };
    if (step !== undefined) {
      const next = Math.max(0, Math.min(count - 1, place + step));
      if (event.shiftKey && place >= 0) {
        if (brush?.side !== side || !brush.moved) brushing.begin(side, place);
        brushing.reach(next, true);
      } else if (brush) brushing.cancel();
      go(side, next);
    } else {
      const action = actions[event.key];
      if (!action) return;
      action();
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const band = (side: Letter): [number, number] | null => {
    if (brush?.side === side && brush.moved) return [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)];
    const [low, high] = chosen[side].split('-').map(Number) as [number, number | undefined];
    const inside = chosen[side] === '' ? [] : lanes[side].numbers.flatMap((number, place) => (number >= low && number <= (high ?? low) ? [place] : []));
    return inside.length > 0 ? [inside[0]!, inside[inside.length - 1]!] : null;
  };

  return (
    <div class="step-order">
      <div
        ref={box}
        class="step-order-box"
        role="group"
        tabIndex={0}
        aria-label={text.steps.order(words)}
        style={{ height: `${shown.length * (LANE + GAP)}px` }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setActive(null);
          brushing.cancel();
          onSay('');
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          const { side, place } = at(event);
          grip.current = event.clientX;
          brushing.begin(side, place);
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          const hit = at(event);
          if (brush) brushing.reach(placeAt(brush.side, event.clientX - event.currentTarget.getBoundingClientRect().left), Math.abs(event.clientX - grip.current) > 3);
          else go(hit.side, hit.place);
        }}
        onPointerUp={(event) => {
          const { side, place } = at(event);
          if (brush?.moved) brushing.finish();
          else {
            brushing.cancel();
            onStep(lanes[side].at[place]![0]!.row);
          }
        }}
        onPointerCancel={brushing.cancel}
        onPointerLeave={() => {
          if (brush) return;
          setActive(null);
          onSay('');
        }}
      >
        <svg width={width} height={shown.length * (LANE + GAP)} aria-hidden="true">
          {shown.map((side) => {
            const range = band(side);
            return (
              <g key={side} class={`series-${side}`}>
                <rect class="order-lane" x={left} y={top(side)} width={right - left} height={LANE} />
                {range && <rect class="order-band" x={left + range[0] * slot(side)} y={top(side)} width={(range[1] - range[0] + 1) * slot(side)} height={LANE} />}
                <text class="lane-label" x={left - 8} y={top(side) + LANE / 2 + 4} text-anchor="end">
                  {side === 'a' ? text.letterA : text.letterB}
                </text>
                {capturesOf(lanes[side].at).map((capture) => (
                  <path key={capture} class="order-line" d={line(lanes[side].at, capture, (place) => x(side, place), (us) => y(side, us))} />
                ))}
                <path class="order-marks" d={marks(lanes[side].at, true, (place) => x(side, place), (us) => y(side, us), Math.min(3.2, Math.max(1.2, slot(side) / 3)))} />
                <path class="order-marks hollow" d={marks(lanes[side].at, false, (place) => x(side, place), (us) => y(side, us), Math.min(3.2, Math.max(1.2, slot(side) / 3)))} />
                {active?.side === side && <line class="order-cursor" x1={x(side, active.place)} x2={x(side, active.place)} y1={top(side)} y2={top(side) + LANE} />}
              </g>
            );
          })}
        </svg>
      </div>
      <p class="step-order-ends" aria-hidden="true" style={{ paddingLeft: `${left}px`, paddingRight: `${width - right}px` }}>
        <span>{lanes[shown[0]!].numbers[0]}</span>
        <span>{text.steps.number(words.one)}</span>
        <span>{lanes[shown[0]!].numbers[lanes[shown[0]!].numbers.length - 1]}</span>
      </p>
      <p class="step-order-hint" role="status">
        {range !== '' ? (
          text.steps.choosing(range, words)
        ) : LETTERS.some((side) => chosen[side] !== '') ? (
          LETTERS.map(
            (side) =>
              chosen[side] !== '' && (
                <button key={side} type="button" class="chip chip-filter" title={text.picker.allSteps(words)} onClick={() => onSteps(side, '')}>
                  {text.picker.onlySteps(side === 'a' ? text.letterA : text.letterB, chosen[side], words)} <Icon name="close" size={12} />
                </button>
              ),
          )
        ) : (
          <span class="muted">{text.steps.drag(words)}</span>
        )}
      </p>
    </div>
  );
}

/** Times of the steps that are compared, of all where none is. */
function reachOf(steps: StepTime[], side: Letter): Axis {
  const own = steps.filter((step) => step.side === side);
  const kept = own.filter((step) => step.admitted);
  const times = (kept.length > 0 ? kept : own).map((step) => step.us);
  return times.length > 0 ? { low: Math.min(...times), high: Math.max(...times) } : { low: 0, high: 0 };
}

function capturesOf(at: StepTime[][]): string[] {
  return [...new Set(at.flat().map((step) => step.capture))];
}

type Place = (place: number) => number;

/** The steps of a capture, joined. */
function line(at: StepTime[][], capture: string, x: Place, y: Place): string {
  const points = at.flatMap((some, place) => some.filter((step) => step.capture === capture).map((step) => `${x(place).toFixed(1)} ${y(step.us).toFixed(1)}`));
  return points.length > 1 ? `M${points.join('L')}` : '';
}

function marks(at: StepTime[][], admitted: boolean, x: Place, y: Place, r: number): string {
  return at
    .flatMap((some, place) => some.filter((step) => step.admitted === admitted).map((step) => `M${(x(place) - r).toFixed(1)} ${y(step.us).toFixed(1)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`))
    .join('');
}
