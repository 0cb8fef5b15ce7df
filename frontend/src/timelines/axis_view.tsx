// Overview strip and ruler above the timelines: drawing and pointer input.

import { useRef } from 'preact/hooks';
import { pointIn } from '../charts/canvas';
import { length, sameRange, zoomed, type TimeRange } from '../charts/time_range';
import { MAP, RULER } from './drawing/axis';
import type { Stage } from './drawing/stage';

const EDGE_PIXELS = 6;

/** Dragging the frame pans, dragging its edges resizes it; dragging elsewhere on the strip or on the ruler selects a
 *  new range. */
export function AxisCanvas({ stage, canvas, width, onSee, onArea }: { stage: Stage; canvas: preact.RefObject<HTMLCanvasElement | null>; width: number; onSee: (range: TimeRange) => void; onArea: () => void }) {
  const held = useRef<{ kind: 'frame' | 'from' | 'to' | 'brush' | 'ruler'; at: number; range: TimeRange } | null>(null);
  const onMap = (x: number): number => stage.whole.from + (x / Math.max(1, width)) * length(stage.whole);
  const onRuler = (x: number): number => stage.range.from + x * stage.pixelNs;
  const kindAt = (x: number, y: number): 'frame' | 'from' | 'to' | 'brush' | 'ruler' => {
    if (y >= MAP) return 'ruler';
    const scale = width / length(stage.whole);
    const [left, right] = [(stage.range.from - stage.whole.from) * scale, (stage.range.to - stage.whole.from) * scale];
    if (Math.abs(x - left) <= EDGE_PIXELS) return 'from';
    if (Math.abs(x - right) <= EDGE_PIXELS) return 'to';
    return x > left && x < right && right - left < width - 2 * EDGE_PIXELS ? 'frame' : 'brush';
  };
  const ordered = (one: number, other: number): TimeRange => ({ from: Math.min(one, other), to: Math.max(one, other) });
  const onPointerMove = (event: PointerEvent): void => {
    const [x, y] = pointIn(event);
    const { current } = held;
    if (!current) {
      const kind = kindAt(x, y);
      canvas.current!.style.cursor = kind === 'frame' ? 'grab' : kind === 'from' || kind === 'to' ? 'ew-resize' : 'crosshair';
      return;
    }
    const { kind, at, range } = current;
    if (kind === 'ruler') {
      stage.brush = ordered(at, onRuler(x));
      stage.request();
    } else if (kind === 'frame') onSee({ from: range.from + onMap(x) - at, to: range.to + onMap(x) - at });
    else if (kind === 'brush') onSee(ordered(at, onMap(x)));
    else onSee(ordered(kind === 'from' ? range.to : range.from, onMap(x)));
  };
  const onPointerUp = (event: PointerEvent): void => {
    const [x] = pointIn(event);
    const { current } = held;
    held.current = null;
    const brushed = stage.brush;
    stage.brush = null;
    stage.request();
    if (!current) return;
    if (current.kind === 'ruler') {
      if (!brushed || length(brushed) <= 3 * stage.pixelNs) return;
      onSee(brushed);
      onArea();
    } else if (current.kind === 'brush') {
      if (Math.abs(onMap(x) - current.at) * width >= 3 * length(stage.whole)) return onArea();
      // a click outside the frame centers it there
      const half = length(current.range) / 2;
      onSee({ from: current.at - half, to: current.at + half });
    }
  };
  return (
    <canvas
      ref={canvas}
      class="st-axis-canvas"
      aria-hidden="true"
      style={{ width: `${width}px`, height: `${MAP + RULER}px` }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        const [x, y] = pointIn(event);
        const kind = kindAt(x, y);
        held.current = { kind, at: kind === 'ruler' ? onRuler(x) : onMap(x), range: stage.range };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => (held.current = null)}
      onWheel={(event) => {
        const [x, y] = pointIn(event);
        const next = zoomed(stage.whole, stage.range, y >= MAP ? onRuler(x) : onMap(x), 2 ** (event.deltaY / 300));
        if (sameRange(next, stage.range)) return;
        event.preventDefault();
        onSee(next);
      }}
    />
  );
}
