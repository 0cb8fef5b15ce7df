// Timeline of both runs' launches in order, to scale, aligned by position.

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Table } from '../../contract/wire';
import type { Located } from '../../host/use_address';
import { columnStyle } from '../../ui/format';
import { shortOf } from '../../ui/names';
import { Segments } from '../../ui/controls/segments';
import { adoptSheet } from '../../ui/sheets';
import { Badge, LETTERS } from '../../ui/sides';
import { Tooltip } from '../../ui/controls/tooltip';
import { runKeyAction } from '../../ui/use_keys';
import { useWidth } from '../../ui/use_width';
import { FigureBox } from '../figure_box';
import { ZoomButtons } from '../zoom_buttons';
import { Canvas } from '../canvas';
import { LANES, paint, SIZES, type Shade } from './canvas';
import { describe, Launch, Legend, namesOf, words } from './parts';
import { isWhole, moved, sameRange, rangeAfterWheel, zoomed, type TimeRange } from '../time_range';
import { windowShowing, rowAt, shortest, timelineOf, whole, type Timeline } from './timeline';
import css from './timeline.css?inline';

adoptSheet(css);

const ZOOM = 1.25;
const SHADES: Shade[] = ['bound', 'tensor', 'dram'];

interface Props extends Located {
  table: Table;
  /** row with open details, -1 for none */
  selected: number;
  onRow: (row: number) => void;
}

export function TimelineView({ table, selected, address, onChange, onRow }: Props) {
  const timeline = useMemo(() => timelineOf(table), [table]);
  const [view, setView] = useState<TimeRange | null>(null);
  if (!timeline) return null;
  const all = whole(timeline);
  const window = view && view.to <= all.to ? view : all;
  const shade = SHADES.find((one) => one === address.color) ?? 'bound';
  const middle = (window.from + window.to) / 2;
  const tools = (
    <>
      {timeline.hasUtilization && (
        <Segments label={words.color} all={SHADES} chosen={(one) => one === shade} name={(one) => words.shade[one]} title={(one) => words.shadeAbout[one]} onChoose={(one) => onChange({ color: one === 'bound' ? '' : one })} />
      )}
      <ZoomButtons onZoom={(key) => setView(key === '0' ? null : zoomed(all, window, middle, key === '+' ? 1 / ZOOM ** 2 : ZOOM ** 2, shortest(timeline)))} />
    </>
  );
  return (
    <FigureBox title={words.title} about={words.about} tab="launches" address={address} onChange={onChange} tools={tools}>
      <Strips table={table} timeline={timeline} window={window} shade={shade} selected={selected} onView={setView} onRow={onRow} />
    </FigureBox>
  );
}

interface StripsProps {
  table: Table;
  timeline: Timeline;
  window: TimeRange;
  shade: Shade;
  selected: number;
  onView: (view: TimeRange | null) => void;
  onRow: (row: number) => void;
}

function Strips({ table, timeline, window, shade, selected, onView, onRow }: StripsProps) {
  const [box, width] = useWidth();
  const drag = useRef<{ x: number; from: TimeRange; moved: boolean } | null>(null);
  const [active, setActive] = useState<{ row: number; keyed: boolean } | null>(null);
  const full = useMemo(() => namesOf(table), [table]);
  const names = useMemo(() => {
    const short = (name: string): string => shortOf(table.short_names, name);
    return { a: full.a.map(short), b: full.b.map(short) };
  }, [full]);
  const style = useMemo(() => columnStyle([...timeline.a.us, ...timeline.b.us]), [timeline]);

  // scrolls to a row selected in the table
  useLayoutEffect(() => {
    if (selected >= 0) onView(windowShowing(timeline, window, selected));
  }, [selected]);

  const all = whole(timeline);
  const scale = width / (window.to - window.from);
  const x = (us: number): number => (us - window.from) * scale;
  const at = (clientX: number): number => window.from + (clientX - (box.current?.getBoundingClientRect().left ?? 0)) / scale;
  const move = (row: number): void => {
    const next = Math.max(0, Math.min(timeline.count - 1, row));
    setActive({ row: next, keyed: true });
    onView(windowShowing(timeline, window, next));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = active?.row ?? (selected >= 0 ? selected : rowAt(timeline, window.from));
    const middle = active ? timeline.start[row]! : (window.from + window.to) / 2;
    const closer = (): void => onView(zoomed(all, window, middle, 1 / ZOOM, shortest(timeline)));
    runKeyAction(event, {
      ArrowRight: () => move(active || selected >= 0 ? row + 1 : row),
      ArrowLeft: () => move(row - 1),
      PageDown: () => onView(moved(all, window, (window.to - window.from) / 2)),
      PageUp: () => onView(moved(all, window, (window.from - window.to) / 2)),
      Home: () => move(0),
      End: () => move(timeline.count - 1),
      '+': closer,
      '=': closer,
      '-': () => onView(zoomed(all, window, middle, ZOOM, shortest(timeline))),
      Enter: () => onRow(row),
      '0': () => onView(null),
      Escape: isWhole(all, window) ? undefined : () => onView(null),
    });
  };
  const onWheel = (event: WheelEvent): void => {
    const next = rangeAfterWheel(event, all, window, at(event.clientX), 1 / scale, shortest(timeline));
    // at either end of the timeline, the wheel scrolls the page
    if (sameRange(next, window)) return;
    event.preventDefault();
    onView(next);
  };
  const onPointerMove = (event: PointerEvent): void => {
    const held = drag.current;
    if (held && (held.moved || Math.abs(event.clientX - held.x) > 3)) {
      held.moved = true;
      setActive(null);
      onView(moved(all, held.from, (held.x - event.clientX) / scale));
    } else setActive({ row: rowAt(timeline, at(event.clientX)), keyed: false });
  };
  const slot = (row: number): Record<string, string> => {
    const [from, to] = [Math.max(0, x(timeline.start[row]!)), Math.min(width, x(timeline.start[row + 1]!))];
    return { left: `${from}px`, width: `${Math.max(2, to - from)}px`, height: '100%' };
  };
  const inView = (row: number): boolean => timeline.start[row + 1]! >= window.from && timeline.start[row]! <= window.to;
  const keyed = active?.keyed ? describe(timeline, full, active.row) : '';

  return (
    <>
      <div class="timeline">
        <LaneLabels />
        <div
          ref={box}
          class="timeline-box picture-box"
          role="group"
          tabIndex={0}
          aria-label={words.label(timeline.count)}
          style={{ height: `${LANES.end}px` }}
          onKeyDown={onKeyDown}
          onWheel={onWheel}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            drag.current = { x: event.clientX, from: window, moved: false };
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={onPointerMove}
          onPointerUp={(event) => {
            if (drag.current && !drag.current.moved) onRow(rowAt(timeline, at(event.clientX)));
            drag.current = null;
          }}
          onPointerCancel={() => (drag.current = null)}
          onPointerLeave={() => !drag.current && setActive(null)}
          onBlur={() => setActive(null)}
        >
          <Canvas
            class="timeline-canvas"
            width={width}
            height={LANES.end}
            shown={[timeline, window.from, window.to, shade, names]}
            draw={(pen, colors) => paint(pen, { timeline, window, shade, names }, width, colors)}
          />
          {selected >= 0 && inView(selected) && <span class="mark-box chosen" style={slot(selected)} />}
          {active && inView(active.row) && <span class="mark-box" style={slot(active.row)} />}
          {active && inView(active.row) && (
            <Tooltip x={Math.max(0, Math.min(width, x(timeline.start[active.row]!)))} y={LANES.b} width={width}>
              <Launch timeline={timeline} names={full} row={active.row} style={style} />
            </Tooltip>
          )}
        </div>
        <Track all={all} window={window} />
      </div>
      <p class="sr" role="status">
        {keyed}
      </p>
      <Legend timeline={timeline} shade={shade} range={window.to - window.from} />
    </>
  );
}

function LaneLabels() {
  return (
    <div class="timeline-labels" aria-hidden="true">
      {LETTERS.map((side) => (
        <span key={side} class={`text-${side}`} style={{ top: `${LANES[side]}px`, height: `${SIZES.strip}px` }}>
          <Badge side={side} />
        </span>
      ))}
      <span style={{ top: `${LANES.change}px`, height: `${SIZES.change}px` }}>Δ</span>
    </div>
  );
}

/** Which part of the whole is in view. */
function Track({ all, window }: { all: TimeRange; window: TimeRange }) {
  return (
    <div class="timeline-track" aria-hidden="true">
      <span style={{ left: `${(100 * window.from) / all.to}%`, width: `${(100 * (window.to - window.from)) / all.to}%` }} />
    </div>
  );
}
