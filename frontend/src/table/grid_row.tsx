// One row of a grid. Scrolling reuses a row's elements for other rows, so their structure and classes vary as little as
// possible between rows, and a cell is a single element wherever it can be.

import type { Cell } from '../contract/wire';
import { direction } from '../ui/format';
import { NameText } from '../ui/name_text';
import { Pure } from '../ui/pure';
import { Badge } from '../ui/sides';
import { text } from '../ui/strings';
import { cellText, meaning, type ColumnView } from './data/columns';
import { tableText } from './data/words';

interface Props {
  /** position among the shown rows; -1 for a pinned row */
  place: number;
  /** row number in the table */
  number: number;
  /** undefined for a row not fetched yet */
  cells: Cell[] | undefined;
  columns: ColumnView[];
  /** cell index of the column that names the row, and of the status shown beside the name; -1 for none */
  named: number;
  status: number;
  /** short form of the name */
  name: string | null;
  tracks: string;
  /** least width of each column in pixels */
  leasts: number[];
  id?: string;
  heads?: number;
  top?: number;
  selected?: boolean;
  picture?: ((row: number) => preact.ComponentChild) | undefined;
}

export class GridRow extends Pure<Props> {
  override render({ place, number, cells, columns, named, status, name, tracks, leasts, id, heads = 0, top = 0, selected = false, picture }: Props) {
    const all = columns.map((view, at) => {
      if (!cells) return pendingCell(view, named);
      if (view.derive) return derivedCell(view, cells, leasts[at]!);
      if (view.index < 0) return drawn(view, 'step-cell', picture?.(number));
      return gridCell(view, cells, view.index === named ? name : null, view.index === named && status >= 0 ? String(cells[status]) : '', leasts[at]!);
    });
    if (place < 0)
      return (
        <div role="row" class="row pinned" style={{ gridTemplateColumns: tracks }}>
          {all}
        </div>
      );
    return (
      <div
        id={cells && `${id}-${place}`}
        role="row"
        aria-rowindex={place + 1 + heads}
        aria-selected={cells && selected}
        aria-busy={!cells || undefined}
        class={`row${cells ? '' : ' pending'}${selected && cells ? ' selected' : ''}${place % 2 ? ' odd' : ''}`}
        style={{ top: `${top}px`, gridTemplateColumns: tracks }}
      >
        {all}
      </div>
    );
  }
}

/** The elements of a fetched row's cell, without content. */
function pendingCell(view: ColumnView, named: number): preact.JSX.Element {
  if (view.index < 0 && !view.derive) return drawn(view, 'step-cell', null);
  if (view.numeric) return view.largest > 0 ? barCell(view, '', 0, '') : drawn(view, 'num', null);
  return drawn(view, 'txt absent', view.index === named && <NameText name="…" />);
}

function drawn(view: ColumnView, classes: string, content: preact.ComponentChildren, more?: { title?: string | undefined; style?: Record<string, string> }): preact.JSX.Element {
  return (
    <div key={view.column.name} role="gridcell" class={classes} {...more}>
      {content}
    </div>
  );
}

const COLOURS = { '1': ' delta-more', '-1': ' delta-less', '0': '' };
const ARROWS = { '1': ' up', '-1': ' down', '0': '' };

/** Pixels of a figure's widest character, and of a cell's padding. */
const LETTER = 8;
const AROUND = 12;

/** Class that truncates a text, only if it may not fit: truncation costs time in every frame. */
function cutIn(least: number, shown: string): string {
  return LETTER * shown.length > least - AROUND ? ' cut' : '';
}

function derivedCell(view: ColumnView, cells: Cell[], least: number): preact.JSX.Element {
  const { text: derived, sense = 0, chip, title } = view.derive!(cells);
  if (view.numeric) return drawn(view, `num${COLOURS[sense]}${cutIn(least, derived)}`, derived, { title });
  return drawn(view, 'txt', derived !== '' && <span class={chip ? `chip chip-${chip}` : ''}>{derived}</span>, { title });
}

function gridCell(view: ColumnView, cells: Cell[], name: string | null, status: string, least: number): preact.JSX.Element {
  const cell = cells[view.index];
  const shown = cellText(view, cell, cells);
  const absent = cell === null || cell === undefined || cell === '';
  const sense = view.isNoise?.(cells) ? 0 : meaning(view.column, cell);
  const arrow = sense === 0 ? '' : ARROWS[direction(cell as number)];
  if (view.numeric && typeof cell === 'number') {
    if (view.largest > 0) return barCell(view, shown, cell, `${COLOURS[sense]}${arrow}${cutIn(least - MIDDLE - BAR, shown)}`);
    return drawn(view, `num${COLOURS[sense]}${arrow}${cutIn(least, shown)}`, shown);
  }
  const title = absent ? tableText.notMeasured : typeof cell === 'string' ? cell : undefined;
  if (view.numeric) return drawn(view, 'num absent', shown, { title });
  const chip = text.table.chips[status];
  return (
    <div key={view.column.name} role="gridcell" class={`txt${absent ? ' absent' : ''}${cell === false ? ' strong' : ''}${view.column.role === 'key' ? ' key' : ''}`} title={title}>
      {view.column.name === 'side' ? <SideCell word={shown} /> : <NameText name={name ?? shown} />}
      {chip && (
        <span class={`chip chip-${chip.style}`} title={chip.about}>
          {chip.word}
        </span>
      )}
    </div>
  );
}

/** `baseline`, `candidate` or `both` with the badges A and B. */
function SideCell({ word }: { word: string }) {
  return (
    <span class="cell-side inline">
      {word !== 'candidate' && <Badge side="a" />}
      {word !== 'baseline' && <Badge side="b" />}
      {tableText.sides[word] ?? word}
    </span>
  );
}

/** Pixels of the longest bar, and from the end of the cell to the zero line of bars. */
const BAR = 38;
const MIDDLE = 6 + BAR;

/** A number with a bar, to the right for more and to the left for less, on a square-root scale; without a number, no bar. */
function barCell(view: ColumnView, shown: string, value: number, classes: string): preact.JSX.Element {
  // capped: rows fetched later may exceed the largest value known
  const size = Math.round(2 * Math.min(BAR, BAR * Math.sqrt(Math.abs(value) / view.largest))) / 2;
  return drawn(view, `num with-bar${classes}`, shown, {
    title: tableText.bar,
    style: { backgroundSize: `${size}px 10px, 1px ${shown === '' ? 0 : 10}px`, backgroundPositionX: `right ${value < 0 ? MIDDLE : MIDDLE - size}px, right ${MIDDLE - 0.5}px` },
  });
}
