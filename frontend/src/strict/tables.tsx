// The small tables of the strict report.

import { useMemo, useState } from 'preact/hooks';
import type { Table } from '../contract/wire';
import { columnViews, visibleColumns } from '../table/columns';
import { Grid } from '../table/grid';
import { nextSort, sortRows, type SortKey } from '../table/order';

/** A table as it is, in an order that can be changed. */
export function SmallTable({ table }: { table: Table }) {
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
        id={table.title.replace(/\W/g, '')}
        selected={selected}
        onSort={(column, add) => setSort(nextSort(sort, column, true, add))}
        onSelect={setSelected}
        onOpen={setSelected}
      />
    </div>
  );
}
