// Chart of one device's memory over time, both runs together.

import { useMemo, useState } from 'preact/hooks';
import type { Table } from '../../contract/wire';
import type { Located } from '../../host/use_address';
import { Delta } from '../../ui/delta';
import { formatBytes, formatPercent, formatRound, formatTime, timeStyle } from '../../ui/format';
import { Segments } from '../../ui/controls/segments';
import { Select } from '../../ui/controls/select';
import { letterOf, LETTERS, type Letter } from '../../ui/sides';
import { text } from '../../ui/strings';
import { SideFigures, Tooltip } from '../../ui/controls/tooltip';
import { runKeyAction } from '../../ui/use_keys';
import { useWidth } from '../../ui/use_width';
import { GRID, XTick, YTick } from '../axes';
import { pointIn } from '../canvas';
import { FigureBox } from '../figure_box';
import { niceTicks } from '../ticks';
import { AXES, byteTicks, devicesOf, extents, heldAt, linesOf, namesOf, peakOf, stairs, stepAt, type Axis, type Held, type Line, type Names } from './curves';

const words = {
  title: 'Memory over time',
  about: 'bytes held by tensors (allocated) and by the allocator (reserved)',
  device: 'Device',
  axis: 'Axis',
  axes: { place: 'Steps', time_us: 'Time' } as Record<Axis, string>,
  axesAbout: {
    place: 'Steps aligned by number, whatever their duration',
    time_us: 'Time since the first step',
  } as Record<Axis, string>,
  steps: 'steps',
  allocated: 'allocated',
  reserved: 'reserved',
  most: (n: number) => `${n} captures; the cursor reads the one that holds the most`,
  none: 'not recorded here',
  at: {
    place: (step: string, percent: string) => `step ${step}, ${percent} of it`,
    places: (a: string, b: string) => `${a || '–'} in A, ${b || '–'} in B`,
    time_us: (time: string) => `${time} since the first step`,
  },
  label: (device: string, a: string, b: string) =>
    `Memory of ${device} over time in both runs. Baseline: ${a}. Candidate: ${b}. Arrow keys move a cursor that reads both.`,
  side: (peak: string) => `allocated, at most ${peak} (●)`,
  absent: 'nothing recorded',
  pointText: (at: string, a: string, b: string) => `${at}: baseline ${a}, candidate ${b}.`,
  held: (allocated: string, reserved: string) => (reserved === '' ? `${allocated} allocated` : `${allocated} allocated, ${reserved} reserved`),
};

const HEIGHT = 250;
const LEFT = 62;
const RIGHT = 14;
const TOP = 20;
const BOTTOM = 30;
/** Distance between the step names of A and of B if they differ. */
const ROW = 13;
const DOT = { r: 4, fill: 'currentColor', stroke: 'var(--panel)', 'stroke-width': 1.2 };
/** Maximum number of devices shown as buttons; more become a drop-down list. */
const BUTTONS = 4;

interface Props extends Located {
  /** all rows */
  table: Table;
}

export function MemoryView({ table, address, onChange }: Props) {
  const devices = useMemo(() => devicesOf(table), [table]);
  const asked = address.chartOptions.split(',');
  const axis: Axis = AXES.find((one) => asked.includes(one)) ?? 'place';
  const device = devices.find((name) => asked.includes(name)) ?? devices[0] ?? '';
  const choose = (part: { axis?: Axis; device?: string }): void => {
    const next = { axis, device, ...part };
    onChange({ chartOptions: [next.device === devices[0] ? '' : next.device, next.axis === 'place' ? '' : next.axis].filter(Boolean).join(',') });
  };
  const tools = (
    <>
      {devices.length > BUTTONS ? (
        <Select label={words.device} value={device} options={devices.map((name) => [name, name])} onChoose={(name) => choose({ device: name })} />
      ) : (
        devices.length > 1 && (
          <Segments label={words.device} all={devices} chosen={(name) => name === device} name={(name) => name} onChoose={(name) => choose({ device: name })} />
        )
      )}
      <Segments label={words.axis} all={AXES} chosen={(one) => one === axis} name={(one) => words.axes[one]} title={(one) => words.axesAbout[one]} onChoose={(one) => choose({ axis: one })} />
    </>
  );
  return (
    <FigureBox title={words.title} about={words.about} tab="memory" address={address} onChange={onChange} tools={tools}>
      <Curves key={`${device} ${axis}`} table={table} device={device} axis={axis} />
    </FigureBox>
  );
}

function placeText(axis: Axis, x: number, names: Names): string {
  if (axis === 'time_us') return words.at.time_us(formatTime(x));
  const { a, b, passed } = stepAt(names, x);
  return words.at.place(names.same ? a || b : words.at.places(a, b), formatPercent(passed));
}

function heldText(held: Held | null): string {
  return held ? words.held(formatBytes(held.allocated), Number.isNaN(held.reserved) ? '' : formatBytes(held.reserved)) : words.none;
}

function Curves({ table, device, axis }: { table: Table; device: string; axis: Axis }) {
  const [box, width] = useWidth();
  const [cursor, setCursor] = useState<{ x: number; keyed: boolean } | null>(null);
  const lines = useMemo(() => linesOf(table, device, axis), [table, device, axis]);
  const extent = useMemo(() => extents(lines), [lines]);
  const places = useMemo(() => [...new Set(lines.flatMap((line) => [...line.at]))].sort((one, other) => one - other), [lines]);
  const peaks = { a: peakOf(lines, 'a'), b: peakOf(lines, 'b') };
  const right = Math.max(LEFT + 100, width - RIGHT);
  const names = useMemo(() => namesOf(lines), [lines]);
  const apart = axis === 'place' && !names.same;
  const bottom = HEIGHT - BOTTOM - (apart ? ROW : 0);
  const x = (at: number): number => LEFT + ((at - extent.x.low) / (extent.x.high - extent.x.low)) * (right - LEFT);
  const top = extent.y.high + 0.06 * (extent.y.high - extent.y.low);
  const y = (bytes: number): number => bottom - ((bytes - extent.y.low) / (top - extent.y.low)) * (bottom - TOP);
  const style = timeStyle([extent.x.high]);
  const several = Math.max(...LETTERS.map((side) => lines.filter((line) => line.side === side).length));
  const reserved = lines.some((line) => line.reserved.some((bytes) => !Number.isNaN(bytes)));

  const onKeyDown = (event: KeyboardEvent): void => {
    const from = cursor?.x ?? extent.x.low;
    const at = places.findIndex((place) => place > from);
    const targets: Record<string, number | undefined> = {
      ArrowRight: cursor ? places[at < 0 ? places.length - 1 : at] : places[0],
      ArrowLeft: [...places].reverse().find((place) => place < from) ?? places[0],
      PageDown: from + (extent.x.high - extent.x.low) / 10,
      PageUp: from - (extent.x.high - extent.x.low) / 10,
      Home: places[0],
      End: places[places.length - 1],
    };
    const next = targets[event.key];
    if (next !== undefined) runKeyAction(event, { [event.key]: () => setCursor({ x: Math.min(extent.x.high, Math.max(extent.x.low, next)), keyed: true }) });
  };
  const held = cursor && { a: heldAt(lines, 'a', cursor.x), b: heldAt(lines, 'b', cursor.x) };
  const sideText = (side: Letter): string => (peaks[side] ? words.side(formatBytes(peaks[side].bytes)) : words.absent);

  return (
    <>
      <div
        ref={box}
        class="memory-box picture-box inset"
        role="group"
        tabIndex={0}
        aria-label={words.label(device, sideText('a'), sideText('b'))}
        style={{ height: `${HEIGHT}px` }}
        onKeyDown={onKeyDown}
        onBlur={() => setCursor(null)}
        onMouseMove={(event) => {
          const place = extent.x.low + ((pointIn(event)[0] - LEFT) / (right - LEFT)) * (extent.x.high - extent.x.low);
          setCursor(place >= extent.x.low && place <= extent.x.high ? { x: place, keyed: false } : null);
        }}
        onMouseLeave={() => setCursor(null)}
      >
        {width > 0 && (
          <svg width={width} height={HEIGHT} aria-hidden="true">
            {byteTicks({ low: extent.y.low, high: top }, 5).map((tick) => (
              <YTick key={tick} stroke={tick === 0 ? 'var(--line-strong)' : GRID} at={y(tick)} from={LEFT} to={right}>
                {tick === 0 ? '0' : formatBytes(tick, false, formatRound)}
              </YTick>
            ))}
            <XAxis axis={axis} extent={extent.x} x={x} top={TOP} bottom={bottom} right={right} scale={style.scale} unit={style.unit} names={names} />
            {lines.map((line) => (
              <Curve key={`${line.side}${line.capture}`} line={line} x={x} y={y} zero={y(Math.max(0, extent.y.low))} alone={several === 1} />
            ))}
            {LETTERS.map((side) => peaks[side] && <circle key={side} class={`series-${side}`} {...DOT} cx={x(peaks[side].x)} cy={y(peaks[side].bytes)} />)}
            {cursor && <line stroke="var(--ink)" x1={x(cursor.x)} x2={x(cursor.x)} y1={TOP} y2={bottom} />}
            {held &&
              cursor &&
              LETTERS.map((side) => held[side] && <circle key={side} class={`series-${side}`} {...DOT} cx={x(cursor.x)} cy={y(held[side].allocated)} />)}
          </svg>
        )}
        {cursor && held && (
          <Tooltip x={x(cursor.x)} y={TOP + 6} width={width}>
            <p class="tooltip-name strong">{placeText(axis, cursor.x, names)}</p>
            <SideFigures of={(side) => <td>{heldText(held[side])}</td>}>
              {held.a && held.b && (
                <tr>
                  <th scope="row">Δ</th>
                  <td>
                    <Delta value={held.b.allocated - held.a.allocated}>{formatBytes(held.b.allocated - held.a.allocated, true)}</Delta> {words.allocated}
                  </td>
                </tr>
              )}
            </SideFigures>
          </Tooltip>
        )}
      </div>
      <p class="sr" role="status">
        {cursor?.keyed && held ? words.pointText(placeText(axis, cursor.x, names), heldText(held.a), heldText(held.b)) : ''}
      </p>
      <p class="legend small soft">
        <span class="legend-key legend-a">{`${text.sideA}, ${sideText('a')}`}</span>
        <span class="legend-key legend-b">{`${text.sideB}, ${sideText('b')}`}</span>
        {reserved && <span class="legend-key legend-dotted">{words.reserved}</span>}
        {several > 1 && <span>{words.most(several)}</span>}
      </p>
    </>
  );
}

interface CurveProps {
  line: Line;
  x: (at: number) => number;
  y: (bytes: number) => number;
  zero: number;
  /** one line per side, so the area below it is filled */
  alone: boolean;
}

function Curve({ line, x, y, zero, alone }: CurveProps) {
  const until = line.at[line.at.length - 1] ?? 0;
  const held = stairs(line.at, line.allocated, x, y, until);
  const above = stairs(line.at, line.reserved, x, y, until);
  const begin = line.at.length > 0 ? x(line.at[0]!) : 0;
  return (
    <g class={`series-${line.side}`}>
      {alone && held !== '' && <path fill="currentColor" opacity="0.1" d={`${held}V${zero.toFixed(1)}H${begin.toFixed(1)}Z`} />}
      {above !== '' && <path fill="none" opacity="0.8" stroke="currentColor" stroke-dasharray="2 3" stroke-width="1.3" d={above} />}
      <path class="curve" d={held} />
    </g>
  );
}

interface XAxisProps {
  axis: Axis;
  extent: { low: number; high: number };
  x: (at: number) => number;
  top: number;
  bottom: number;
  right: number;
  scale: number;
  unit: string;
  names: Names;
}

/** By step: a grid line at each start and the name in the middle, for both sides if names differ. By time: round
 *  values. */
function XAxis({ axis, extent, x, top, bottom, right, scale, unit, names }: XAxisProps) {
  if (axis === 'time_us')
    return (
      <g>
        {niceTicks(extent.low / scale, extent.high / scale, 8).map((tick) => (
          <XTick key={tick} at={x(tick * scale)} from={top} to={bottom}>
            {formatRound(tick)}
          </XTick>
        ))}
        <text class="axis-text" x={right} y={bottom + 27} text-anchor="end">
          {unit}
        </text>
      </g>
    );
  const steps = Math.ceil(extent.high);
  const longest = Math.max(0, ...[...names.a, ...names.b].map((name) => name.length));
  const room = (x(1) - x(0)) / (14 + 7 * longest);
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((n) => n * room >= 1) ?? 10_000;
  const rows = names.same ? [{ side: '', named: names.a.length > names.b.length ? names.a : names.b }] : LETTERS.map((side) => ({ side, named: names[side] }));
  return (
    <g>
      {Array.from({ length: steps + 1 }, (_, step) => step)
        .filter((step) => step % every === 0 && step <= extent.high)
        .map((step) => (
          <g key={step}>
            <line stroke={GRID} x1={x(step)} x2={x(step)} y1={top} y2={bottom} />
            {step < steps &&
              rows.map(({ side, named }, row) => (
                <text key={side} class="axis-text" x={x(Math.min(step + 0.5, (step + extent.high) / 2))} y={bottom + 15 + row * ROW} text-anchor="middle">
                  {named[step] ?? ''}
                </text>
              ))}
          </g>
        ))}
      {!names.same &&
        LETTERS.map((side, row) => (
          <text key={side} class={`lane-label text-${side}`} x={LEFT - 8} y={bottom + 15 + row * ROW} text-anchor="end">
            {letterOf(side)}
          </text>
        ))}
      <text class="axis-text" x={right} y={bottom + 27 + (rows.length - 1) * ROW} text-anchor="end">
        {words.steps}
      </text>
    </g>
  );
}
