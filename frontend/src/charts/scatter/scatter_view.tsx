// Scatter chart of kernels by tensor pipe and memory utilisation, both runs together.

import { useMemo } from 'preact/hooks';
import type { Table } from '../../contract/wire';
import type { Address } from '../../host/url_state';
import type { Change } from '../../host/use_address';
import { columnStyle, formatIn, formatPercent, formatWithUnit, type NumberStyle } from '../../ui/format';
import { adoptSheet } from '../../ui/sheets';
import { SideFigures, Tooltip } from '../../ui/controls/tooltip';
import { useWidth } from '../../ui/use_width';
import { FigureBox } from '../figure_box';
import { Arrow, Axes, BOTTOM, HEIGHT, INSET, LEFT, Regions, RIGHT, Shape, TOP } from './parts';
import { movers, scatterOf, type Point, type Spot } from './scatter';
import { SideList } from './side_list';
import { useMarks } from './use_marks';
import css from './scatter.css?inline';
import { words } from './words';

adoptSheet(css);

const LARGEST = 24;
const LISTED = 8;

interface Props {
  table: Table;
  /** row with open details, -1 for none */
  selected: number;
  address: Address;
  onChange: (change: Change, push?: boolean) => void;
  onRow: (row: number) => void;
}

export function ScatterView({ table, selected, address, onChange, onRow }: Props) {
  return (
    <FigureBox title={words.title} about={words.about} tab="kernels" address={address} onChange={onChange}>
      <Chart table={table} selected={selected} onRow={onRow} />
    </FigureBox>
  );
}

function Chart({ table, selected, onRow }: Pick<Props, 'table' | 'selected' | 'onRow'>) {
  const [box, width] = useWidth();
  const scatter = useMemo(() => scatterOf(table), [table]);
  const lines = useMemo(() => movers(scatter.points), [scatter]);
  const style = useMemo(() => columnStyle(scatter.points.flatMap((point) => [point.a?.us, point.b?.us])), [scatter]);
  const right = Math.max(LEFT + 100, width - RIGHT);
  const most = Math.max(1, ...scatter.points.flatMap((point) => [point.a, point.b].flatMap((spot) => (spot ? [spot.tensor, spot.dram] : []))));
  const x = (share: number): number => LEFT + INSET + (share / most) * (right - LEFT - 2 * INSET);
  const y = (share: number): number => HEIGHT - BOTTOM - INSET - (share / most) * (HEIGHT - BOTTOM - TOP - 2 * INSET);
  const { marks, marksOf, active, setActive, shown, handlers } = useMarks<Spot, Point>(scatter.points, {
    largest_us: scatter.largest_us, largest: LARGEST, selected, onRow,
    place: (spot) => [x(spot.dram), y(spot.tensor)],
  });
  const place = active && marksOf(active).at(-1);

  return (
    <div class="scatter">
      <div class="scatter-chart" ref={box}>
        {width > 0 && (
          <svg width={width} height={HEIGHT} role="img" aria-label={words.label(scatter.points.length, marks.length)} {...handlers}>
            <Axes x={x} y={y} most={most} right={right} />
            {lines.map((point) => {
              const [from, to] = marksOf(point);
              return <Arrow key={point.row} from={from!} to={to!} strong={point === shown} />;
            })}
            {marks.map((one) => (
              <Shape key={`${one.point.row}${one.side}`} mark={one} dim={shown !== null && one.point !== shown} />
            ))}
            <Regions x={x} y={y} right={right} marks={marks} />
            {shown && marksOf(shown).map((one) => <circle key={one.side} class="scatter-ring" cx={one.x} cy={one.y} r={one.r + 4} />)}
          </svg>
        )}
        {active && place && (
          <Tooltip x={place.x} y={Math.min(Math.max(4, place.y - 20), HEIGHT - 130)} width={width}>
            <p class="tooltip-name strong">{active.name}</p>
            <SideFigures of={(side) => <Figures spot={active[side]} style={style} />} />
          </Tooltip>
        )}
      </div>
      <SideList<Spot, Point>
        picture={scatter}
        most={LISTED}
        figures={[
          [words.tensor, (spot) => formatPercent(spot.tensor)],
          [words.dram, (spot) => formatPercent(spot.dram)],
          [words.time, (spot) => formatIn(style, spot.us)],
        ]}
        words={words}
        style={style}
        selected={selected}
        onActive={setActive}
        onRow={onRow}
      >
        <span>{words.area}</span>
        {lines.length > 0 && <span>{words.lines(lines.length)}</span>}
      </SideList>
    </div>
  );
}

function Figures({ spot, style }: { spot: Spot | null; style: NumberStyle }) {
  if (!spot) return <td colSpan={3}>{words.absent}</td>;
  return (
    <>
      <td>{`${words.tensor} ${formatPercent(spot.tensor)}`}</td>
      <td>{`${words.dram} ${formatPercent(spot.dram)}`}</td>
      <td>{formatWithUnit(style, spot.us)}</td>
    </>
  );
}
