// The rows that pass the filters, in the order asked for.

import { useMemo } from 'preact/hooks';
import type { RowSource } from '../../api/api';
import type { Table } from '../../contract/wire';
import type { Address } from '../../host/url_state';
import type { Query } from '../../ui/search';
import { visibleColumns, type ColumnView } from '../data/columns';
import type { Metric } from '../data/metric_choice';
import { ownOrder, parseSort, writeSort, type SortKey } from '../data/order';
import { defaultThreshold, deltaIndexes, hasNamedRows, isCut } from '../data/rows';
import { askedOf, localRows, type ShownRows } from './shown_rows';
import { useRemoteRows, type RemoteRows } from './use_remote_rows';

interface Setting {
  address: Address;
  /** the search, as words for the server and as read here */
  words: string;
  query: Query;
  /** the table's own columns, and these with the computed ones */
  views: ColumnView[];
  every: ColumnView[];
  metric: Metric | null;
  grouped: boolean;
  stepTime: number | null;
}

interface ChosenRows {
  shown: ShownRows;
  remote: RemoteRows;
  /** the order asked for, and the one to name in the head */
  sort: SortKey[];
  named: SortKey[];
  /** the time difference that rows are ordered and summed by */
  summed: ColumnView | undefined;
  /** smallest |difference| as a fraction of the step; null if the table has no difference to filter by */
  minimum: number | null;
  /** whether any filter is set */
  filtered: boolean;
}

/** `first` are the rows that came with the comparison, `base` those that are held; if `source` is null, no others are fetched. */
export function useChosenRows(first: Table, base: Table, source: RowSource | null, { address, words, query, views, every, metric, grouped, stepTime }: Setting): ChosenRows {
  const deltaName = first.columns[metric?.delta ?? deltaIndexes(first)[0] ?? -1]?.name ?? '';
  const own = useMemo(() => (metric ? [] : ownOrder(base, visibleColumns(views, '').map(({ column }) => column))), [base, views, metric]);
  const bySize: SortKey[] = deltaName !== '' && own.length === 0 && !grouped && hasNamedRows(first) ? [{ column: deltaName, descending: true, size: true }] : [];
  const asked = parseSort(address.sort).map((key): SortKey => {
    const view = every.find(({ column }) => column.name === key.column);
    return { ...key, of: view?.order, asks: view?.asks };
  });
  const sort = address.sort === '' ? bySize : asked;
  // a search must find rows however little they changed
  const searching = address.q !== '' || address.status !== 'all';
  // 0 for single launches: each is short, and their order matters
  const usual = searching ? 0 : defaultThreshold(first);
  const minimum = stepTime !== null && deltaName !== '' ? (address.min ?? usual) : null;
  const category = address.category === '' ? null : address.category;
  const least = (minimum ?? 0) * (stepTime ?? 0);
  const local = useMemo(
    () => localRows(base, { query, category, status: address.status, minDelta: least, clear: address.clear }, sort, (address.min ?? 0) * (stepTime ?? 0)),
    [base, address.min, query, category, address.status, address.clear, least, writeSort(sort)],
  );
  const remote = useRemoteRows(isCut(first) ? source : null, first, askedOf({ q: words, status: address.status, category, clear: address.clear, least, sort }), address.row);
  return {
    shown: remote.shown ?? local,
    remote,
    sort,
    named: sort.length > 0 ? sort : own,
    summed: views.find(({ column }) => column.name === deltaName),
    minimum,
    filtered: searching || address.clear || category !== null || (minimum ?? 0) > 0,
  };
}
