// Input for two lanes of steps, one per side: pointer and keyboard reading, and range selection by dragging or Shift.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Letter } from '../ui/sides';
import type { MetricWords } from '../ui/strings';
import { pointIn } from './canvas';
import { canChoose, ordered, stepRange } from './brush';

export const laneWords = {
  reason: (reason: string) => `not compared: ${reason}`,
  hint: ({ one, many }: MetricWords) => `Click a ${one} for its row; drag to compare a range of ${many}.`,
  choosing: (range: string, { many }: MetricWords) => `${many} ${range.replace('-', '–')}: Enter compares only these, Esc cancels`,
};

/** A range being drawn, as indices on one side in the order reached: `from` may be after `to`. */
interface Brush {
  side: Letter;
  from: number;
  to: number;
  /** dragged too far to be a click */
  moved: boolean;
}

interface Options {
  shown: Letter[];
  /** labels of the steps at each index, per side */
  labels: Record<Letter, string[][]>;
  /** range of compared steps per side, "" for all */
  chosen: Record<Letter, string>;
  /** step under a point of the chart, null outside the lanes */
  at: (x: number, y: number) => { side: Letter; place: number } | null;
  /** index of the nearest step in a lane */
  placeAt: (side: Letter, x: number) => number;
  onOpen: (side: Letter, place: number) => void;
  onSteps: (side: Letter, steps: string) => void;
}

/** Whether the chart takes the focus when it is rebuilt after a range was selected. */
let justChosen = false;

export function useLanes({ shown, labels, chosen, at, placeAt, onOpen, onSteps }: Options) {
  const box = useRef<HTMLDivElement>(null);
  const grip = useRef(0);
  const [active, setActive] = useState<{ side: Letter; place: number; keyed: boolean } | null>(null);
  const [brush, setBrush] = useState<Brush | null>(null);
  useLayoutEffect(() => {
    if (justChosen) box.current?.focus({ preventScroll: true });
    justChosen = false;
  }, []);
  const drawn = brush?.moved ? ordered(brush.from, brush.to, labels[brush.side].length) : null;
  const range = brush && drawn ? stepRange(labels[brush.side].slice(drawn[0], drawn[1] + 1).flat()) : '';
  const begin = (side: Letter, place: number): void => setBrush(canChoose(labels[side].flat()) ? { side, from: place, to: place, moved: false } : null);
  const reach = (place: number, moved: boolean): void => setBrush((held) => held && { ...held, to: place, moved: held.moved || moved });
  const cancel = (): void => setBrush(null);
  /** Applies the drawn range; returns false if there is none. */
  const finish = (): boolean => {
    cancel();
    if (!brush || range === '') return false;
    justChosen = true;
    onSteps(brush.side, range);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || shown.length === 0) return;
    const { side, place } = active ?? { side: shown[0]!, place: -1 };
    const other = shown.find((one) => one !== side);
    const last = labels[side].length - 1;
    const go = (to: Letter, next: number): void => setActive({ side: to, place: Math.max(0, Math.min(labels[to].length - 1, next)), keyed: true });
    const across = other && (() => go(other, place));
    const actions: Record<string, (() => void) | undefined> = {
      Home: () => go(side, 0),
      End: () => go(side, last),
      ArrowUp: across,
      ArrowDown: across,
      Enter: () => {
        if (!finish() && place >= 0) onOpen(side, place);
      },
      Escape: brush ? cancel : chosen[side] !== '' ? () => onSteps(side, '') : undefined,
    };
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined) {
      const next = Math.max(0, Math.min(last, place + step));
      if (event.shiftKey && place >= 0) {
        if (brush?.side !== side || !brush.moved) begin(side, place);
        reach(next, true);
      } else if (brush) cancel();
      go(side, next);
    } else {
      const action = actions[event.key];
      if (!action) return;
      action();
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const handlers = {
    onKeyDown,
    onBlur: () => {
      setActive(null);
      cancel();
    },
    onPointerDown: (event: preact.TargetedPointerEvent<HTMLDivElement>) => {
      const hit = at(...pointIn(event));
      if (event.button !== 0 || !hit) return;
      grip.current = event.clientX;
      begin(hit.side, hit.place);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const [x, y] = pointIn(event);
      const hit = at(x, y);
      if (brush) reach(placeAt(brush.side, x), Math.abs(event.clientX - grip.current) > 3);
      else setActive(hit && { ...hit, keyed: false });
    },
    onPointerUp: (event: PointerEvent) => {
      const hit = at(...pointIn(event));
      if (brush?.moved) finish();
      else {
        cancel();
        if (hit) onOpen(hit.side, hit.place);
      }
    },
    onPointerCancel: cancel,
    onPointerLeave: () => {
      if (!brush) setActive(null);
    },
  };
  /** first and last index of the drawn range, with its side */
  const band = brush && drawn ? { side: brush.side, from: drawn[0], to: drawn[1] } : null;
  return { box, active, range, band, handlers };
}
