// Above a table: its search, then a toolbar with filters and the choice of columns.

import { roleAt, type Table } from '../contract/wire';
import { CHANGES, type Address, type StatusFilter } from '../host/url_state';
import type { Change } from '../host/use_address';
import { Button, FilterChip, LinkButton } from '../ui/buttons';
import { Icon } from '../ui/icons';
import { Fold } from '../ui/controls/fold';
import { Menu } from '../ui/controls/menu';
import { SearchBox } from '../ui/controls/search_box';
import { Segments } from '../ui/controls/segments';
import { Select } from '../ui/controls/select';
import { Toolbar } from '../ui/controls/toolbar';
import { text } from '../ui/strings';
import { toggleColumn, visibleColumns, type ColumnView } from './data/columns';
import { metricsOf } from './data/metric_choice';
import { fullLabel } from './data/metrics';
import { categoryIndex, changeIndexes, qIndexes } from './data/order';
import { formatCount, formatSetting } from '../ui/format';
import { words as stepWords } from './step_lines/words';
import { tableText } from './data/words';

/** Choices of the smallest |Δ| shown, as fractions of the shorter side's step. */
const MINIMA = [0, 0.0001, 0.001, 0.005, 0.01];

interface Props {
  table: Table;
  /** number of rows with a status */
  withStatus: (status: StatusFilter) => number;
  views: ColumnView[];
  address: Address;
  /** null if the table has no difference to filter by */
  minimum: number | null;
  error: string;
  /** what fractions refer to: step, cycle */
  whole: string;
  /** whether rows are listed; a picture in their place has no columns and is filtered by search and, if `withStates`, status */
  listed: boolean;
  withStates: boolean;
  onChange: (change: Change) => void;
  children: preact.ComponentChildren;
}

export function TableTools({ table, withStatus, views, address, minimum, error, whole, listed, withStates, onChange, children }: Props) {
  const hasCategory = listed && categoryIndex(table) >= 0;
  const choices = withStates ? statusChoices(table, withStatus, address.status) : [];
  const filters = minimum !== null || hasCategory || (listed && address.category !== '') || choices.length > 1;
  const problem = error && tableText.badRegex(error);
  const filtered = address.status !== 'all' || address.clear || address.category !== '';
  return (
    <div class="toolbar wrap">
      <SearchBox value={address.q} problem={problem} onSearch={(q) => onChange({ q })} />
      {problem && (
        <span class="error-text small" role="alert">
          {problem}
        </span>
      )}
      <Toolbar class="contents" label={tableText.tools}>
      {filters && <Fold label={tableText.filters} icon="filter" marked={filtered}>
      {minimum !== null && (
        <Select
          label={tableText.minDelta}
          value={String(minimum)}
          options={[...new Set([...MINIMA, minimum])].map((value) => [String(value), value === 0 ? tableText.minAll : tableText.minOf(formatSetting(value), whole)])}
          onChoose={(value) => onChange({ min: Number(value) })}
        />
      )}
      {choices.length > 1 && (
        <Segments all={choices} chosen={([choice]) => address.status === choice} name={([, label]) => label} title={([, , about]) => about} onChoose={([status]) => onChange({ status })} />
      )}
      {listed && (address.clear || qIndexes(table).length > 0) && (
        <Button class="toggle" aria-pressed={address.clear} title={tableText.sureAbout} onClick={() => onChange({ clear: !address.clear })}>
          <Icon name="filter" size={14} />
          {tableText.sure}
        </Button>
      )}
      {hasCategory && <CategoryChoice table={table} value={address.category} onChange={(category) => onChange({ category })} />}
      {listed && address.category !== '' && !hasCategory && (
        <FilterChip class="chip-idle" title={tableText.clear} onClick={() => onChange({ category: '' })}>{tableText.categoryMissing(address.category)}</FilterChip>
      )}
      </Fold>}
      <span class="spacer" />
      {listed && address.sort !== '' && <LinkButton onClick={() => onChange({ sort: '' })}>{tableText.usualOrder}</LinkButton>}
      {listed && <ColumnMenu table={table} views={views} chosen={address.columns} onChange={(columns) => onChange({ columns })} />}
      {children}
      </Toolbar>
    </div>
  );
}

/** Choice among the parts of the step that the rows held belong to. */
function CategoryChoice({ table, value, onChange }: { table: Table; value: string; onChange: (category: string) => void }) {
  const index = categoryIndex(table);
  const found = new Set([...table.rows.map((row) => String(row?.[index] ?? '')), value]);
  found.delete('');
  return <Select label={tableText.part} value={value} options={[['', tableText.anyPart], ...[...found].sort().map((part): [string, string] => [part, tableText.category(part)])]} onChoose={onChange} />;
}

/** What rows can be filtered by: the statuses that any of them has, however the other filters stand, and changes. */
function statusChoices(table: Table, count: Props['withStatus'], value: StatusFilter): [StatusFilter, label: string, about: string][] {
  const status = roleAt(table, 'status');
  const occurs = (word: StatusFilter): boolean => word === value || count(word) > 0 || table.rows.some((cells) => cells[status] === word);
  const changes = changeIndexes(table).length > 0 ? CHANGES : [];
  return [
    ['all', tableText.all, ''],
    ...(['added', 'removed', 'replaced'] as const).filter(occurs).map((word): [StatusFilter, string, string] => [word, `${tableText[word]} ${formatCount(count(word))}`, text.table.chips[word]!.about]),
    ...changes.map((word): [StatusFilter, string, string] => [word, tableText.changes[word], tableText.changesAbout[word]]),
  ];
}

function ColumnMenu({ table, views, chosen, onChange }: { table: Table; views: ColumnView[]; chosen: string; onChange: (chosen: string) => void }) {
  const shown = new Set(visibleColumns(views, chosen).map((view) => view.column.name));
  const free = views.filter(({ column }) => column.role !== 'key' && column.role !== 'status');
  const metrics = metricsOf(table);
  return (
    <Menu label={tableText.columns} icon="columns" align="right">
      {() => (
        <>
          <ul class="checks">
            {free.map(({ column, index, derive }) => (
              <li key={column.name}>
                <label class="line hover" title={column.description}>
                  <input type="checkbox" checked={shown.has(column.name)} onChange={() => onChange(toggleColumn(views, chosen, column.name))} />
                  <span>{index < 0 ? column.label : fullLabel(column, metrics)}</span>
                  <span class="muted">{index >= 0 ? tableText.kinds[column.kind] : derive ? '' : stepWords.lines.kind}</span>
                </label>
              </li>
            ))}
          </ul>
          {chosen !== '' && (
            <LinkButton onClick={() => onChange('')}>{tableText.resetColumns}</LinkButton>
          )}
        </>
      )}
    </Menu>
  );
}
