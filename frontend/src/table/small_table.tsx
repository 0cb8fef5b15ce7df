// A sortable table without toolbar, as high as its rows up to a limit, or as its place.

import { useMemo, useState } from 'preact/hooks';
import type { Table } from '../contract/wire';
import { columnViews, visibleColumns } from './data/columns';
import { nextSort, sortRows, type SortKey } from './data/order';
import { Grid } from './grid';

interface Props {
  table: Table;
  /** in pixels; without a limit, it fills its place */
  highest?: number;
  /** takes the number of a row that is clicked */
  onOpen?: (row: number) => void;
}

export function SmallTable({ table, highest, onOpen }: Props) {
  const [sort, setSort] = useState<SortKey[]>([]);
  const [selected, setSelected] = useState(-1);
  const views = useMemo(() => columnViews(table), [table]);
  const rows = useMemo(() => sortRows(table, [...table.rows.keys()], sort), [table, sort]);
  return (
    <div class="small-grid" style={highest === undefined ? undefined : { height: `${Math.min(highest, 38 + 28 * table.rows.length)}px` }}>
      <Grid
        table={table}
        rows={rows}
        columns={visibleColumns(views, '')}
        sort={sort}
        id={table.title.replace(/\W/g, '')}
        selected={selected}
        onSort={(column, add) => setSort(nextSort(sort, column, views.find((view) => view.column.name === column)!.numeric, add))}
        onSelect={setSelected}
        onOpen={(place) => {
          setSelected(place);
          onOpen?.(rows[place]!);
        }}
      />
    </div>
  );
}
