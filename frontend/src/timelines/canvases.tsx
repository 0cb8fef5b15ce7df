// Both timelines with lanes, overview strip and ruler, and their input: panning, zooming, hovering, selecting.

import { Fragment } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { pointIn } from '../charts/canvas';
import { length, sameRange, rangeAfterWheel, type TimeRange } from '../charts/time_range';
import { formatTime } from '../ui/format';
import { LETTERS, sideName, type Letter } from '../ui/sides';
import { useKeys } from '../ui/use_keys';
import { AxisCanvas } from './axis_view';
import { eventOf, eventsIn } from './data/wire';
import { words } from './data/words';
import { Divider } from './divider';
import { scrollFor } from './drawing/layout';
import type { Mark, Shown, Stage } from './drawing/stage';
import { Drag, rangeAfterKey } from './gestures';
import { Lanes, TipHost, type TipPlace } from './parts';
import { useStage } from './use_stage';

/** A selected event: its side and event number. */
export interface Selected {
  side: Letter;
  event: number;
}

interface Props {
  shown: Shown;
  /** range requested by a link or a control; each new object is followed once */
  wanted: TimeRange;
  selected: Selected | null;
  /** headings above each timeline */
  heads: Record<Letter, preact.ComponentChildren>;
  labels: Record<Letter, string>;
  onSettled: (range: TimeRange, pixels: number) => void;
  /** called when a range is drawn on the ruler or the strip */
  onArea: () => void;
  onSelect: (selected: Selected | null) => void;
  onFold: (key: string) => void;
  onPin: (key: string) => void;
  onKey: (key: string) => boolean;
}

/** Height of a pane besides its lanes: the line above, the heading, and two spare pixels. */
const PANE_HEAD = 35;

export function Canvases({ shown, wanted, selected, heads, labels, onSettled, onArea, onSelect, onFold, onPin, onKey }: Props) {
  const { stage, axis, canvases, scrolls, width, settled } = useStage(shown, wanted, onSettled);
  const tip = useRef<(at: TipPlace | null) => void>(() => undefined);
  const [share, setShare] = useState<number | null>(null);

  const see = (range: TimeRange): void => {
    stage.see(range);
    tip.current(null);
  };
  const hover = (mark: Mark | null): void => {
    const same = mark?.side === stage.hovered?.side && mark?.row === stage.hovered?.row && mark?.mark === stage.hovered?.mark;
    if (same) return;
    stage.hovered = mark;
    stage.request();
  };
  const choose = (mark: Mark | null): void => onSelect(mark ? { side: mark.side, event: eventOf(mark.row, mark.mark) } : null);
  const zoomTo = (mark: Mark): void => {
    const [from, to] = [mark.row.start[mark.mark]! + stage.shift(mark.side), mark.row.end[mark.mark]! + stage.shift(mark.side)];
    const room = eventsIn(mark.row, mark.mark) > 1 ? 1.2 : 2;
    see({ from: from - (to - from) * (room - 1), to: to + (to - from) * (room - 1) });
  };

  const current = (): Mark | null => (selected ? stage.markOf(selected.side, selected.event) : null);
  /** Runs a key's action; returns false for keys without one. */
  const act = (key: string): boolean => {
    const side: Letter = scrolls.b.current?.contains(document.activeElement) ? 'b' : 'a';
    const middle = selected && current() ? (current()!.row.start[current()!.mark]! + current()!.row.end[current()!.mark]!) / 2 : (stage.range.from + stage.range.to) / 2;
    const next = rangeAfterKey(key, stage.whole, stage.range, inside(middle + (selected ? stage.shift(selected.side) : 0), stage.range));
    const scroll = scrolls[side].current;
    const vertical: Record<string, number> = { ArrowUp: -32, ArrowDown: 32, PageUp: -(scroll?.clientHeight ?? 0), PageDown: scroll?.clientHeight ?? 0 };
    if (next) see(next);
    else if (key in vertical && scroll) scroll.scrollTop += vertical[key]!;
    else if (key === '.' || key === ',') step(side, key === '.' ? 1 : -1);
    else if (key === 'Enter') choose(stage.hovered?.side === side ? stage.hovered : largest(stage, side));
    else if (key === 'Escape' && !selected && length(stage.range) < length(stage.whole)) see(stage.whole);
    else return onKey(key);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !act(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  // page-wide, so that keys work right after the view is opened, wherever the focus is
  useKeys({ digit: () => undefined, ...Object.fromEntries([...ANYWHERE].map((key) => [key, () => act(key)])) });
  /** Selects the previous or next event in the row of the selected one; without a selection, the largest in view. */
  const step = (side: Letter, by: 1 | -1): void => {
    const at = current();
    const next = at && at.mark + by >= 0 && at.mark + by < at.row.count ? { ...at, mark: at.mark + by } : at;
    choose(next ?? largest(stage, side));
  };

  const bothPanes = LETTERS.reduce((sum, side) => sum + PANE_HEAD + (shown[side].layout?.height ?? 0), 0);
  return (
    <div class="panel st-canvases stack" onKeyDown={onKeyDown}>
      <div class="st-axis">
        <p class="st-hint muted stack">
          {words.hint.map((line) => (
            <span key={line}>{line}</span>
          ))}
        </p>
        <AxisCanvas stage={stage} canvas={axis} width={width} onSee={see} onArea={onArea} />
      </div>
      {LETTERS.map((side) => (
        <Fragment key={side}>
          {side === 'b' && <Divider share={share} onShare={setShare} />}
          <section class={`st-pane st-pane-${side}`} aria-label={words.pane(sideName(side))} style={share === null ? {} : { flex: `0 1 ${(side === 'a' ? share : 1 - share) * bothPanes}px` }}>
            <header class="st-head line">{heads[side]}</header>
            <div
              class="st-scroll"
              ref={scrolls[side]}
              onScroll={() => stage.request()}
              style={{ maxHeight: `${(shown[side].layout?.height ?? 0) + 2}px` }}
            >
              <div class="st-content" style={{ height: `${shown[side].layout?.height ?? 0}px` }}>
                <Lanes layout={shown[side].layout} onFold={onFold} onPin={onPin} />
                <Timeline
                  stage={stage}
                  side={side}
                  canvas={canvases[side]}
                  label={labels[side]}
                  onSee={see}
                  onHover={(mark, x, y) => {
                    hover(mark);
                    tip.current(mark ? { mark, x, y } : null);
                  }}
                  onChoose={choose}
                  onZoomTo={zoomTo}
                />
              </div>
            </div>
          </section>
        </Fragment>
      ))}
      <TipHost stage={stage} tell={tip} />
      <p class="sr" role="status">
        {settled && length(settled) < length(shown.whole) ? words.legend.range(formatTime(length(settled) / 1000)) : ''}
      </p>
    </div>
  );
}

/** Keys handled anywhere on the page, because nothing else uses them. */
const ANYWHERE = 'wWsSaAdDnN+=-0';

const inside = (at: number, range: TimeRange): number => Math.min(range.to, Math.max(range.from, at));

/** Longest single event entirely in view, except the step's marker. */
function largest(stage: Stage, side: Letter): Mark | null {
  const view = stage.view(side);
  let best: Mark | null = null;
  let time = -1;
  const range = stage.rangeOf(side);
  if (!view?.picture || !view.layout) return null;
  const { names, wire } = view.picture;
  for (const row of view.picture.rows) {
    if (!row) continue;
    for (let mark = 0; mark < row.count; mark += 1) {
      if (wire.kinds[names[row.name[mark]!]!.kind] === 'step') continue;
      if (row.start[mark]! < range.from || row.end[mark]! > range.to || eventsIn(row, mark) > 1) continue;
      if (row.end[mark]! - row.start[mark]! > time) {
        time = row.end[mark]! - row.start[mark]!;
        best = { side, picture: view.picture, row, mark };
      }
    }
  }
  return best;
}

interface TimelineProps {
  stage: Stage;
  side: Letter;
  canvas: preact.RefObject<HTMLCanvasElement | null>;
  label: string;
  onSee: (range: TimeRange) => void;
  onHover: (mark: Mark | null, x: number, y: number) => void;
  onChoose: (mark: Mark | null) => void;
  onZoomTo: (mark: Mark) => void;
}

function Timeline({ stage, side, canvas, label, onSee, onHover, onChoose, onZoomTo }: TimelineProps) {
  const drag = useMemo(() => new Drag(), []);
  const place = (event: MouseEvent): [number, number] => pointIn(event, canvas.current!);
  const scroll = (): HTMLElement => canvas.current!.closest('.st-scroll')!;
  const onWheel = (event: WheelEvent): void => {
    const next = rangeAfterWheel(event, stage.whole, stage.range, stage.range.from + place(event)[0] * stage.pixelNs, stage.pixelNs);
    // at either end, the wheel scrolls the page
    if (sameRange(next, stage.range)) return;
    event.preventDefault();
    onSee(next);
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (!drag.active) {
      const [x, y] = place(event);
      onHover(stage.at(side, x, y), event.clientX, event.clientY);
      return;
    }
    const next = drag.move(event, stage.whole, canvas.current!.getBoundingClientRect().left, stage.pixelNs);
    if (!next) return;
    onHover(null, 0, 0);
    onSee(next.range);
    scroll().scrollTop = next.scrollTop;
  };
  const onPointerUp = (event: PointerEvent): void => {
    const clicked = drag.active && !drag.moved && event.button === 0;
    drag.up(event, stage.range, scroll().scrollTop);
    if (clicked) onChoose(stage.at(side, ...place(event)));
  };
  return (
    <div
      class="st-sticky"
      role="group"
      tabIndex={0}
      aria-label={label}
      onWheel={onWheel}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.down(event, stage.range, scroll().scrollTop);
      }}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={(event) => drag.up(event, stage.range, 0)}
      onPointerLeave={() => !drag.active && onHover(null, 0, 0)}
      onBlur={() => onHover(null, 0, 0)}
      onDblClick={(event) => {
        const mark = stage.at(side, ...place(event));
        if (mark) onZoomTo(mark);
      }}
    >
      <canvas ref={canvas} class="st-canvas" aria-hidden="true" />
    </div>
  );
}

/** Scrolls a side's pane until a row is visible. */
export function scrollTo(shown: Shown, side: Letter, row: number): void {
  const scroll = document.querySelector<HTMLElement>(`.st-pane-${side} .st-scroll`);
  const layout = shown[side].layout;
  if (scroll && layout && row < layout.top.length) scroll.scrollTop = scrollFor(layout, row, scroll.scrollTop, scroll.clientHeight);
}

