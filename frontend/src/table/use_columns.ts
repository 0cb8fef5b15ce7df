// Which columns of a table are shown: those of the chosen metric, as far as they fit.

import { useMemo } from 'preact/hooks';
import type { Table } from '../contract/wire';
import type { Address } from '../host/url_state';
import { PHONE } from '../ui/controls/fold';
import type { MetricWords } from '../ui/strings';
import { useMatches } from '../ui/use_matches';
import { columnViews, cutToFit, differencesOnly, figuresFirst, oneBar, visibleColumns, type ColumnView } from './data/columns';
import { leastWidth, readWidths } from './data/column_tracks';
import { metricOf, type Metric } from './data/metric_choice';
import { metricColumns, textsWithin } from './data/metrics';
import { nameIndex } from './data/rows';
import { drawnMeasure, STEP_COLUMN, STEP_COLUMN_ROOM, stepColumn } from './step_column';

/** Columns hidden in this order while there is too little room: a row's details repeat them. Phones scroll sideways instead. */
const MIN_NEEDED = ['per_call', 'calls', 'step_percent', 'row_percent'];

interface Setting {
  address: Address;
  /** whether columns are grouped, so that all of them are shown instead of one metric's */
  grouped: boolean;
  /** whether rows have times of several steps */
  stepped: boolean;
  stepTime: number | null;
  words: MetricWords;
  /** pixels beside a row's details, and whether those are open */
  room: number;
  details: boolean;
}

interface ShownColumns {
  /** the table's own columns */
  views: ColumnView[];
  /** these and the computed ones, in order */
  every: ColumnView[];
  /** the same; those that do not fit are marked as not shown */
  choices: ColumnView[];
  /** those drawn */
  columns: ColumnView[];
  widths: Record<string, number>;
  metric: Metric | null;
  /** the time whose steps are drawn */
  measure: string;
}

/** `first` are the rows that came with the comparison, `base` those that are held. */
export function useColumns(first: Table, base: Table, { address, grouped, stepped, stepTime, words, room, details }: Setting): ShownColumns {
  const views = useMemo(() => columnViews(base), [base]);
  const metric = useMemo(() => (grouped ? null : metricOf(first, address.metric, address.sort)), [first, grouped, address.metric, address.sort]);
  const measure = drawnMeasure(base, metric?.name ?? '');
  const every = useMemo(() => {
    const steps = stepped ? stepColumn(views, measure, metric?.name ?? '', words) : null;
    if (!metric) return views;
    return metricColumns(views, base, metric, stepTime, words, steps);
  }, [views, metric, stepped, measure, words, stepTime]);
  const widths = useMemo(() => readWidths(address.widths), [address.widths]);
  // the step column is the first to be hidden
  const usualOnes = visibleColumns(every, address.columns).filter(({ column }) => column.name !== STEP_COLUMN);
  const fits = room >= leastWidth(usualOnes, widths) + STEP_COLUMN_ROOM;
  const choices = useMemo(() => {
    if (fits) return every;
    const others = every.map((view) => (view.column.name === STEP_COLUMN ? { ...view, column: { ...view.column, shown: false } } : view));
    return metric ? textsWithin(others, (shown) => room >= leastWidth(visibleColumns(shown, ''), widths)) : others;
  }, [every, fits, metric, room, widths]);
  const phone = useMatches(PHONE);
  // the same array while nothing changes, so that rows on screen are not drawn again when others arrive
  const columns = useMemo(() => {
    const chosen = oneBar(visibleColumns(choices, address.columns));
    const usual = address.columns === '';
    const gives = usual && (details || !phone) ? MIN_NEEDED : [];
    const given = gives.reduce((left, name) => (room < leastWidth(left, widths) ? left.filter(({ column }) => column.name !== name) : left), chosen);
    const fits = (left: ColumnView[]): boolean => room >= leastWidth(left, widths);
    const compared = usual && !metric && !grouped && !fits(given) ? differencesOnly(given) : given;
    const fitting = usual && !grouped && !phone ? cutToFit(compared, fits) : compared;
    return phone ? figuresFirst(fitting, nameIndex(first), first.rows) : fitting;
  }, [choices, address.columns, details, phone, room, widths, metric, grouped, first]);
  return { views, every, choices, columns, widths, metric, measure };
}
