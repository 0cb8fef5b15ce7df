// Everything about one row: its full name, every column, and what the columns mean.

import type { Cell, Table } from '../contract/wire';
import { CopyName } from '../host/copy_name';
import { Delta } from '../ui/delta';
import { timeStyle } from '../ui/format';
import { Button, IconButton } from '../ui/buttons';
import { Facts, type Fact } from '../ui/controls/facts';
import { Measures } from '../ui/controls/measures';
import { adoptSheet } from '../ui/sheets';
import { text } from '../ui/strings';
import { cellText, headerUnit, meaning, type ColumnView } from './data/columns';
import { isMeasuredDelta, nameIndex, rowKey } from './data/rows';
import css from './row_panel.css?inline';
import { tableText } from './data/words';

adoptSheet(css);

interface Props {
  /** in pixels; null for the table's width */
  width: number | null;
  /** the measure listed first, as columns name it */
  leading: string;
  table: Table;
  views: ColumnView[];
  row: number;
  onMove: (step: 1 | -1) => void;
  onClose: () => void;
  isPinned: boolean;
  onPin: () => void;
  picture: preact.ComponentChildren;
  children: preact.ComponentChildren;
}

const PIN = 'Keep the row in view below the table header (p)';

/** Longer texts take their own lines, so that figures stay in view. */
const LONG = 24;

interface Measure {
  label: string;
  a: ColumnView | null;
  b: ColumnView | null;
  delta: ColumnView | null;
}

/** Groups the columns of one measure (A, B, difference) into one line; `others` are the rest, without keys and status. */
export function measuresOf(views: ColumnView[]): { measures: Measure[]; others: ColumnView[] } {
  const groups = new Map<string, ColumnView[]>();
  for (const view of views) {
    if (view.column.side === '' && !isMeasuredDelta(view.column)) continue;
    const key = view.column.measure;
    groups.set(key, [...(groups.get(key) ?? []), view]);
  }
  const measures: Measure[] = [];
  const used = new Set<ColumnView>();
  for (const group of groups.values()) {
    const of = (test: (view: ColumnView) => boolean): ColumnView | null => group.find(test) ?? null;
    const a = of((view) => view.column.side === 'baseline');
    const b = of((view) => view.column.side === 'candidate');
    const delta = of((view) => isMeasuredDelta(view.column));
    if (!a || !b) continue;
    for (const view of [a, b, delta]) if (view) used.add(view);
    measures.push({ label: measureLabel(a, b), a, b, delta });
  }
  const others = views.filter((view) => !used.has(view) && view.column.role !== 'key' && view.column.role !== 'status');
  return { measures, others };
}

/** Common prefix of both labels: `Calls A` and `Calls B` give `Calls`. A bare `A` is the table's main measure. */
function measureLabel(a: ColumnView, b: ColumnView): string {
  const [left, right] = [a.column.label, b.column.label];
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  return left.slice(0, same).replace(/[\s_(]+$/, '') || tableText.panel.main[a.column.kind];
}

export function RowPanel({ width, leading, table, views, row, onMove, onClose, isPinned, onPin, picture, children }: Props) {
  const cells = table.rows[row] ?? [];
  const keys = views.filter((view) => view.column.role === 'key');
  // a side alone does not name a row: such rows are named by all of their keys
  const name = keys[0]?.column.name === 'side' ? rowKey(table, row) : String(cells[Math.max(0, nameIndex(table))] ?? '');
  const { measures: paired, others } = measuresOf(views);
  const isLong = ({ a, b }: Measure): boolean => [a, b].some((view) => view?.column.kind === 'text' && String(cells[view.index] ?? '').length > LONG);
  const all = paired.filter((measure) => !isLong(measure));
  const texts = paired.filter(isLong).flatMap(({ a, b }) => [a!, b!]);
  const ordered = [...all].sort((one, other) => Number(other.a!.column.measure === leading) - Number(one.a!.column.measure === leading));
  const measures = ordered.filter((measure) => [measure.a, measure.b].some((view) => view && cells[view.index] !== null && cells[view.index] !== undefined && cells[view.index] !== ''));
  const status = views.find((view) => view.column.role === 'status');
  const chip = status && text.table.chips[String(cells[status.index])];
  // leaves out texts that are empty or repeat the name above
  const shown = [...others, ...texts].filter((view) => cells[view.index] !== name && !(view.column.kind === 'text' && !cells[view.index]));
  const statistics = shown.filter(({ column }) => column.statistic !== 'value');
  const value = (view: ColumnView | null): preact.ComponentChildren => view && <Value view={view} cell={cells[view.index]} cells={cells} />;
  const fact = (view: ColumnView): Fact => [view.column.label, value(view), view.column.description];
  /** in the unit that suits this row rather than the whole column */
  const fitted = ({ a, b, delta }: Measure): (ColumnView | null)[] => {
    if (!a?.style) return [a, b, delta];
    const times = [a, b, delta].map((view) => (view ? cells[view.index] : null));
    const style = timeStyle(times.filter((time) => typeof time === 'number'));
    return [a, b, delta].map((view) => view && { ...view, style });
  };
  return (
    <aside class="panel row-panel" aria-label={tableText.panel.region} style={width === null ? undefined : { width: `${width}px` }}>
      <header>
        <IconButton icon="up" label={tableText.panel.previous} onClick={() => onMove(-1)} />
        <IconButton icon="down" label={tableText.panel.next} onClick={() => onMove(1)} />
        <span class="spacer" />
        <Button class="toggle" aria-pressed={isPinned} title={PIN} onClick={onPin}>Pin</Button>
        <CopyName name={name} />
        <IconButton icon="close" label={text.panel.close} onClick={onClose} />
      </header>
      <h2 class="full-name">{name}</h2>
      {chip && <span class={`chip chip-${chip.style}`}>{chip.about}</span>}
      {(keys[0]?.column.name === 'side' ? [] : keys.filter((view) => view.index !== nameIndex(table))).map((view) => (
        <p key={view.column.name} class="second-key">
          <span class="muted">{view.column.label}</span> {String(cells[view.index] ?? '')}
        </p>
      ))}
      {measures.length > 0 && <Measures lines={measures.map((measure) => ({ label: measure.label, title: measure.a?.column.description, figures: fitted(measure).map(value) }))} />}
      {picture}
      <Facts class="facts-list" facts={shown.filter((view) => !statistics.includes(view)).map(fact)} />
      {children}
      {statistics.length > 0 && (
        <details class="statistics soft">
          <summary>{tableText.panel.statistics}</summary>
          <Facts class="facts-list" facts={statistics.map(fact)} />
        </details>
      )}
      <details class="definitions soft">
        <summary>{tableText.panel.definitions}</summary>
        <Facts facts={views.flatMap(({ column: { label, description } }) => (description === '' ? [] : [[label, description]]))} />
      </details>
    </aside>
  );
}

function Value({ view, cell, cells }: { view: ColumnView; cell: Cell | undefined; cells: Cell[] }) {
  const shown = cellText(view, cell, cells);
  const unit = typeof cell === 'number' ? headerUnit(view) : '';
  const withUnit = unit ? `${shown}\u202f${unit}` : shown;
  if (cell === null || cell === undefined) return <span title={tableText.notMeasured}>{shown}</span>;
  const sense = meaning(view.column, cell);
  if (typeof cell === 'number' && sense !== 0)
    return (
      <Delta value={cell} sense={sense}>
        {withUnit}
      </Delta>
    );
  return <span>{withUnit}</span>;
}
