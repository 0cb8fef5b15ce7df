// Breakdown of every step of both runs: a lane of stacked columns per run, on one scale.

import { useMemo } from 'preact/hooks';
import type { Table } from '../../contract/wire';
import type { Located } from '../../host/use_address';
import { rowKey } from '../../table/data/rows';
import { formatMany, formatPercent, formatRound, formatSetting, formatTime, formatWithUnit, timeStyle } from '../../ui/format';
import { Segments } from '../../ui/controls/segments';
import { adoptSheet } from '../../ui/sheets';
import { letterOf, LETTERS, sideName, type Letter } from '../../ui/sides';
import { text, type MetricWords } from '../../ui/strings';
import { Tooltip } from '../../ui/controls/tooltip';
import { useWidth } from '../../ui/use_width';
import { FigureBox } from '../figure_box';
import { niceTicks } from '../ticks';
import { laneWords, useLanes } from '../use_lanes';
import { YTick } from '../axes';
import { Columns } from './columns';
import { barsOf, captureNames, labelsOf, PARTS, stacksOf, stepsPerBar, topOf, type Bar, type Stack } from './stacks';
import css from './stacks.css?inline';
import { Swatch } from '../../ui/controls/swatch';

adoptSheet(css);

const HIGH = 104;
const LABEL = 17;
const TOP = 8;
/** Height above a lane for the names of its captures. */
const HEAD = 14;
const LEFT = 74;
const MIN_PX = 3;
const MAX_PX = 64;

const stackWords = {
  title: (one: string) => `Parts of each ${one}`,
  about: (one: string) => `exposed time; every instant of a ${one} belongs to one part`,
  measure: 'Height',
  measures: { time: 'Time', share: 'Share' } as Record<'time' | 'share', string>,
  measuresAbout: (one: string): Record<'time' | 'share', string> => ({ time: `Time of each ${one}`, share: `Parts as shares of each ${one}` }),
  legend: 'One part alone',
  only: (part: string) => `${part} alone`,
  every: 'All parts',
  mean: (n: number, many: string) => `each column is the mean of ${n} ${many}`,
  dropped: 'outlined: not compared',
  step: (one: string, step: string, side: string) => `${side}, ${one} ${step}`,
  steps: (many: string, first: string, last: string, side: string) => `${side}, mean of ${many} ${first} to ${last}`,
  label: (a: number, b: number, words: { one: string; many: string }) =>
    `Parts of each ${words.one}: ${formatMany(a, words.one, words.many)} of A above ${formatMany(b, words.one, words.many)} of B. Left and right go from ${words.one} to ${words.one}, up and down from run to run, Enter shows the row; with Shift, left and right choose a range.`,
  partText: (what: string, total: string, parts: string) => `${what}: ${total}. ${parts}`,
};

interface Props extends Located {
  /** all rows */
  table: Table;
  words: MetricWords;
  chosen: Record<Letter, string>;
  onSteps: (side: Letter, steps: string) => void;
  onRow: (key: string) => void;
}

export function StacksView(props: Props) {
  const { words, address, onChange } = props;
  const asked = address.chartOptions.split(',');
  const share = asked.includes('share');
  const only = PARTS.findIndex((part) => asked.includes(part));
  const choose = (part: { share?: boolean; only?: number }): void => {
    const next = { share, only, ...part };
    onChange({ chartOptions: [next.share ? 'share' : '', PARTS[next.only] ?? ''].filter(Boolean).join(',') });
  };
  const tools = (
    <Segments label={stackWords.measure} all={['time', 'share'] as const} chosen={(one) => share === (one === 'share')} name={(one) => stackWords.measures[one]} title={(one) => stackWords.measuresAbout(words.one)[one]} onChoose={(one) => choose({ share: one === 'share' })} />
  );
  return (
    <FigureBox title={stackWords.title(words.one)} about={stackWords.about(words.one)} tab="steps" address={address} onChange={onChange} tools={tools}>
      <Stacks {...props} share={share} only={only} onOnly={(part) => choose({ only: part })} />
    </FigureBox>
  );
}

type StacksProps = Props & { share: boolean; only: number; onOnly: (part: number) => void };

function Stacks({ table, words, address: { row }, chosen, share, only, onOnly, onSteps, onRow }: StacksProps) {
  const [frame, width] = useWidth();
  const stacks = useMemo(() => stacksOf(table), [table]);
  const labels = useMemo(() => labelsOf(table), [table]);
  const most = useMemo(() => topOf([...stacks.a, ...stacks.b]), [stacks]);
  const longest = Math.max(stacks.a.length, stacks.b.length, 1);
  const each = stepsPerBar(longest, width - LEFT, MIN_PX);
  const bars = useMemo(() => ({ a: barsOf(stacks.a, each), b: barsOf(stacks.b, each) }), [stacks, each]);
  const shown = LETTERS.filter((side) => stacks[side].length > 0);
  const slot = Math.min(MAX_PX, Math.max(0, width - LEFT - 4) / Math.max(bars.a.length, bars.b.length, 1));
  const names = useMemo(() => ({ a: captureNames(stacks.a), b: captureNames(stacks.b) }), [stacks]);
  const head = names.a.size + names.b.size > 0 ? HEAD : 0;
  const lane = head + HIGH + LABEL;
  const height = TOP + shown.length * lane;
  const top = (side: Letter): number => TOP + head + shown.indexOf(side) * lane;
  const style = timeStyle([most]);
  const stepsOf = (side: Letter, bar: Bar): Stack[] => stacks[side].slice(bar.first, bar.first + bar.count);
  const places = (side: Letter): string[][] => bars[side].map((bar) => stepsOf(side, bar).map((stack) => stack.step));
  const barAt = (side: Letter, px: number): number => Math.max(0, Math.min(bars[side].length - 1, Math.floor((px - LEFT) / slot)));
  const { box, active, range, band, handlers } = useLanes({
    shown, labels: { a: places('a'), b: places('b') }, chosen, onSteps, placeAt: barAt,
    at: (x, y) => {
      const side = shown[Math.max(0, Math.min(shown.length - 1, Math.floor((y - TOP) / lane)))]!;
      return x >= LEFT && x < LEFT + slot * bars[side].length ? { side, place: barAt(side, x) } : null;
    },
    onOpen: (side, place) => onRow(rowKey(table, stacks[side][bars[side][place]!.first]!.row)),
  });
  const highest = useMemo(() => (only < 0 ? most : Math.max(1e-3, ...[...bars.a, ...bars.b].map((bar) => bar.parts[only]! || 0)) * 1.04), [bars, only, most]);
  const scale = share && only >= 0 ? Math.max(1e-6, ...[...bars.a, ...bars.b].map((bar) => (bar.parts[only]! || 0) / (bar.us || 1))) * 1.04 : 1;

  const place = (side: Letter, first: number, last = first): Record<string, string> => ({
    left: `${LEFT + first * slot}px`,
    width: `${Math.max(2, (last - first + 1) * slot)}px`,
    top: `${top(side) - 4}px`,
    height: `${HIGH + 4}px`,
  });
  const what = (side: Letter, bar: Bar): string => {
    const some = stepsOf(side, bar);
    return some.length === 1 ? stackWords.step(words.one, some[0]!.step, sideName(side)) : stackWords.steps(words.many, some[0]!.step, some[some.length - 1]!.step, sideName(side));
  };
  const time = (bar: Bar): string => formatWithUnit(style, bar.us);
  const late = (bar: Bar): string[] => (bar.backlog > 0 ? [text.backlog.of(formatTime(bar.backlog), words.one)] : []);
  const parts = (bar: Bar): string => (bar.admitted ? [...labels.flatMap((label, part) => (bar.parts[part]! > 0 ? [`${label} ${formatTime(bar.parts[part])}`] : [])), ...late(bar)].join(', ') : '');
  const bar = active ? bars[active.side][active.place] : undefined;
  const selected = row === '' ? [] : shown.flatMap((side) => bars[side].flatMap((one, index) => (stepsOf(side, one).some((stack) => rowKey(table, stack.row) === row) ? [{ side, index }] : [])));
  const ticks = share
    ? niceTicks(0, scale, 4).map((tick) => ({ value: tick, height: tick / scale, label: formatSetting(tick) }))
    : niceTicks(0, highest / style.scale, 5).map((tick) => ({ value: tick, height: (tick * style.scale) / highest, label: tick === 0 ? '0' : `${formatRound(tick)}\u202f${style.unit}` }));

  return (
    <div ref={frame}>
      <div
        ref={box}
        class="stacks-box picture-box inset"
        role="group"
        tabIndex={0}
        aria-label={stackWords.label(stacks.a.length, stacks.b.length, words)}
        style={{ height: `${height}px` }}
        {...handlers}
      >
        {width > 0 && (
          <svg class="layer" pointer-events="none" width={width} height={height} aria-hidden="true">
            {shown.map((side) => (
              <g key={side}>
                <Columns bars={bars[side]} left={LEFT} slot={slot} top={top(side)} high={HIGH} whole={share ? scale : highest} share={share} only={only} />
                <LaneAxes bars={bars[side]} stacks={stacks[side]} names={names[side]} top={top(side)} slot={slot} width={width} ticks={ticks} />
              </g>
            ))}
          </svg>
        )}
        {shown.map((side) => (
          <span key={side} class={`badge badge-${side}`} aria-hidden="true" style={{ position: 'absolute', left: 0, top: `${top(side) + HIGH / 2 - 9}px` }}>
            {letterOf(side)}
          </span>
        ))}
        {selected.map(({ side, index }) => (
          <span key={`${side}${index}`} class="mark-box chosen" style={place(side, index)} />
        ))}
        {band && <span class="mark-box stacks-brush" style={place(band.side, band.from, band.to)} />}
        {active && bar && !band && <span class="mark-box" style={place(active.side, active.place)} />}
        {active && bar && !band && (
          <Tooltip x={LEFT + (active.place + 0.5) * slot} y={top(active.side)} width={width}>
            <p class="tooltip-name strong">{what(active.side, bar)}</p>
            <p class="muted">
              {time(bar)}
              {[!bar.admitted && laneWords.reason(stepsOf(active.side, bar)[0]!.reason), ...late(bar)].filter(Boolean).map((note) => `, ${note}`)}
            </p>
            {bar.admitted && <PartFigures bar={bar} labels={labels} />}
          </Tooltip>
        )}
      </div>
      <p class="sr" role="status">
        {range !== '' ? laneWords.choosing(range, words) : active?.keyed && bar ? stackWords.partText(what(active.side, bar), time(bar), parts(bar)) : ''}
      </p>
      <div class="legend small soft">
        <span class="stacks-parts" role="group" aria-label={stackWords.legend}>
          {labels.map(
            (label, part) =>
              [...bars.a, ...bars.b].some((one) => one.parts[part]! > 0) && (
                <button key={label} type="button" class="stacks-part inline hover" aria-pressed={part === only} title={part === only ? stackWords.every : stackWords.only(label)} onClick={() => onOnly(part === only ? -1 : part)}>
                  <Swatch fill={`var(--part-${PARTS[part]})`} /> {label}
                </button>
              ),
          )}
        </span>
        {[...stacks.a, ...stacks.b].some((stack) => !stack.admitted) && <span>{stackWords.dropped}</span>}
        {each > 1 && <span>{stackWords.mean(each, words.many)}</span>}
        {range !== '' ? <b>{laneWords.choosing(range, words)}</b> : <span class="muted">{laneWords.hint(words)}</span>}
      </div>
    </div>
  );
}

interface LaneAxesProps {
  bars: Bar[];
  stacks: Stack[];
  /** names of the captures by label; empty for a single one */
  names: Map<string, string>;
  top: number;
  slot: number;
  width: number;
  /** `height` is a share of the lane's */
  ticks: { value: number; height: number; label: string }[];
}

/** The scale of one run's lane, numbers of its steps, and where its captures begin. */
function LaneAxes({ bars, stacks, names, top, slot, width, ticks }: LaneAxesProps) {
  const everyLabel = Math.max(1, Math.ceil(26 / Math.max(1, slot)));
  const captureOf = (index: number): string => stacks[bars[index]!.first]!.capture;
  const isNew = (index: number): boolean => index > 0 && captureOf(index) !== captureOf(index - 1);
  return (
    <g>
      {ticks.map(({ value, height, label }) => (
        <YTick key={value} stroke="color-mix(in srgb, var(--ink) 10%, transparent)" at={top + HIGH - height * HIGH} from={LEFT} to={width}>
          {label}
        </YTick>
      ))}
      {bars.map(
        (bar, index) =>
          index % everyLabel === 0 && (
            <text key={index} class="axis-text" x={LEFT + (index + 0.5) * slot} y={top + HIGH + 13} text-anchor="middle">
              {stacks[bar.first]!.step}
            </text>
          ),
      )}
      {bars.map(
        (_, index) =>
          (index === 0 || isNew(index)) && (
            <text key={index} class="axis-text" x={LEFT + index * slot + 2} y={top - 5}>
              {names.get(captureOf(index))}
            </text>
          ),
      )}
      {bars.map((_, index) => isNew(index) && <line key={index} stroke="var(--ink-3)" stroke-dasharray="3 3" x1={LEFT + index * slot} x2={LEFT + index * slot} y1={top - 4} y2={top + HIGH + 4} />)}
    </g>
  );
}

/** Time and share of each part of a bar, in the order in which they are stacked. */
function PartFigures({ bar, labels }: { bar: Bar; labels: string[] }) {
  return (
    <table class="tooltip-figures">
      <tbody>
        {[...labels.keys()].reverse().map(
          (part) =>
            bar.parts[part]! > 0 && (
              <tr key={part}>
                <th scope="row">
                  <Swatch fill={`var(--part-${PARTS[part]})`} /> {labels[part]}
                </th>
                <td>{formatTime(bar.parts[part])}</td>
                <td>{formatPercent(bar.parts[part]! / (bar.us || 1))}</td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  );
}
