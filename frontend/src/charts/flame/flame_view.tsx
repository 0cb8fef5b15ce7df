// Flame graph of both runs' call tree: width is time, color is the change, a click zooms to a frame.

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Table } from '../../contract/wire';
import type { Located } from '../../host/use_address';
import { mergeLayers } from '../../table/data/layers';
import { joinKey } from '../../table/data/rows';
import { shortOf } from '../../ui/names';
import { runKeyAction } from '../../ui/use_keys';
import { useSearch } from '../../ui/search';
import { Segments } from '../../ui/controls/segments';
import { adoptSheet } from '../../ui/sheets';
import { Tooltip } from '../../ui/controls/tooltip';
import { useWidth } from '../../ui/use_width';
import { Canvas, pointIn } from '../canvas';
import { MIN_WIDTH, paint, ROW } from './canvas';
import { frameAt, layout, MEASURES, moved, ORDERS, pathOf, placeOf, readOptions, search, statusOf, treeOf, weightOf, WIDTHS, writeOptions, type FlameOptions, type Placed, type Tree } from './flame';
import css from './flame.css?inline';
import { changeText, FrameFigures, kindText, Legend, markedChange, Path, timeText, words } from './parts';

adoptSheet(css);

interface Props extends Located {
  /** all rows */
  table: Table;
  /** merges the layers of a network into one frame */
  together: boolean;
  /** name of the whole that shares refer to: `step` or `cycle` */
  whole: string;
  onRow: (key: string) => void;
}

export function FlameView(props: Props) {
  const { table, together, whole, address } = props;
  const options = readOptions(address.chartOptions);
  const tree = useMemo(() => treeOf(together ? mergeLayers('call_tree', table) : table), [table, together]);
  const choose = (part: Partial<FlameOptions>): void => props.onChange({ chartOptions: writeOptions({ ...options, ...part }) });
  return (
    <section class="panel flame-panel stack" aria-label={words.title}>
      <header title={words.about(whole)}>
        <Choice label={words.width} about={words.widthAbout} all={WIDTHS} chosen={options.width} names={words.widths} titles={words.widthsAbout} onChoose={(width) => choose({ width })} />
        <Choice label={words.measure} about={words.measure} all={MEASURES} chosen={options.measure} names={words.measures} titles={words.measuresAbout(whole)} onChoose={(measure) => choose({ measure })} />
        <Choice label={words.order} about={words.order} all={ORDERS} chosen={options.order} names={words.orders} titles={words.ordersAbout} onChoose={(order) => choose({ order })} />
      </header>
      {tree ? <Flame {...props} tree={tree} options={options} /> : <p class="muted">{words.missing}</p>}
    </section>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  about: string;
  all: readonly T[];
  chosen: T;
  names: Record<T, string>;
  titles: Record<T, string>;
  onChoose: (one: T) => void;
}

function Choice<T extends string>({ label, about, all, chosen, names, titles, onChoose }: ChoiceProps<T>) {
  return (
    <span class="flame-choice inline small">
      <span class="muted" aria-hidden="true">
        {label}
      </span>
      <Segments label={about} all={all} chosen={(one) => one === chosen} name={(one) => names[one]} title={(one) => titles[one]} onChoose={(one) => onChoose(one)} />
    </span>
  );
}

type FlameProps = Props & { tree: Tree; options: FlameOptions };

const STATUSES = ['added', 'removed'] as const;

function Flame({ table, tree, options, whole, address: { q, status: only, zoom: place, row }, onChange, onRow }: FlameProps) {
  const [box, width] = useWidth();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<{ frame: number; keyed: boolean; x?: number } | null>(null);
  const names = useMemo(() => tree.name.map((name) => shortOf(table.short_names, name)), [tree]);
  const zoom = useMemo(() => frameAt(tree, place), [tree, place]);
  const rows = useMemo(() => (width > 0 ? layout(tree, zoom, options, MIN_WIDTH / width) : []), [tree, zoom, options.width, options.measure, options.order, width]);
  const asked = useSearch(q).query;
  const found = useMemo(() => {
    const status = STATUSES.find((one) => one === only);
    return asked.empty && !status ? null : search(tree, (frame, name) => asked.test(name) && (!status || statusOf(tree, frame) === status));
  }, [tree, asked, only]);
  const outer = tree.depth[zoom]!;
  const height = rows.length * ROW;
  // layout effect: a later effect would undo a key pressed right after the zoom
  useLayoutEffect(() => setActive(null), [zoom]);

  const selected = useMemo(() => (row === '' ? null : (rows.flat().find(({ frame }) => keyOf(tree, frame) === row) ?? null)), [rows, row]);
  const at = (event: MouseEvent): Placed | null => {
    const [x, y] = pointIn(event);
    return rows[Math.floor(y / ROW)]?.find((one) => one.from <= x / width && x / width < one.to) ?? null;
  };
  const into = (frame: number): void => onChange({ zoom: placeOf(tree, frame) }, true);
  const outward = (): void => into(tree.parent[zoom]!);
  const onKeyDown = (event: KeyboardEvent): void => {
    const held = active?.frame ?? zoom;
    const next = active ? moved(rows, tree, held, event.key) : ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home'].includes(event.key) ? zoom : null;
    runKeyAction(event, {
      ...(next !== null && { [event.key]: () => setActive({ frame: next, keyed: true }) }),
      ...(zoom !== 0 && { Escape: outward, Backspace: outward }),
      Enter: () => into(held),
      ' ': () => onRow(keyOf(tree, held)),
    });
  };
  const spot = active ? (rows.flat().find((one) => one.frame === active.frame) ?? null) : null;
  const marked = (placed: Placed): Record<string, string> => ({
    left: `${placed.from * width}px`,
    width: `${Math.max(2, (placed.to - placed.from) * width)}px`,
    top: `${placed.row * ROW}px`,
    height: `${ROW - 1}px`,
  });
  const [a, b] = [timeText(tree.us[0][0]!), timeText(tree.us[1][0]!)];

  return (
    <>
      <Path tree={tree} names={names} zoom={zoom} options={options} whole={whole} onZoom={into} onRow={(frame) => onRow(keyOf(tree, frame))} />
      {found && <p class="flame-found soft">{words.found(found.frames.size, timeText(found.us[0]), timeText(found.us[1]), timeText(found.delta, true))}</p>}
      <div class="flame-stage">
        <div class="flame-scroll" ref={scroller} onScroll={() => setActive(null)}>
          <div
            ref={box}
            class="flame-box picture-box inset"
            role="group"
            tabIndex={0}
            aria-label={words.label(tree.count, whole, `${a} → ${b}`)}
            style={{ height: `${height}px` }}
            onKeyDown={onKeyDown}
            onMouseMove={(event) => {
              const hit = at(event);
              setActive(hit && { frame: hit.frame, keyed: false, x: pointIn(event)[0] });
            }}
            onMouseLeave={() => setActive(null)}
            onClick={(event) => {
              const hit = at(event);
              if (hit) into(hit.frame);
            }}
            onBlur={() => setActive(null)}
          >
            <Canvas
              class="flame-canvas"
              width={width}
              height={height}
              shown={[tree, rows, names, found]}
              draw={(pen, colors) => paint(pen, { tree, rows, options, names, change: (frame) => markedChange(tree, frame, options), found: found?.frames ?? null, outer }, width, colors)}
            />
            {selected && <span class="mark-box chosen" style={marked(selected)} />}
            {spot && <span class="mark-box" style={marked(spot)} />}
          </div>
        </div>
        {spot && active && (
          <Tooltip x={Math.max(0, Math.min(width, active.x ?? ((spot.from + spot.to) / 2) * width))} y={(spot.row + 1) * ROW + 5 - (scroller.current?.scrollTop ?? 0)} width={width}>
            <FrameFigures tree={tree} frame={spot.frame} whole={whole} />
          </Tooltip>
        )}
      </div>
      {weightOf(tree, zoom, options) === 0 && <p class="muted">{words.nothing}</p>}
      <p class="sr" role="status">
        {active?.keyed
          ? words.frameText(tree.name[active.frame]!, kindText(tree, active.frame), timeText(tree.us[0][active.frame]!), timeText(tree.us[1][active.frame]!), changeText(tree, active.frame, options))
          : ''}
      </p>
      <Legend tree={tree} options={options} />
    </>
  );
}

/** Key of the frame's row in the table. */
function keyOf(tree: Tree, frame: number): string {
  return joinKey([tree.name[frame]!, pathOf(tree, frame)]);
}
