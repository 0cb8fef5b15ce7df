// The two small tables of the strict report.

import { useMemo, useState } from 'preact/hooks';
import type { Table } from '../contract/wire';
import { columnViews, visibleColumns } from '../table/columns';
import { Grid } from '../table/grid';
import { nextSort, sortRows, type SortKey } from '../table/order';
import { Delta } from '../ui/delta';
import { formatCount, formatIn, formatPercent, timeStyle } from '../ui/format';
import { text } from '../ui/strings';

/** Number of cycles and mean length: the rows differ in unit, which is named in each. */
export function SummaryTable({ table }: { table: Table }) {
  const at = (name: string): number => table.columns.findIndex((column) => column.name === name);
  const [metric, unit, change] = [at('metric'), at('unit'), at('change')];
  const figures = [at('normal'), at('abnormal'), at('delta')];
  return (
    <table class="measures">
      <thead>
        <tr>
          <th scope="col">{text.strict.measure}</th>
          {figures.map((index, place) => (
            <th key={index} scope="col" class={`num${[' text-a', ' text-b', ''][place]}`}>
              {table.columns[index]?.label}
            </th>
          ))}
          <th scope="col" class="num">
            {text.strict.change}
          </th>
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row) => {
          const numbers = figures.map((index) => (typeof row[index] === 'number' ? row[index] : null));
          const times = row[unit] === 'us';
          const style = timeStyle(numbers);
          const show = (value: number | null, signed: boolean): string => (times ? `${formatIn(style, value, signed)}\u202f${style.unit}` : formatCount(value, signed));
          const percent = row[change];
          return (
            <tr key={String(row[metric])}>
              <th scope="row">{row[metric]}</th>
              {numbers.map((value, place) => (
                <td key={place} class="num">
                  {place === 2 && times ? <Delta value={value}>{show(value, true)}</Delta> : show(value, place === 2)}
                </td>
              ))}
              <td class="num">{formatPercent(typeof percent === 'number' ? percent / 100 : null, true)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The i-th longest cycle of one side beside the i-th longest of the other, as long as they are. */
export function CycleTable({ table }: { table: Table }) {
  const [sort, setSort] = useState<SortKey[]>([]);
  const [selected, setSelected] = useState(-1);
  const views = useMemo(() => columnViews(table), [table]);
  const rows = useMemo(() => sortRows(table, [...table.rows.keys()], sort), [table, sort]);
  return (
    <div class="cycle-table" style={{ height: `${Math.min(270, 38 + 28 * table.rows.length)}px` }}>
      <Grid
        table={table}
        rows={rows}
        columns={visibleColumns(views, '')}
        names={null}
        sort={sort}
        id="cycle"
        selected={selected}
        onSort={(column, add) => setSort(nextSort(sort, column, true, add))}
        onSelect={setSelected}
        onOpen={setSelected}
      />
    </div>
  );
}
