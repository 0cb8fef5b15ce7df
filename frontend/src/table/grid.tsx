// A table of any length: only the rows in view are in the document. Draws and reports; what is shown is decided outside.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Cell, Column, Table } from '../contract/wire';
import { Delta } from '../ui/delta';
import { NameText } from '../ui/name_text';
import { Badge } from '../ui/sides';
import { adoptSheet } from '../ui/sheets';
import { text } from '../ui/strings';
import { useMatches } from '../ui/use_matches';
import { cellText, headerLabel, headerUnit, meaning, type ColumnView, type Derived } from './columns';
import { NARROWEST } from './kept_layout';
import type { SortKey } from './order';
import { nameIndex } from './rows';
import { moveRow, offsetFor, rowWindow } from './row_window';
import css from './table.css?inline';
import { tableText } from './words';

adoptSheet(css);

const ROW_HEIGHT = 28;
const HEAD_HEIGHT = 34;
const GROUP_HEIGHT = 24;
const RESIZE = 'Drag to resize; double-click for the default width. Keyboard: Shift with ← → on the header, Shift with Home';

interface Props {
  table: Table;
  /** row numbers of the table, in order */
  rows: number[];
  columns: ColumnView[];
  /** short forms of the row's name (see nameIndex), by row number */
  names: string[] | null;
  sort: SortKey[];
  /** heads above columns that belong together, "" for none */
  group?: ((column: Column) => string) | undefined;
  /** tells the rows of two grids on one page apart */
  id?: string;
  /** place in `rows`, -1 for none */
  selected: number;
  onSort: (column: string, add: boolean) => void;
  onSelect: (place: number) => void;
  onOpen: (place: number) => void;
  /** draws a row's picture, for the column that has no cells */
  picture?: ((row: number) => preact.ComponentChild) | undefined;
  /** numbers of rows that stay in view below the head, and how a row is pinned or freed */
  pinned?: number[];
  onPin?: (place: number) => void;
  /** widths in pixels of columns that the reader changed, and how: null for the usual one */
  widths?: Record<string, number>;
  onWidth?: (column: string, width: number | null) => void;
  /** which places are in view; rows that are not here yet are drawn empty */
  onView?: (first: number, end: number) => void;
}

/** Names give way there to the times. */
const PHONE = '(max-width: 520px)';

/** Width of the bar of a difference, with the gap before it. */
const BAR = 96;

/** Width in pixels below which the columns do not fit beside each other. */
export function leastWidth(columns: ColumnView[], widths: Record<string, number>): number {
  return columns.reduce((sum, view) => sum + trackOf(view, true, false, widths[view.column.name]).least, 12);
}

/** A column's track, and its least width in pixels: the label must fit; what is left over goes to long texts. */
function trackOf(view: ColumnView, named: boolean, phone: boolean, chosen: number | undefined): { track: string; least: number } {
  if (chosen !== undefined) return { track: `${chosen}px`, least: chosen };
  if (view.width) return { track: `minmax(${view.width}px, ${view.width + 14}px)`, least: view.width };
  const letters = headerLabel(view).length;
  const label = 7 * (letters + headerUnit(view).length) + 34;
  if (view.column.kind === 'text') {
    const most = Math.min(60, Math.max(view.letters, letters));
    const least = Math.min(Math.max(7 * most + 24, label), phone ? 108 : named ? 210 : 170);
    // as wide as the longest text, so that figures stay near it; all that is left where texts are longer than that
    const wanted = Math.max(least + 12, 7 * most + 32);
    return { track: most < 60 ? `minmax(${least}px, ${wanted}px)` : `minmax(${least}px, ${most}fr)`, least };
  }
  if (phone && view.style) return { track: `minmax(${view.largest > 0 ? 92 : 70}px, 1fr)`, least: view.largest > 0 ? 92 : 70 };
  const least = view.largest > 0 ? Math.max(164, label + BAR) : Math.max(view.letters > 0 ? 7 * view.letters + 26 : 84, label);
  return { track: `minmax(${least}px, ${least + 14}px)`, least };
}

export function Grid({ table, rows, columns, names, sort, group, id = 'row', selected, picture, onSort, onSelect, onOpen, onPin, pinned = NONE, widths = {}, onWidth, onView }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [viewport, setViewport] = useState(0);
  const heads = group ? 2 : 1;
  const phone = useMatches(PHONE);
  const [dragged, setDragged] = useState<{ column: string; width: number } | null>(null);
  const headHeight = HEAD_HEIGHT + (group ? GROUP_HEIGHT : 0) + pinned.length * ROW_HEIGHT;
  const inner = Math.max(0, viewport - headHeight);
  const visible = rowWindow(scrollTop, inner, ROW_HEIGHT, rows.length);
  const named = nameIndex(table);
  const tracks = columns.map((view) => trackOf(view, view.index === named, phone, dragged?.column === view.column.name ? dragged.width : widths[view.column.name]));
  const template = tracks.map(({ track }) => track).join(' ');
  const width = tracks.reduce((sum, { least }) => sum + least, 12);
  // said next to the name, unless a column of its own says it
  const status = columns.some((view) => view.derive?.([]).chip !== undefined) ? -1 : table.columns.findIndex((column) => column.role === 'status');

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setViewport(element.clientHeight));
    observer.observe(element);
    setViewport(element.clientHeight);
    return () => observer.disconnect();
  }, []);

  // another filter or order starts at the top, unless a row is open
  useLayoutEffect(() => {
    if (scroller.current && selected < 0) scroller.current.scrollTop = 0;
  }, [rows]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || selected < 0 || inner <= 0) return;
    const offset = offsetFor(selected, element.scrollTop, inner, ROW_HEIGHT);
    if (offset !== element.scrollTop) element.scrollTop = offset;
  }, [selected, inner, rows]);

  useLayoutEffect(() => onView?.(visible.first, visible.end), [visible.first, visible.end, onView]);

  /** A row that is not here yet is brought into view, and selected when it comes. */
  const awaited = useRef(-1);
  const isHere = (place: number): boolean => Boolean(table.rows[rows[place] ?? -1]);
  const choose = (place: number): void => {
    awaited.current = isHere(place) ? -1 : place;
    if (isHere(place)) onSelect(place);
    else if (scroller.current) scroller.current.scrollTop = offsetFor(place, scroller.current.scrollTop, inner, ROW_HEIGHT);
  };
  useLayoutEffect(() => {
    if (awaited.current >= 0 && isHere(awaited.current)) choose(awaited.current);
  }, [table.rows]);
  useLayoutEffect(() => {
    awaited.current = -1;
  }, [rows]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && selected >= 0) return onOpen(selected);
    if (event.key === 'p' && selected >= 0) return onPin?.(selected);
    const next = moveRow(event.key, selected, rows.length, Math.max(1, Math.floor(inner / ROW_HEIGHT) - 1));
    if (next === null) return;
    event.preventDefault();
    choose(next);
  };

  const cellsOf = (number: number, cells: Cell[]): preact.JSX.Element[] =>
    columns.map((view) =>
      view.derive ? (
        <DerivedCell key={view.column.name} numeric={view.numeric} {...view.derive(cells)} />
      ) : view.index < 0 ? (
        <div key={view.column.name} role="gridcell" class="step-cell">
          {picture?.(number)}
        </div>
      ) : (
        <GridCell
          key={view.column.name}
          view={view}
          cell={cells[view.index]}
          cells={cells}
          name={view.index === named ? (names?.[number] ?? null) : null}
          status={view.index === named && status >= 0 ? String(cells[status]) : ''}
        />
      ),
    );

  const drawn: preact.JSX.Element[] = [];
  for (let place = visible.first; place < visible.end; place += 1) {
    const number = rows[place]!;
    const cells = table.rows[number];
    if (!cells) {
      drawn.push(
        <div key={number} role="row" aria-rowindex={place + 1 + heads} aria-busy="true" class={`row pending${place % 2 ? ' odd' : ''}`} style={{ top: `${place * ROW_HEIGHT}px`, gridTemplateColumns: template }}>
          <div role="gridcell" class="txt absent">
            …
          </div>
        </div>,
      );
      continue;
    }
    drawn.push(
      <div
        key={number}
        id={`${id}-${place}`}
        role="row"
        aria-rowindex={place + 1 + heads}
        aria-selected={place === selected}
        class={`row${place === selected ? ' selected' : ''}${place % 2 ? ' odd' : ''}`}
        style={{ top: `${place * ROW_HEIGHT}px`, gridTemplateColumns: template }}
        onClick={() => {
          if (window.getSelection()?.isCollapsed ?? true) onOpen(place);
        }}
      >
        {cellsOf(number, cells)}
      </div>,
    );
  }

  return (
    <div
      class="grid"
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={tableText.grid(table.title)}
      aria-rowcount={rows.length + heads}
      aria-colcount={columns.length}
      aria-activedescendant={selected >= visible.first && selected < visible.end ? `${id}-${selected}` : undefined}
      onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="grid-head" role="rowgroup" style={{ minWidth: `${width}px`, height: `${headHeight}px` }}>
        {group && <GroupRow columns={columns} group={group} template={template} />}
        <div class="row" role="row" aria-rowindex={heads} style={{ gridTemplateColumns: template }}>
          {columns.map((view) => (
            <Header key={view.column.name} view={view} sort={sort} onSort={onSort} onDrag={setDragged} onWidth={onWidth} />
          ))}
        </div>
        {pinned.map((number) => (
          <div key={number} role="row" class="row pinned" style={{ gridTemplateColumns: template }}>
            {cellsOf(number, table.rows[number]!)}
          </div>
        ))}
      </div>
      <div class="grid-body" role="rowgroup" style={{ height: `${rows.length * ROW_HEIGHT}px`, minWidth: `${width}px` }}>
        {drawn}
      </div>
    </div>
  );
}

/** One head per run of columns of a group. The first column has none: it stays in place when the rest is scrolled. */
function GroupRow({ columns, group, template }: { columns: ColumnView[]; group: (column: Column) => string; template: string }) {
  const runs: { label: string; size: number; again: boolean }[] = [];
  columns.forEach((view, index) => {
    const label = group(view.column);
    const last = runs[runs.length - 1];
    if (index > 1 && last?.label === label) last.size += 1;
    else runs.push({ label, size: 1, again: last?.label === label });
  });
  return (
    <div class="row group-row" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
      {runs.map((run, index) => (
        <div key={index} role="columnheader" aria-colspan={run.size} class={run.again ? 'again' : ''} style={{ gridColumn: `span ${run.size}` }}>
          <span class={run.again ? 'sr' : 'group-label'}>{run.label}</span>
        </div>
      ))}
    </div>
  );
}

const NONE: number[] = [];
/** By how many pixels a key changes the width of a column. */
const WIDTH_STEP = 16;

interface HeaderProps {
  view: ColumnView;
  sort: SortKey[];
  onSort: Props['onSort'];
  /** a width on its way, null when it has arrived */
  onDrag: (dragged: { column: string; width: number } | null) => void;
  onWidth: Props['onWidth'];
}

function Header({ view, sort, onSort, onDrag, onWidth }: HeaderProps) {
  const { column } = view;
  const head = useRef<HTMLDivElement>(null);
  const widthNow = (): number => head.current!.getBoundingClientRect().width;
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -WIDTH_STEP, ArrowRight: WIDTH_STEP, Home: 0 }[event.key];
    if (by === undefined || !event.shiftKey || !onWidth) return;
    event.preventDefault();
    event.stopPropagation();
    onWidth(column.name, by === 0 ? null : widthNow() + by);
  };
  const onPointerDown = (event: PointerEvent): void => {
    const handle = event.currentTarget as HTMLElement;
    const begun = widthNow() - event.clientX;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (moved) => onDrag({ column: column.name, width: Math.max(NARROWEST, begun + moved.clientX) });
    handle.onpointerup = (end) => {
      handle.onpointermove = handle.onpointerup = null;
      onDrag(null);
      if (end.clientX !== event.clientX) onWidth!(column.name, begun + end.clientX);
    };
  };
  const handle = onWidth && <span class="head-handle" aria-hidden="true" title={RESIZE} onPointerDown={onPointerDown} onDblClick={() => onWidth(column.name, null)} />;
  if (view.index < 0)
    return (
      <div ref={head} role="columnheader" tabIndex={onWidth ? 0 : undefined} onKeyDown={onKeyDown} class={`head-plain ${view.derive ? (view.numeric ? 'num' : '') : 'head-picture'}`} title={column.description}>
        <span class="head-label">{column.label}</span>
        {column.unit && <span class="unit">{column.unit}</span>}
        {handle}
      </div>
    );
  const key = sort.find((one) => one.column === column.name);
  const unit = headerUnit(view);
  const side = column.role === 'baseline' ? ' text-a' : column.role === 'candidate' ? ' text-b' : '';
  return (
    <div ref={head} role="columnheader" onKeyDown={onKeyDown} class={view.largest > 0 ? 'with-bar' : view.numeric ? 'num' : ''} aria-sort={key ? (key.descending ? 'descending' : 'ascending') : 'none'}>
      <button type="button" class={`head-button${side}`} title={`${column.description}\n${tableText.sortBy(column.label)}`} onClick={(event) => onSort(column.name, event.shiftKey)}>
        <span class="head-label">{headerLabel(view)}</span>
        {unit && <span class="unit">{unit}</span>}
        <span class="sort-mark" aria-hidden="true">
          {key ? (key.descending ? '↓' : '↑') : ''}
        </span>
      </button>
      {handle}
    </div>
  );
}

function DerivedCell({ text: said, sense, chip, title, numeric }: Derived & { numeric: boolean }) {
  return (
    <div role="gridcell" class={numeric ? 'num' : 'txt'} title={title}>
      {said !== '' && (chip ? <span class={`chip chip-${chip}`}>{said}</span> : <span class={sense ? `delta-${sense > 0 ? 'more' : 'less'}` : ''}>{said}</span>)}
    </div>
  );
}

interface CellProps {
  view: ColumnView;
  cell: Cell | undefined;
  cells: Cell[];
  name: string | null;
  status: string;
}

function GridCell({ view, cell, cells, name, status }: CellProps) {
  const shown = cellText(view, cell, cells);
  const absent = cell === null || cell === undefined || cell === '';
  const title = absent ? tableText.notMeasured : typeof cell === 'string' ? cell : undefined;
  const classes = [view.numeric ? 'num' : 'txt', absent ? 'absent' : '', cell === false ? 'flag-no' : '', view.column.role === 'key' ? 'key' : ''].filter(Boolean).join(' ');
  if (view.largest > 0 && typeof cell === 'number') return <DeltaCell view={view} cell={cell} shown={shown} />;
  const sense = meaning(view.column, cell);
  const chip = text.table.chips[status];
  return (
    <div role="gridcell" class={classes} title={title}>
      {view.column.name === 'side' ? (
        <SideCell word={shown} />
      ) : sense === 0 ? (
        <NameText name={name ?? shown} />
      ) : (
        <Delta value={typeof cell === 'number' ? cell : null} sense={sense}>
          {shown}
        </Delta>
      )}
      {chip && (
        <span class={`chip chip-${chip.look}`} title={chip.about}>
          {chip.word}
        </span>
      )}
    </div>
  );
}

/** `baseline`, `candidate` or `both` with the letters used everywhere else. */
function SideCell({ word }: { word: string }) {
  return (
    <span class="cell-side inline">
      {word !== 'candidate' && <Badge side="a" />}
      {word !== 'baseline' && <Badge side="b" />}
      {tableText.sides[word] ?? word}
    </span>
  );
}

/** Number and a bar to the right for more, to the left for less, on a square-root scale. */
function DeltaCell({ view, cell, shown }: { view: ColumnView; cell: number; shown: string }) {
  const size = view.largest > 0 ? Math.min(50, 50 * Math.sqrt(Math.abs(cell) / view.largest)) : 0; // rows that come later may be larger
  const sense = meaning(view.column, cell);
  return (
    <div role="gridcell" class="num with-bar" title={tableText.bar}>
      <Delta value={cell} sense={sense}>
        {shown}
      </Delta>
      <span class="diverging" aria-hidden="true">
        <span
          class={sense > 0 ? 'bar-more' : sense < 0 ? 'bar-less' : 'bar-zero'}
          style={{ left: `${cell < 0 ? 50 - size : 50}%`, width: `${size}%` }}
        />
      </span>
    </div>
  );
}
