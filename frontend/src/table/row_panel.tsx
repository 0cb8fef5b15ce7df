// Everything about one row: its full name, every column, and what the columns mean.

import type { Cell, Table } from '../contract/wire';
import { CopyName } from '../host/copy_name';
import { Delta } from '../ui/delta';
import { Button, IconButton } from '../ui/buttons';
import { Facts, type Fact } from '../ui/controls/facts';
import { Measures } from '../ui/controls/measures';
import { adoptSheet } from '../ui/sheets';
import { text } from '../ui/strings';
import { cellText, headerUnit, meaning, type ColumnView } from './data/columns';
import { fittedToRow, rowParts } from './data/row_parts';
import { nameIndex, rowKey } from './data/rows';
import { tableText } from './data/words';
import css from './row_panel.css?inline';

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

export function RowPanel({ width, leading, table, views, row, onMove, onClose, isPinned, onPin, picture, children }: Props) {
  const cells = table.rows[row] ?? [];
  const keys = views.filter((view) => view.column.role === 'key');
  // a side alone does not name a row: such rows are named by all of their keys
  const isNamedByAll = keys[0]?.column.name === 'side';
  const name = isNamedByAll ? rowKey(table, row) : String(cells[Math.max(0, nameIndex(table))] ?? '');
  const otherKeys = isNamedByAll ? [] : keys.filter((view) => view.index !== nameIndex(table));
  const { measures, facts, statistics } = rowParts(views, cells, name, leading);
  const status = views.find((view) => view.column.role === 'status');
  const chip = status && text.table.chips[String(cells[status.index])];
  const value = (view: ColumnView | null): preact.ComponentChildren => view && <Value view={view} cell={cells[view.index]} cells={cells} />;
  const fact = (view: ColumnView): Fact => [view.column.label, value(view), view.column.description];
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
      {otherKeys.map((view) => (
        <p key={view.column.name} class="second-key">
          <span class="muted">{view.column.label}</span> {String(cells[view.index] ?? '')}
        </p>
      ))}
      {measures.length > 0 && <Measures lines={measures.map((measure) => ({ label: measure.label, title: measure.a.column.description, figures: fittedToRow(measure, cells).map(value) }))} />}
      {picture}
      <Facts class="facts-list" facts={facts.map(fact)} />
      {children}
      {statistics.length > 0 && (
        <details class="statistics soft apart">
          <summary>{tableText.panel.statistics}</summary>
          <Facts class="facts-list" facts={statistics.map(fact)} />
        </details>
      )}
      <details class="definitions soft apart">
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
  return typeof cell === 'number' && sense !== 0 ? <Delta value={cell} sense={sense}>{withUnit}</Delta> : <span>{withUnit}</span>;
}
