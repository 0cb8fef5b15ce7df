// Kernels by how busy they keep the tensor pipe and the memory, both runs in one picture.

import { useMemo, useState } from 'preact/hooks';
import type { Table } from '../../contract/wire';
import { columnStyle, formatIn, formatPercent, NOT_MEASURED, type NumberStyle } from '../../ui/format';
import { NameText } from '../../ui/name_text';
import { adoptSheet } from '../../ui/sheets';
import { Badge } from '../../ui/sides';
import { text } from '../../ui/strings';
import { Tooltip } from '../../ui/controls/tooltip';
import { useWidth } from '../../ui/use_width';
import { FigureBox } from '../figure_box';
import { Arrow, Axes, BOTTOM, diamond, HEIGHT, INSET, LEFT, Regions, RIGHT, Shape, TOP, type Mark } from './parts';
import { movers, radius, scatterOf, type Left, type Point } from './scatter';
import css from './scatter.css?inline';
import { words } from './words';

adoptSheet(css);

const LARGEST = 24;
const LISTED = 8;

interface Props {
  table: Table;
  /** row whose details are open, -1 for none */
  selected: number;
  open: boolean;
  onToggle: (open: boolean) => void;
  onRow: (row: number) => void;
}

export function ScatterView({ table, selected, open, onToggle, onRow }: Props) {
  return (
    <FigureBox title={words.title} about={words.about} open={open} onToggle={onToggle}>
      <Chart table={table} selected={selected} onRow={onRow} />
    </FigureBox>
  );
}

function Chart({ table, selected, onRow }: Pick<Props, 'table' | 'selected' | 'onRow'>) {
  const [box, width] = useWidth();
  const [active, setActive] = useState<Point | null>(null);
  const scatter = useMemo(() => scatterOf(table), [table]);
  const lines = useMemo(() => movers(scatter.points), [scatter]);
  const style = useMemo(() => columnStyle(scatter.points.flatMap((point) => [point.a?.us, point.b?.us])), [scatter]);
  const right = Math.max(LEFT + 100, width - RIGHT);
  const most = Math.max(1, ...scatter.points.flatMap((point) => [point.a, point.b].flatMap((spot) => (spot ? [spot.tensor, spot.dram] : []))));
  const x = (share: number): number => LEFT + INSET + (share / most) * (right - LEFT - 2 * INSET);
  const y = (share: number): number => HEIGHT - BOTTOM - INSET - (share / most) * (HEIGHT - BOTTOM - TOP - 2 * INSET);
  const mark = (point: Point, side: 'a' | 'b'): Mark[] => {
    const spot = point[side];
    return spot ? [{ point, side, x: x(spot.dram), y: y(spot.tensor), r: radius(spot.us, scatter.largest_us, LARGEST) }] : [];
  };
  // largest first, so that small marks stay on top
  const marks = scatter.points.flatMap((point) => [...mark(point, 'a'), ...mark(point, 'b')]).sort((left, other) => other.r - left.r);
  const nearest = (event: MouseEvent): Mark | null => {
    const frame = (event.currentTarget as Element).getBoundingClientRect();
    const [px, py] = [event.clientX - frame.left, event.clientY - frame.top];
    let best: Mark | null = null;
    let least = 10;
    for (const one of marks) {
      const away = Math.hypot(one.x - px, one.y - py);
      // inside a mark the smaller one wins: it may lie on top of a large one
      const rank = away <= one.r ? one.r / LARGEST - 2 : away - one.r;
      if (rank < least) [best, least] = [one, rank];
    }
    return best;
  };
  const shown = active ?? scatter.points.find((point) => point.row === selected) ?? null;
  const place = active ? marks.find((one) => one.point === active && one.side === 'b') ?? marks.find((one) => one.point === active) : undefined;

  return (
    <div class="scatter">
      <div class="scatter-chart" ref={box}>
        {width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={words.label(scatter.points.length, marks.length)}
            onMouseMove={(event) => setActive(nearest(event)?.point ?? null)}
            onMouseLeave={() => setActive(null)}
            onClick={(event) => {
              const hit = nearest(event);
              if (hit) onRow(hit.point.row);
            }}
          >
            <Axes x={x} y={y} most={most} right={right} />
            {lines.map((point) => (
              <Arrow key={point.row} from={mark(point, 'a')[0]!} to={mark(point, 'b')[0]!} strong={point === shown} />
            ))}
            {marks.map((one) => (
              <Shape key={`${one.point.row}${one.side}`} mark={one} dim={shown !== null && one.point !== shown} />
            ))}
            <Regions x={x} y={y} right={right} marks={marks} />
            {shown && [...mark(shown, 'a'), ...mark(shown, 'b')].map((one) => <circle key={one.side} class="scatter-ring" cx={one.x} cy={one.y} r={one.r + 4} />)}
          </svg>
        )}
        {active && place && (
          <Tooltip x={place.x} y={Math.min(Math.max(4, place.y - 20), HEIGHT - 130)} width={width}>
            <p class="tooltip-name strong">{active.name}</p>
            <Figures point={active} style={style} />
          </Tooltip>
        )}
      </div>
      <div class="scatter-side stack">
        <p class="scatter-head muted">
          <span>{words.listed(Math.min(LISTED, scatter.points.length), scatter.points.length)}</span>
          <span class="num">{words.tensor}</span>
          <span class="num">{words.dram}</span>
          <span class="num">{style.unit}</span>
        </p>
        <ol class="scatter-list">
          {scatter.points.slice(0, LISTED).map((point) => (
            <li key={point.row}>
              <button
                type="button"
                class={`scatter-item${point.row === selected ? ' selected' : ''}`}
                title={point.name}
                onFocus={() => setActive(point)}
                onBlur={() => setActive(null)}
                onMouseEnter={() => setActive(point)}
                onMouseLeave={() => setActive(null)}
                onClick={() => onRow(point.row)}
              >
                <span class="scatter-name">
                  <NameText name={point.short} />
                </span>
                <Pair what={words.tensor} a={point.a && formatPercent(point.a.tensor)} b={point.b && formatPercent(point.b.tensor)} />
                <Pair what={words.dram} a={point.a && formatPercent(point.a.dram)} b={point.b && formatPercent(point.b.dram)} />
                <Pair what={words.time} a={point.a && formatIn(style, point.a.us)} b={point.b && formatIn(style, point.b.us)} />
              </button>
            </li>
          ))}
        </ol>
        <p class="legend small soft">
          <span>
            <svg width="16" height="14" aria-hidden="true">
              <circle class="scatter-a" cx="8" cy="7" r="5.5" />
            </svg>{' '}
            {text.sideA}
          </span>
          <span>
            <svg width="16" height="14" aria-hidden="true">
              <path class="scatter-b" d={diamond(8, 7, 5)} />
            </svg>{' '}
            {text.sideB}
          </span>
          <span>{words.area}</span>
          {lines.length > 0 && <span>{words.lines(lines.length)}</span>}
        </p>
        {[
          [scatter.small, words.small] as const,
          [scatter.unmeasured, words.unmeasured] as const,
        ].map(([left, words], index) => left.count > 0 && <LeftOut key={index} left={left} words={words} style={style} />)}
      </div>
    </div>
  );
}

/** Two values of one kernel, A above B; a dash where the side does not have it. */
function Pair({ what, a, b }: { what: string; a: string | null; b: string | null }) {
  return (
    <span class="scatter-pair num stack">
      <span class="text-a">
        <span class="sr">{words.figure(what, text.sideA)}</span>
        {a ?? NOT_MEASURED}
      </span>
      <span class="text-b">
        <span class="sr">{words.figure(what, text.sideB)}</span>
        {b ?? NOT_MEASURED}
      </span>
    </span>
  );
}

function Figures({ point, style }: { point: Point; style: NumberStyle }) {
  return (
    <table class="tooltip-figures">
      <tbody>
        {(['a', 'b'] as const).map((side) => {
          const spot = point[side];
          return (
            <tr key={side}>
              <th scope="row">
                <Badge side={side} />
              </th>
              {spot ? (
                <>
                  <td>{`${words.tensor} ${formatPercent(spot.tensor)}`}</td>
                  <td>{`${words.dram} ${formatPercent(spot.dram)}`}</td>
                  <td>{`${formatIn(style, spot.us)}\u202f${style.unit}`}</td>
                </>
              ) : (
                <td colSpan={3}>{words.absent}</td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function LeftOut({ left, words, style }: { left: Left; words: (n: number, a: string, b: string) => string; style: NumberStyle }) {
  const shown = (us: number): string => `${formatIn(style, us)}\u202f${style.unit}`;
  return <p class="scatter-left muted small">{words(left.count, shown(left.a_us), shown(left.b_us))}</p>;
}
