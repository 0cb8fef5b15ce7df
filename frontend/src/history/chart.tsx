// Chart of a series over time: medians, interquartile ranges of the steps, levels and change points.

import { useState } from 'preact/hooks';
import { GRID, YTick } from '../charts/axes';
import { pointIn } from '../charts/canvas';
import { niceTicks } from '../charts/ticks';
import { formatMinute, formatPercent, formatRound, formatWithUnit, type NumberStyle } from '../ui/format';
import { letterOf } from '../ui/sides';
import { runKeyAction } from '../ui/use_keys';
import { useWidth } from '../ui/use_width';
import { datedPlaces, kindOf, scaleOf, type Kind, type Scale } from './scale';
import type { History, Point } from './wire';
import { day, words } from './words';

const HEIGHT = 280;
const LEFT = 64;
const RIGHT = 24;
const TOP = 26;
const BOTTOM = 30;
const R = 4;
const PAGE = 10;
const DATE_PX = 90;

interface Props {
  history: History;
  style: NumberStyle;
  /** indices of the two selected points, -1 for none */
  a: number;
  b: number;
  onPick: (place: number) => void;
}

const SHAPES: Record<Kind, (x: number, y: number) => string> = {
  usual: (x, y) => `M${x - R} ${y}a${R} ${R} 0 1 0 ${2 * R} 0a${R} ${R} 0 1 0 ${-2 * R} 0`,
  unsure: (x, y) => `M${x - R} ${y}a${R} ${R} 0 1 0 ${2 * R} 0a${R} ${R} 0 1 0 ${-2 * R} 0`,
  change: (x, y) => `M${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}L${x - 6} ${y}Z`,
  outlier: (x, y) => `M${x - 5} ${y - 5}h10v10h-10Z`,
  unmeasured: (x, y) => `M${x - 4} ${y - 4}l8 8M${x + 4} ${y - 4}l-8 8`,
};
const LOOKS: Record<Kind, Record<string, string | number>> = {
  usual: { fill: 'var(--ink-2)', stroke: 'var(--panel)' },
  unsure: { fill: 'var(--panel)', stroke: 'var(--ink-2)', 'stroke-width': 1.5, 'stroke-dasharray': '2 2' },
  change: { fill: 'var(--ink)', stroke: 'var(--panel)' },
  outlier: { fill: 'var(--panel)', stroke: 'var(--unsure)', 'stroke-width': 2 },
  unmeasured: { fill: 'none', stroke: 'var(--unsure)', 'stroke-width': 2 },
};
const LEVEL = { fill: 'none', stroke: 'var(--ink-3)', 'stroke-width': 2, opacity: 0.8 };
const KINDS: Kind[] = ['usual', 'unsure', 'outlier', 'change', 'unmeasured'];

/** Describes a point in words. */
export function describe(point: Point, style: NumberStyle): string {
  const time = point.median_step_us === null ? words.unmeasured : formatWithUnit(style, point.median_step_us);
  const rest = [
    point.difference === null ? '' : words.againstLevel(formatPercent(point.difference, true)),
    point.verdict === null || point.verdict === 'same' ? '' : (words.verdict[point.verdict] ?? ''),
    point.outlier ? words.outlier : '',
    point.run === null ? words.unreadable : '',
  ];
  return words.pointText(point.label, formatMinute(Date.parse(point.at) / 1000), time, rest.filter(Boolean).join(', '));
}

export function HistoryChart({ history, style, a, b, onPick }: Props) {
  const [box, width] = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const { points } = history;
  const right = Math.max(LEFT + 100, width - RIGHT);
  const bottom = HEIGHT - BOTTOM;
  const scale = scaleOf(history, { left: LEFT + 10, right: right - 10, top: TOP, bottom });
  const at = (place: number): [number, number] => {
    const median = points[place]?.median_step_us ?? null;
    return [scale.x(place), median === null ? bottom - 8 : scale.y(median)];
  };
  const move = (to: number): void => setActive(Math.max(0, Math.min(points.length - 1, to)));
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = active ?? (b >= 0 ? b : a >= 0 ? a : points.length);
    const pick = active === null ? undefined : () => onPick(active);
    runKeyAction(event, {
      ArrowRight: () => move(from + 1),
      ArrowLeft: () => move(from - 1),
      PageDown: () => move(from + PAGE),
      PageUp: () => move(from - PAGE),
      Home: () => move(0),
      End: () => move(points.length - 1),
      Enter: pick,
      ' ': pick,
      Escape: active === null ? undefined : () => setActive(null),
    });
  };
  const nearest = (event: MouseEvent): number | null => {
    const [px, py] = pointIn(event);
    let best: number | null = null;
    let least = 18 ** 2;
    points.forEach((_, place) => {
      const [x, y] = at(place);
      const away = (x - px) ** 2 + ((y - py) / 2) ** 2; // marks are dense along time, so vertical distance counts half
      if (away < least) [best, least] = [place, away];
    });
    return best;
  };
  const shown = active === null ? null : (points[active] ?? null);
  const kinds = new Set(points.map(kindOf));
  return (
    <div class="hs-chart">
      <div ref={box} class="hs-box" tabIndex={0} role="group" aria-label={words.chart(points.length, history.changes.length)} onKeyDown={onKeyDown} onBlur={() => setActive(null)}>
        {width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            aria-hidden="true"
            onMouseMove={(event) => setActive(nearest(event))}
            onMouseLeave={() => setActive(null)}
            onClick={(event) => {
              const hit = nearest(event);
              if (hit !== null) onPick(hit);
            }}
          >
            <Axes scale={scale} style={style} right={right} bottom={bottom} points={points} />
            <Levels history={history} scale={scale} right={right} bottom={bottom} />
            <path stroke="var(--line-strong)" stroke-width="5" d={points.map((point, place) => (point.quartiles_us ? `M${scale.x(place)} ${scale.y(point.quartiles_us[0])}V${scale.y(point.quartiles_us[1])}` : '')).join('')} />
            {KINDS.map((kind) => (
              <path key={kind} class={`hs-${kind}`} {...LOOKS[kind]} d={points.map((point, place) => (kindOf(point) === kind ? SHAPES[kind](...at(place)) : '')).join('')} />
            ))}
            {active !== null && <circle fill="none" stroke="var(--ink)" stroke-width="1.5" cx={at(active)[0]} cy={at(active)[1]} r={R + 5} />}
            {([['a', a], ['b', b]] as const).map(([letter, place]) => place >= 0 && <Flag key={letter} letter={letter} x={at(place)[0]} y={at(place)[1]} />)}
          </svg>
        )}
      </div>
      <p class="step-read small" role="status">
        {shown ? describe(shown, style) : <span class="muted">{words.hint}</span>}
      </p>
      <p class="legend small soft">
        {(['usual', 'change', 'outlier', 'unsure', 'unmeasured'] as const).map(
          (kind) =>
            kinds.has(kind) && (
              <span key={kind}>
                <svg width="16" height="14" aria-hidden="true">
                  <path {...LOOKS[kind]} d={SHAPES[kind](8, 7)} />
                </svg>{' '}
                {words.legend[kind]}
              </span>
            ),
        )}
        <span>
          <svg width="18" height="14" aria-hidden="true">
            <path {...LEVEL} d="M0 7h18" />
          </svg>{' '}
          {words.legend.level}
        </span>
        {scale.above > 0 && <span>{words.above(scale.above)}</span>}
        {scale.below > 0 && <span>{words.below(scale.below)}</span>}
      </p>
    </div>
  );
}

function Axes({ scale, style, right, bottom, points }: { scale: Scale; style: NumberStyle; right: number; bottom: number; points: Point[] }) {
  const ticks = niceTicks(scale.low / style.scale, scale.high / style.scale, 5);
  return (
    <g>
      {ticks.map((tick) => (
        <YTick key={tick} at={scale.y(tick * style.scale)} from={LEFT} to={right}>
          {`${formatRound(tick)}\u202f${style.unit}`}
        </YTick>
      ))}
      {datedPlaces(points.length, Math.max(2, Math.floor((right - LEFT) / DATE_PX))).map((place) => (
        <g key={place}>
          <line stroke={GRID} x1={scale.x(place)} x2={scale.x(place)} y1={bottom} y2={bottom + 5} />
          <text class="axis-text" x={scale.x(place)} y={bottom + 18} text-anchor={place === points.length - 1 && place > 0 ? 'end' : 'middle'}>
            {day(points[place]!.at)}
          </text>
        </g>
      ))}
    </g>
  );
}

function Levels({ history, scale, right, bottom }: { history: History; scale: Scale; right: number; bottom: number }) {
  const half = history.points.length > 1 ? (scale.x(1) - scale.x(0)) / 2 : 0;
  return (
    <g>
      <path {...LEVEL} d={history.segments.map(({ first, last, typical_us }) => `M${Math.max(LEFT, scale.x(first) - half)} ${scale.y(typical_us)}H${Math.min(right, scale.x(last) + half)}`).join('')} />
      {history.changes.map((change) => {
        const x = scale.x(change.point) - half;
        const end = x > scale.x(history.points.length - 1) - 80;
        return (
          <g key={change.point} class={`hs-change-at delta-${change.verdict === 'slower' ? 'more' : 'less'}`}>
            <line stroke="currentColor" stroke-width="1.5" stroke-dasharray="4 3" x1={x} x2={x} y1={TOP - 8} y2={bottom} />
            <text class="small strong" fill="currentColor" x={end ? x - 5 : x + 5} y={TOP - 2} text-anchor={end ? 'end' : 'start'}>
              {`${change.verdict === 'slower' ? '▲' : '▼'} ${formatPercent(change.shift, true)}`}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** Letter of a selected point, above its mark. */
function Flag({ letter, x, y }: { letter: 'a' | 'b'; x: number; y: number }) {
  const up = y > 40;
  return (
    <g class={`hs-flag-${letter} text-${letter}`}>
      <rect fill={`var(--${letter}-soft)`} stroke="currentColor" x={x - 9} y={up ? y - 28 : y + 10} width="18" height="18" rx="5" />
      <text class="lane-label" x={x} y={up ? y - 15 : y + 23} text-anchor="middle">
        {letterOf(letter)}
      </text>
    </g>
  );
}
