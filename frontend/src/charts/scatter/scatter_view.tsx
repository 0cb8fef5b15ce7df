// Scatter chart of kernels by tensor pipe and memory utilization, both runs together.

import { useMemo } from 'preact/hooks';
import type { Table } from '../../contract/wire';
import type { Located } from '../../host/use_address';
import { columnStyle, formatIn, formatPercent, formatWithUnit, type NumberStyle } from '../../ui/format';
import { adoptSheet } from '../../ui/sheets';
import { SideFigures } from '../../ui/controls/tooltip';
import { FigureBox } from '../figure_box';
import { MarksChart } from './marks_chart';
import { Arrow, Axes, BOTTOM, HEIGHT, INSET, LEFT, Regions, RIGHT, TOP, words } from './parts';
import { movers, scatterOf, type Point, type Spot } from './scatter';
import css from './scatter.css?inline';

adoptSheet(css);

const LARGEST = 24;
const LISTED = 8;

interface Props extends Located {
  table: Table;
  /** row with open details, -1 for none */
  selected: number;
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
  const scatter = useMemo(() => scatterOf(table), [table]);
  const lines = useMemo(() => movers(scatter.points), [scatter]);
  const style = useMemo(() => columnStyle(scatter.points.flatMap((point) => [point.a?.us, point.b?.us])), [scatter]);
  const most = Math.max(1, ...scatter.points.flatMap((point) => [point.a, point.b].flatMap((spot) => (spot ? [spot.tensor, spot.dram] : []))));
  const y = (share: number): number => HEIGHT - BOTTOM - INSET - (share / most) * (HEIGHT - BOTTOM - TOP - 2 * INSET);
  return (
    <MarksChart<Spot, Point>
      picture={scatter}
      height={HEIGHT}
      largest={LARGEST}
      style={style}
      words={words}
      draw={(width) => {
        const right = Math.max(LEFT + 100, width - RIGHT);
        const x = (share: number): number => LEFT + INSET + (share / most) * (right - LEFT - 2 * INSET);
        return {
          place: (spot) => [x(spot.dram), y(spot.tensor)],
          below: (marksOf, _, shown) => (
            <>
              <Axes x={x} y={y} most={most} right={right} />
              {lines.map((point) => {
                const [from, to] = marksOf(point);
                return <Arrow key={point.row} from={from!} to={to!} strong={point === shown} />;
              })}
            </>
          ),
          above: () => <Regions y={y} right={right} />,
        };
      }}
      tooltip={(point) => <SideFigures of={(side) => <Figures spot={point[side]} style={style} />} />}
      listed={LISTED}
      figures={[
        [words.tensor, (spot) => formatPercent(spot.tensor)],
        [words.dram, (spot) => formatPercent(spot.dram)],
        [words.time, (spot) => formatIn(style, spot.us)],
      ]}
      selected={selected}
      onRow={onRow}
    >
      <span>{words.area}</span>
      {lines.length > 0 && <span>{words.lines(lines.length)}</span>}
    </MarksChart>
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
