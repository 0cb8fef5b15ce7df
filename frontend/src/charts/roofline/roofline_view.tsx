// The roofline of both runs: every operator by its rate and its work for each byte, A and B joined, below what the devices can do.

import { useMemo, useState } from 'preact/hooks';
import type { Peaks } from '../../contract/sent';
import type { Table } from '../../contract/wire';
import { Tooltip } from '../../ui/controls/tooltip';
import { columnStyle, formatDecimal, formatDigits, formatIn, formatPercent, NOT_MEASURED, type NumberStyle } from '../../ui/format';
import { NameText } from '../../ui/name_text';
import { parseQuery } from '../../ui/search';
import { adoptSheet } from '../../ui/sheets';
import { Badge } from '../../ui/sides';
import { text } from '../../ui/strings';
import { useWidth } from '../../ui/use_width';
import { XTick, YTick } from '../axes';
import { diamond, Shape, type Mark } from '../scatter/parts';
import { radius, type Left } from '../scatter/scatter';
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
/** Room that a mark has around it to be pointed at. */
const REACH = 10;

interface Props {
  table: Table;
  peaks: Peaks | undefined;
  /** the search above the table: what does not match is pale */
  query: string;
  /** row whose details are open, -1 for none */
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
  const search = parseQuery(query);
  if (picture.points.length === 0) return <p class="nothing">{words.nothing}</p>;
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
  // largest first, so that small marks stay on top
  const marks = picture.points.flatMap((point) => [...mark(point, 'a'), ...mark(point, 'b')]).sort((one, other) => other.r - one.r);
  const shown = active ?? picture.points.find((point) => point.row === selected) ?? null;
  const place = active ? (mark(active, 'b')[0] ?? mark(active, 'a')[0]) : undefined;
  const dim = (point: Point): boolean => (shown !== null ? point !== shown : !search.empty && search.error === '' && !search.test(point.name));
  const at = (event: MouseEvent): Point | null => {
    const frame = (event.currentTarget as Element).getBoundingClientRect();
    return nearest(marks, event.clientX - frame.left, event.clientY - frame.top);
  };

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
            <li key={point.row}>
              <button
                type="button"
                class={`scatter-item roof-list${point.row === selected ? ' selected' : ''}`}
                title={point.name}
                onFocus={() => setActive(point)}
                onBlur={() => setActive(null)}
                onMouseEnter={() => setActive(point)}
                onMouseLeave={() => setActive(null)}
                onClick={() => onRow(point.row)}
              >
                <span class="scatter-name">
                  <NameText name={point.name} />
                </span>
                <Pair what={words.intensity} a={point.a && formatDigits(point.a.intensity)} b={point.b && formatDigits(point.b.intensity)} />
                <Pair what={words.rate} a={point.a && formatDecimal(point.a.rate, 'FLOP/s')} b={point.b && formatDecimal(point.b.rate, 'FLOP/s')} />
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
          {roofsSaid(peaks).map((said) => (
            <span key={said}>{said}</span>
          ))}
        </p>
        {picture.small.count > 0 && <LeftOut left={picture.small} say={words.small} style={style} />}
        {picture.unmeasured.count > 0 && <LeftOut left={picture.unmeasured} say={words.unmeasured} style={style} />}
      </div>
    </div>
  );
}

/** The point of the mark at a place; of several that lie on each other the smallest. */
function nearest(marks: Drawn[], x: number, y: number): Point | null {
  let best: Point | null = null;
  let least = REACH;
  for (const one of marks) {
    const away = Math.hypot(one.x - x, one.y - y);
    const rank = away <= one.r ? one.r / LARGEST - 2 : away - one.r;
    if (rank < least) [best, least] = [one.point, rank];
  }
  return best;
}

function roofsSaid(peaks: Peaks | undefined): string[] {
  const [a, b] = [peaks?.baseline ?? null, peaks?.candidate ?? null];
  if (a?.device === b?.device) return [a ? words.roof(a.device, '') : words.noRoof('')];
  return ([['A', a], ['B', b]] as const).map(([letter, device]) => (device ? words.roof(device.device, ` ${letter}`) : words.noRoof(` ${letter}`)));
}

/** The slope of the memory as far as it reaches, then the flat part with its data type. */
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

/** Two values of one row, A above B; a dash where the side does not have it. */
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
  const over = [point.a, point.b].some((spot) => (spot?.share ?? 0) > 1);
  return (
    <>
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
                    <td>{formatDecimal(spot.rate, 'FLOP/s')}</td>
                    <td>{spot.share === null ? '' : `${formatPercent(spot.share)} ${words.share}`}</td>
                    <td>{spot.type}</td>
                    <td>{`${formatIn(style, spot.us)}\u202f${style.unit}`}</td>
                  </>
                ) : (
                  <td colSpan={4}>{words.absent}</td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      {over && <p class="roof-over">{words.over}</p>}
    </>
  );
}

function LeftOut({ left, say, style }: { left: Left; say: (n: number, a: string, b: string) => string; style: NumberStyle }) {
  const shown = (us: number): string => `${formatIn(style, us)}\u202f${style.unit}`;
  return <p class="scatter-left muted small">{say(left.count, shown(left.a_us), shown(left.b_us))}</p>;
}
