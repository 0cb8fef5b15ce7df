// The canvases' stage: created once, resized, restyled and stopped with its elements.

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { sameRange, type TimeRange } from '../charts/time_range';
import { followTheme } from '../host/host';
import { LETTERS } from '../ui/sides';
import { Stage, type Shown } from './drawing/stage';

/** The visible range has settled once it stays the same for this long. */
const SETTLED_MS = 160;

/** Each new object `wanted` is followed once. `settled` is the last visible range that settled. */
export function useStage(shown: Shown, wanted: TimeRange, onSettled: (range: TimeRange, pixels: number) => void) {
  const axis = useRef<HTMLCanvasElement>(null);
  const canvases = { a: useRef<HTMLCanvasElement>(null), b: useRef<HTMLCanvasElement>(null) };
  const scrolls = { a: useRef<HTMLDivElement>(null), b: useRef<HTMLDivElement>(null) };
  const [width, setWidth] = useState(0);
  const [settled, setSettled] = useState<TimeRange | null>(null);
  const settle = useRef(0);
  const calls = useRef({ onSettled });
  calls.current = { onSettled };

  const stage = useMemo(() => {
    const made: Stage = new Stage(() => {
      window.clearTimeout(settle.current);
      settle.current = window.setTimeout(() => {
        setSettled(made.range);
        calls.current.onSettled(made.range, made.width * (window.devicePixelRatio || 1));
      }, SETTLED_MS);
    });
    return made;
  }, []);

  useLayoutEffect(() => {
    for (const side of LETTERS) if (canvases[side].current && scrolls[side].current) stage.attach(side, canvases[side].current, scrolls[side].current);
    if (axis.current) stage.attachAxis(axis.current);
    const observer = new ResizeObserver(() => {
      const now = canvases.a.current?.parentElement?.clientWidth ?? 0;
      if (now > 0) {
        stage.width = now;
        setWidth(now);
      }
      stage.request();
    });
    for (const side of LETTERS) if (scrolls[side].current) observer.observe(scrolls[side].current);
    const unfollow = followTheme(() => stage.restyle());
    return () => {
      observer.disconnect();
      unfollow();
      stage.stop();
      window.clearTimeout(settle.current);
    };
  }, []);
  useLayoutEffect(() => stage.show(shown), [shown]);
  useLayoutEffect(() => {
    if (!sameRange(stage.range, wanted)) stage.see(wanted);
  }, [wanted, shown.whole.from, shown.whole.to]);
  return { stage, axis, canvases, scrolls, width, settled };
}
