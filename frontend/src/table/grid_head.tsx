// A grid's column headers: names, sort order, resizing.

import { useRef } from 'preact/hooks';
import type { Column } from '../contract/wire';
import { Pure } from '../ui/pure';
import { headerLabel, headerUnit, type ColumnView } from './data/columns';
import { NARROWEST } from './data/column_tracks';
import type { SortKey } from './data/order';
import { tableText } from './data/words';

const RESIZE = 'Drag to resize; double-click for the default width. Keyboard: Shift with ← → on the header, Shift with Home';

interface HeadActions {
  sort: SortKey[];
  onSort: (column: string, add: boolean) => void;
  /** the width during a drag, null at its end */
  onDrag: (dragged: { column: string; width: number } | null) => void;
  onWidth: ((column: string, width: number | null) => void) | undefined;
}

interface Props extends HeadActions {
  columns: ColumnView[];
  /** heading above a group of columns, "" for none */
  group: ((column: Column) => string) | undefined;
  tracks: string;
}

export class GridHead extends Pure<Props> {
  override render({ columns, group, tracks, ...actions }: Props) {
    return (
      <>
        {group && <GroupRow columns={columns} group={group} template={tracks} />}
        <div class="row" role="row" aria-rowindex={group ? 2 : 1} style={{ gridTemplateColumns: tracks }}>
          {columns.map((view) => (
            <Header key={view.column.name} view={view} {...actions} />
          ))}
        </div>
      </>
    );
  }
}

/** One heading per run of adjacent columns of a group. The first column is never merged into a run: it stays in place
 *  when the rest scrolls sideways. */
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

/** Pixels by which an arrow key resizes a column. */
const WIDTH_STEP = 16;

function Header({ view, sort, onSort, onDrag, onWidth }: { view: ColumnView } & HeadActions) {
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
  if (view.index < 0 && !view.order)
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
      <button type="button" class={`head-button hover inset${side}`} title={`${column.description}\n${tableText.sortBy(column.label)}`} onClick={(event) => onSort(column.name, event.shiftKey)}>
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
