// Roofline of both runs: FLOP rate by arithmetic intensity, an operator's A and B joined by a line, below the devices'
// roofs.

import { useMemo } from 'preact/hooks';
import type { Peaks } from '../../contract/sent';
import type { Table } from '../../contract/wire';
import { SideFigures } from '../../ui/controls/tooltip';
import { columnStyle, formatDecimal, formatDigits, formatIn, formatMany, formatPercent, formatWithUnit, type NumberStyle } from '../../ui/format';
import { useSearch } from '../../ui/search';
import { adoptSheet } from '../../ui/sheets';
import { XTick, YTick } from '../axes';
import { MarksChart } from '../scatter/marks_chart';
import { arrowLook } from '../scatter/parts';
import scatterCss from '../scatter/scatter.css?inline';
import css from './roofline.css?inline';
import { apart, decades, powers, powerText, ridgeOf, roofAt, rooflineOf, roofsOf, shareOf, type LogAxis, type Point, type Roof, type Spot } from './roofline';

adoptSheet(scatterCss + css);

const HEIGHT = 420;
const LEFT = 70;
const RIGHT = 20;
const TOP = 26;
const BOTTOM = 40;
const LARGEST = 22;
const LISTED = 11;

const words = {
  x: 'FLOP per byte moved at least →',
  y: '↑ FLOP/s',
  label: (rows: number, marks: number) =>
    `${formatMany(rows, 'row')} as ${formatMany(marks, 'mark')}: FLOP per second against FLOP per byte, area is time. The list has the largest ones.`,
  listed: (shown: number, all: number) => (shown === all ? formatMany(all, 'row') : `largest ${shown} of ${formatMany(all, 'row')}`),
  intensity: 'FLOP/byte',
  rate: 'Rate',
  time: 'Time',
  share: 'of the roof',
  absent: 'no rate',
  over: 'above the roof: peak or work is wrong',
  area: 'area: time',
  roof: (device: string, sides: string) => `roof${sides}: ${device}`,
  noRoof: (sides: string) => `no roof${sides}: device unknown, --peak gives one`,
  small: (n: number, a: string, b: string) => `${formatMany(n, 'smaller row is', 'smaller rows are')} not drawn: ${a} of A, ${b} of B.`,
  unmeasured: (n: number, a: string, b: string) => `${formatMany(n, 'row moves', 'rows move')} bytes only: ${a} of A, ${b} of B.`,
  nothing: 'No operator of these recordings has a rate of floating-point operations.',
};

interface Props {
  table: Table;
  peaks: Peaks | undefined;
  /** text of the table's search box; marks that do not match are faded */
  query: string;
  /** row with open details, -1 for none */
  selected: number;
  onRow: (row: number) => void;
}

export function RooflineView({ table, peaks, query, selected, onRow }: Props) {
  const picture = useMemo(() => rooflineOf(table), [table]);
  const roofs = useMemo(() => roofsOf(peaks, picture.points), [peaks, picture]);
  const style = useMemo(() => columnStyle(picture.points.flatMap((point) => [point.a?.us, point.b?.us])), [picture]);
  const search = useSearch(query).query;
  const spots = picture.points.flatMap((point) => [point.a, point.b].flatMap((spot) => spot ?? []));
  const across = decades([...spots.map((spot) => spot.intensity), ...roofs.flatMap((roof) => ridgeOf(roof) ?? [])]);
  const up = decades([...spots.map((spot) => spot.rate), ...roofs.map((roof) => roof.peak)]);
  const y = (value: number): number => HEIGHT - BOTTOM - shareOf(up, value) * (HEIGHT - BOTTOM - TOP);
  const labels = apart(roofs.map((roof) => y(roof.peak) - 4), 13);
  if (picture.points.length === 0) return <p class="nothing stack soft">{words.nothing}</p>;
  return (
    <MarksChart<Spot, Point>
      class="panel roofline"
      picture={picture}
      height={HEIGHT}
      largest={LARGEST}
      style={style}
      words={words}
      faded={(point) => !search.empty && !search.test(point.name)}
      draw={(width) => {
        const right = Math.max(LEFT + 100, width - RIGHT);
        const x = (value: number): number => LEFT + shareOf(across, value) * (right - LEFT);
        return {
          place: (spot) => [x(spot.intensity), y(spot.rate)],
          below: (marksOf, isDim, shown) => (
            <>
              <Axes across={across} up={up} x={x} y={y} right={right} />
              {roofs.map((roof, index) => (
                <RoofLine key={`${roof.side}${roof.type}`} roof={roof} label={labels[index]!} across={across} up={up} x={x} y={y} right={right} />
              ))}
              {picture.points.map((point) => {
                const [from, to] = marksOf(point);
                return from && to && <line key={point.row} class={isDim(point) ? 'dim' : ''} {...arrowLook(point === shown)} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />;
              })}
            </>
          ),
        };
      }}
      tooltip={(point) => <Figures point={point} style={style} />}
      listed={LISTED}
      figures={[
        [words.intensity, (spot) => formatDigits(spot.intensity)],
        [words.rate, (spot) => formatDecimal(spot.rate, 'FLOP/s')],
        [words.time, (spot) => formatIn(style, spot.us)],
      ]}
      selected={selected}
      onRow={onRow}
    >
      <span>{words.area}</span>
      {roofTexts(peaks).map((roof) => (
        <span key={roof}>{roof}</span>
      ))}
    </MarksChart>
  );
}

interface AxesProps {
  across: LogAxis;
  up: LogAxis;
  x: (value: number) => number;
  y: (value: number) => number;
  right: number;
}

function Axes({ across, up, x, y, right }: AxesProps) {
  return (
    <g>
      {powers(across).map((tick) => (
        <XTick key={tick} at={x(tick)} from={TOP} to={HEIGHT - BOTTOM}>
          {powerText(tick)}
        </XTick>
      ))}
      {powers(up).map((tick) => (
        <YTick key={tick} at={y(tick)} from={LEFT} to={right}>
          {powerText(tick)}
        </YTick>
      ))}
      <text class="axis-text" x={right} y={HEIGHT - 6} text-anchor="end">
        {words.x}
      </text>
      <text class="axis-text" x={2} y={12} text-anchor="start">
        {words.y}
      </text>
    </g>
  );
}

function roofTexts(peaks: Peaks | undefined): string[] {
  const [a, b] = [peaks?.baseline ?? null, peaks?.candidate ?? null];
  if (a?.device === b?.device) return [a ? words.roof(a.device, '') : words.noRoof('')];
  return ([['A', a], ['B', b]] as const).map(([letter, device]) => (device ? words.roof(device.device, ` ${letter}`) : words.noRoof(` ${letter}`)));
}

/** The visible part of the memory slope, then the flat peak with its data type. */
function RoofLine({ roof, label, across, up, x, y, right }: { roof: Roof; label: number } & AxesProps) {
  const ridge = ridgeOf(roof);
  const begin = ridge === null ? across.low : Math.max(across.low, up.low / roof.bandwidth);
  const middle = Math.min(across.high, Math.max(begin, ridge ?? begin));
  const path = [begin, middle, across.high].map((at) => `${x(at).toFixed(1)} ${y(Math.max(up.low, roofAt(roof, at))).toFixed(1)}`);
  return (
    <g>
      <path class={`curve ${roof.side === 'both' ? 'muted' : `series-${roof.side}`}`} d={`M${path.join('L')}`} />
      <text class="region strong" x={right - 4} y={label} text-anchor="end">
        {`${roof.side === 'both' ? '' : `${roof.side.toUpperCase()} `}${roof.type} ${formatDecimal(roof.peak, 'FLOP/s')}`}
      </text>
    </g>
  );
}

function Figures({ point, style }: { point: Point; style: NumberStyle }) {
  const over = [point.a, point.b].some((spot) => (spot?.share ?? 0) > 1);
  return (
    <>
      <SideFigures
        of={(side) => {
          const spot = point[side];
          if (!spot) return <td colSpan={4}>{words.absent}</td>;
          return (
            <>
              <td>{formatDecimal(spot.rate, 'FLOP/s')}</td>
              <td>{spot.share === null ? '' : `${formatPercent(spot.share)} ${words.share}`}</td>
              <td>{[spot.type, spot.bound].filter(Boolean).join(', ')}</td>
              <td>{formatWithUnit(style, spot.us)}</td>
            </>
          );
        }}
      />
      {over && <p class="unsure">{words.over}</p>}
    </>
  );
}
