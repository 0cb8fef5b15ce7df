// A table of any length: only the rows in view are in the document. Draws rows and reports events; the caller decides what is shown.

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { roleAt, type Column, type Table } from '../contract/wire';
import { shortOf } from '../ui/names';
import { useOneStop } from '../ui/controls/toolbar';
import { adoptSheet } from '../ui/sheets';
import { useMatches } from '../ui/use_matches';
import type { ColumnView } from './data/columns';
import { GridHead } from './grid_head';
import { GridRow } from './grid_row';
import { trackOf } from './data/column_tracks';
import { moveRow, offsetFor, rowWindow, slotsFor, type Slot, type RowRange } from './row_window';
import type { SortKey } from './data/order';
import { nameIndex } from './data/rows';
import css from './table.css?inline';
import { tableText } from './data/words';

adoptSheet(css);

const ROW_HEIGHT = 28;
const HEAD_HEIGHT = 34;
const GROUP_HEIGHT = 24;
/** While scrolling, new rows reuse the elements of rows that left; after this rest the elements are put in row order. */
const REST_MS = 150;

interface Props {
  table: Table;
  /** row numbers of the table, in order */
  rows: number[];
  columns: ColumnView[];
  sort: SortKey[];
  /** heading above a group of columns, "" for none */
  group?: ((column: Column) => string) | undefined;
  /** prefix of the rows' element ids, so that two grids on one page differ */
  id?: string;
  /** index in `rows` of the selected row, -1 for none */
  selected: number;
  onSort: (column: string, add: boolean) => void;
  onSelect: (place: number) => void;
  onOpen: (place: number) => void;
  /** draws a row's picture, for columns without cells */
  picture?: ((row: number) => preact.ComponentChild) | undefined;
  /** row numbers pinned below the head, and the callback that toggles a pin */
  pinned?: number[];
  onPin?: (place: number) => void;
  /** widths in pixels of columns that the reader resized, and the callback that resizes one: null restores the default */
  widths?: Record<string, number>;
  onWidth?: (column: string, width: number | null) => void;
  /** reports which places are in view; rows not fetched yet are drawn empty */
  onView?: (first: number, end: number) => void;
}

/** The last grid's size in pixels, usually the next one's too, which then needs no second draw. */
let last = { height: 0, width: 0 };

const NONE: number[] = [];
const NO_WIDTHS: Record<string, number> = {};

/** On phones, text columns shrink in favor of times. */
const PHONE = '(max-width: 520px)';

export function Grid({ table, rows, columns, sort, group, id = 'row', selected, picture, onSort, onSelect, onOpen, onPin, pinned = NONE, widths = NO_WIDTHS, onWidth, onView }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const size = useSize(scroller);
  const heads = group ? 2 : 1;
  const phone = useMatches(PHONE);
  const [dragged, setDragged] = useState<{ column: string; width: number } | null>(null);
  const headHeight = HEAD_HEIGHT + (group ? GROUP_HEIGHT : 0) + pinned.length * ROW_HEIGHT;
  const inner = Math.max(0, size.height - headHeight);
  const visible = rowWindow(scrollTop, inner, ROW_HEIGHT, rows.length);
  const named = nameIndex(table);
  const { tracks, leasts, width } = useMemo(() => {
    const all = columns.map((view) => trackOf(view, view.index === named, phone, dragged?.column === view.column.name ? dragged.width : widths[view.column.name]));
    const leasts = all.map(({ least }) => least);
    return { tracks: all.map(({ track }) => track).join(' '), leasts, width: leasts.reduce((sum, least) => sum + least, 12) };
  }, [columns, named, phone, dragged, widths]);
  // the status is shown next to the name, unless it has its own column
  const status = useMemo(() => (columns.some((view) => view.derive?.([]).chip !== undefined) ? -1 : roleAt(table, 'status')), [columns, table.columns]);

  const head = useRef<HTMLDivElement>(null);
  const headStop = useOneStop(head);
  const slots = useSlots(scroller, visible);

  // a new filter or order scrolls to the top, unless a row is selected
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

  /** place of a row to select once it is fetched, -1 for none; choosing a missing row scrolls to it, which fetches it */
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

  const onScroll = (event: Event): void => {
    // rounded down to whole rows: scrolling within a row redraws nothing
    const top = Math.floor((event.currentTarget as HTMLElement).scrollTop / ROW_HEIGHT) * ROW_HEIGHT;
    dropSelection(scroller.current!, rowWindow(top, inner, ROW_HEIGHT, rows.length), heads);
    setScrollTop(top);
  };
  const onClick = (event: MouseEvent): void => {
    const row = (event.target as Element).closest('.row');
    if (!row || row.classList.contains('pending') || !(window.getSelection()?.isCollapsed ?? true)) return;
    onOpen(placeOf(row, heads));
  };
  const rowOf = (number: number) => {
    const cells = table.rows[number];
    return { number, cells, columns, named, status, name: (cells && shortOf(table.short_names, String(cells[named] ?? ''))) || null, tracks, leasts, picture };
  };

  return (
    <div
      class={`grid${size.width < width ? ' sideways' : ''}`}
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={tableText.grid(table.title)}
      aria-rowcount={rows.length + heads}
      aria-colcount={columns.length}
      aria-activedescendant={selected >= visible.first && selected < visible.end ? `${id}-${selected}` : undefined}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div ref={head} class="grid-head" role="rowgroup" {...headStop} style={{ minWidth: `${width}px`, height: `${headHeight}px` }}>
        <GridHead columns={columns} group={group} tracks={tracks} sort={sort} onSort={onSort} onDrag={setDragged} onWidth={onWidth} />
        {pinned.map((number) => (
          <GridRow key={number} place={-1} {...rowOf(number)} />
        ))}
      </div>
      <div class="grid-body" role="rowgroup" style={{ height: `${rows.length * ROW_HEIGHT}px`, minWidth: `${width}px` }} onClick={onClick}>
        {slots.map(({ key, place }) => (
          <GridRow key={key} place={place} id={id} heads={heads} top={place * ROW_HEIGHT} selected={place === selected} {...rowOf(rows[place]!)} />
        ))}
      </div>
    </div>
  );
}

/** The grid's size in pixels. */
function useSize(scroller: preact.RefObject<HTMLDivElement | null>): { height: number; width: number } {
  const [size, setSize] = useState(last);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const measure = (): void => {
      const { clientHeight: height, clientWidth: width } = element;
      if (height !== last.height || width !== last.width) last = { height, width };
      setSize(last);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return size;
}

/** The elements of the rows in view: while scrolling, those of rows that left are reused. */
function useSlots(scroller: preact.RefObject<HTMLDivElement | null>, visible: RowRange): Slot[] {
  const [restedAt, setRestedAt] = useState(0);
  const slots = useRef<Slot[]>([]);
  slots.current = slotsFor(slots.current, visible, restedAt === visible.first);
  useLayoutEffect(() => {
    if (restedAt === visible.first) return undefined;
    const timer = setTimeout(() => hasSelection(scroller.current!) || setRestedAt(visible.first), REST_MS);
    return () => clearTimeout(timer);
  }, [visible.first, restedAt]);
  return slots.current;
}

function placeOf(row: Element, heads: number): number {
  return Number(row.getAttribute('aria-rowindex')) - 1 - heads;
}

function hasSelection(grid: Element): boolean {
  const chosen = window.getSelection();
  return Boolean(chosen && !chosen.isCollapsed && grid.contains(chosen.anchorNode));
}

/** Clears a text selection once its row scrolls out of the range, because the row's elements then draw another row. */
function dropSelection(grid: Element, stays: RowRange, heads: number): void {
  if (!hasSelection(grid)) return;
  const chosen = window.getSelection()!;
  for (const node of [chosen.anchorNode, chosen.focusNode]) {
    const row = (node instanceof Element ? node : node?.parentElement)?.closest('.grid-body .row');
    const place = row ? placeOf(row, heads) : stays.first;
    if (place < stays.first || place >= stays.end) return chosen.removeAllRanges();
  }
}
