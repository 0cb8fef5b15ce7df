// Scatter chart of kernels by tensor pipe and memory utilisation, both runs together.

import { useMemo, useState } from 'preact/hooks';
import type { Table } from '../../contract/wire';
import { columnStyle, formatIn, formatPercent, type NumberStyle } from '../../ui/format';
import { adoptSheet } from '../../ui/sheets';
import { SideFigures, Tooltip } from '../../ui/controls/tooltip';
import { useWidth } from '../../ui/use_width';
import { FigureBox } from '../figure_box';
import { Arrow, Axes, BOTTOM, HEIGHT, INSET, LEFT, Regions, RIGHT, Shape, TOP, type Mark } from './parts';
import { movers, radius, scatterOf, type Point, type Spot } from './scatter';
import { Item, LeftOut, Legend, nearest, Pair } from './side_list';
import css from './scatter.css?inline';
import { words } from './words';

adoptSheet(css);

const LARGEST = 24;
const LISTED = 8;

interface Props {
  table: Table;
  /** row with open details, -1 for none */
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
  // largest first, so that small marks are drawn on top
  const marks = scatter.points.flatMap((point) => [...mark(point, 'a'), ...mark(point, 'b')]).sort((left, other) => other.r - left.r);
  const at = (event: MouseEvent): Point | null => nearest(marks, event, LARGEST)?.point ?? null;
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
            onMouseMove={(event) => setActive(at(event))}
            onMouseLeave={() => setActive(null)}
            onClick={(event) => {
              const hit = at(event);
              if (hit) onRow(hit.row);
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
            <SideFigures of={(side) => <Figures spot={active[side]} style={style} />} />
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
            <Item key={point.row} title={point.name} name={point.short} selected={point.row === selected} onActive={(on) => setActive(on ? point : null)} onOpen={() => onRow(point.row)}>
              <Pair what={words.tensor} a={point.a && formatPercent(point.a.tensor)} b={point.b && formatPercent(point.b.tensor)} />
              <Pair what={words.dram} a={point.a && formatPercent(point.a.dram)} b={point.b && formatPercent(point.b.dram)} />
              <Pair what={words.time} a={point.a && formatIn(style, point.a.us)} b={point.b && formatIn(style, point.b.us)} />
            </Item>
          ))}
        </ol>
        <Legend>
          <span>{words.area}</span>
          {lines.length > 0 && <span>{words.lines(lines.length)}</span>}
        </Legend>
        <LeftOut left={scatter.small} say={words.small} style={style} />
        <LeftOut left={scatter.unmeasured} say={words.unmeasured} style={style} />
      </div>
    </div>
  );
}

function Figures({ spot, style }: { spot: Spot | null; style: NumberStyle }) {
  if (!spot) return <td colSpan={3}>{words.absent}</td>;
  return (
    <>
      <td>{`${words.tensor} ${formatPercent(spot.tensor)}`}</td>
      <td>{`${words.dram} ${formatPercent(spot.dram)}`}</td>
      <td>{`${formatIn(style, spot.us)}\u202f${style.unit}`}</td>
    </>
  );
}
