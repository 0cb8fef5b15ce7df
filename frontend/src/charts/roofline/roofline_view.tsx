// Roofline of both runs: FLOP rate by arithmetic intensity, an operator's A and B joined by a line, below the devices'
// roofs.

import { useMemo, useState } from 'preact/hooks';
import type { Peaks } from '../../contract/sent';
import type { Table } from '../../contract/wire';
import { SideFigures, Tooltip } from '../../ui/controls/tooltip';
import { columnStyle, formatDecimal, formatDigits, formatIn, formatPercent, type NumberStyle } from '../../ui/format';
import { useSearch } from '../../ui/use_search';
import { adoptSheet } from '../../ui/sheets';
import { useWidth } from '../../ui/use_width';
import { XTick, YTick } from '../axes';
import { Shape, type Mark } from '../scatter/parts';
import { radius } from '../scatter/scatter';
import { Item, LeftOut, Legend, nearest, Pair } from '../scatter/side_list';
import scatterCss from '../scatter/scatter.css?inline';
import css from './roofline.css?inline';
import { apart, decades, powers, powerText, ridgeOf, roofAt, rooflineOf, roofsOf, shareOf, type LogAxis, type Point, type Roof } from './roofline';
import { words } from './words';

adoptSheet(scatterCss + css);

const HEIGHT = 420;
const LEFT = 70;
const RIGHT = 20;
const TOP = 26;
const BOTTOM = 40;
const LARGEST = 22;
const LISTED = 11;

interface Props {
  table: Table;
  peaks: Peaks | undefined;
  /** text of the table's search box; marks that do not match are faded */
  query: string;
  /** row with open details, -1 for none */
  selected: number;
  onRow: (row: number) => void;
}

type Drawn = Mark<Point>;

export function RooflineView({ table, peaks, query, selected, onRow }: Props) {
  const [box, width] = useWidth();
  const [active, setActive] = useState<Point | null>(null);
  const picture = useMemo(() => rooflineOf(table), [table]);
  const roofs = useMemo(() => roofsOf(peaks, picture.points), [peaks, picture]);
  const style = useMemo(() => columnStyle(picture.points.flatMap((point) => [point.a?.us, point.b?.us])), [picture]);
  const search = useSearch(query).query;
  if (picture.points.length === 0) return <p class="nothing stack soft">{words.nothing}</p>;
  const spots = picture.points.flatMap((point) => [point.a, point.b].flatMap((spot) => spot ?? []));
  const across = decades([...spots.map((spot) => spot.intensity), ...roofs.flatMap((roof) => ridgeOf(roof) ?? [])]);
  const up = decades([...spots.map((spot) => spot.rate), ...roofs.map((roof) => roof.peak)]);
  const right = Math.max(LEFT + 100, width - RIGHT);
  const x = (value: number): number => LEFT + shareOf(across, value) * (right - LEFT);
  const y = (value: number): number => HEIGHT - BOTTOM - shareOf(up, value) * (HEIGHT - BOTTOM - TOP);
  const labels = apart(roofs.map((roof) => y(roof.peak) - 4), 13);
  const mark = (point: Point, side: 'a' | 'b'): Drawn[] => {
    const spot = point[side];
    return spot ? [{ point, side, x: x(spot.intensity), y: y(spot.rate), r: radius(spot.us, picture.largest_us, LARGEST) }] : [];
  };
  // largest first, so that small marks are drawn on top
  const marks = picture.points.flatMap((point) => [...mark(point, 'a'), ...mark(point, 'b')]).sort((one, other) => other.r - one.r);
  const shown = active ?? picture.points.find((point) => point.row === selected) ?? null;
  const place = active ? (mark(active, 'b')[0] ?? mark(active, 'a')[0]) : undefined;
  const dim = (point: Point): boolean => (shown !== null ? point !== shown : !search.empty && !search.test(point.name));
  const at = (event: MouseEvent): Point | null => nearest(marks, event, LARGEST)?.point ?? null;

  return (
    <div class="scatter roofline">
      <div class="scatter-chart" ref={box}>
        {width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={words.label(picture.points.length, marks.length)}
            onMouseMove={(event) => setActive(at(event))}
            onMouseLeave={() => setActive(null)}
            onClick={(event) => {
              const hit = at(event);
              if (hit) onRow(hit.row);
            }}
          >
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
            {roofs.map((roof, index) => (
              <RoofLine key={`${roof.side}${roof.type}`} roof={roof} label={labels[index]!} across={across} up={up} x={x} y={y} right={right} />
            ))}
            {picture.points.map((point) => {
              const [from, to] = [mark(point, 'a')[0], mark(point, 'b')[0]];
              return from && to && <line key={point.row} class={`roof-join${point === shown ? ' strong' : ''}${dim(point) ? ' dim' : ''}`} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />;
            })}
            {marks.map((one) => (
              <Shape key={`${one.point.row}${one.side}`} mark={one} dim={dim(one.point)} />
            ))}
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
        <p class="scatter-head roof-list muted">
          <span>{words.listed(Math.min(LISTED, picture.points.length), picture.points.length)}</span>
          <span class="num">{words.intensity}</span>
          <span class="num">{words.rate}</span>
          <span class="num">{style.unit}</span>
        </p>
        <ol class="scatter-list">
          {picture.points.slice(0, LISTED).map((point) => (
            <Item key={point.row} title={point.name} name={point.name} classes=" roof-list" selected={point.row === selected} onActive={(on) => setActive(on ? point : null)} onOpen={() => onRow(point.row)}>
              <Pair what={words.intensity} a={point.a && formatDigits(point.a.intensity)} b={point.b && formatDigits(point.b.intensity)} />
              <Pair what={words.rate} a={point.a && formatDecimal(point.a.rate, 'FLOP/s')} b={point.b && formatDecimal(point.b.rate, 'FLOP/s')} />
              <Pair what={words.time} a={point.a && formatIn(style, point.a.us)} b={point.b && formatIn(style, point.b.us)} />
            </Item>
          ))}
        </ol>
        <Legend>
          <span>{words.area}</span>
          {roofTexts(peaks).map((roof) => (
            <span key={roof}>{roof}</span>
          ))}
        </Legend>
        <LeftOut left={picture.small} say={words.small} style={style} />
        <LeftOut left={picture.unmeasured} say={words.unmeasured} style={style} />
      </div>
    </div>
  );
}

function roofTexts(peaks: Peaks | undefined): string[] {
  const [a, b] = [peaks?.baseline ?? null, peaks?.candidate ?? null];
  if (a?.device === b?.device) return [a ? words.roof(a.device, '') : words.noRoof('')];
  return ([['A', a], ['B', b]] as const).map(([letter, device]) => (device ? words.roof(device.device, ` ${letter}`) : words.noRoof(` ${letter}`)));
}

/** The visible part of the memory slope, then the flat peak with its data type. */
function RoofLine({ roof, label, across, up, x, y, right }: { roof: Roof; label: number; across: LogAxis; up: LogAxis; x: (value: number) => number; y: (value: number) => number; right: number }) {
  const ridge = ridgeOf(roof);
  const begin = ridge === null ? across.low : Math.max(across.low, up.low / roof.bandwidth);
  const middle = Math.min(across.high, Math.max(begin, ridge ?? begin));
  const path = [begin, middle, across.high].map((at) => `${x(at).toFixed(1)} ${y(Math.max(up.low, roofAt(roof, at))).toFixed(1)}`);
  return (
    <g>
      <path class={`roof roof-${roof.side}`} d={`M${path.join('L')}`} />
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
              <td>{`${formatIn(style, spot.us)}\u202f${style.unit}`}</td>
            </>
          );
        }}
      />
      {over && <p class="roof-over">{words.over}</p>}
    </>
  );
}
