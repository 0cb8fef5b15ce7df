// The choice of the time or rate that a table shows. Where exposed time, the usual one, is not known it says why.

import { useMemo } from 'preact/hooks';
import type { Table } from './contract/wire';
import { Select } from './ui/controls/select';
import { EXPOSED, MAIN, metricOf, metricsOf, ratesOf } from './table/metric_choice';
import { tableText } from './table/words';

interface Props {
  /** the table's name */
  id: string;
  table: Table;
  /** what a link names, and the order of the rows */
  metric: string;
  sort: string;
  onMetric: (metric: string) => void;
}

/** Nothing where the table has one time and no word of another. */
export function MetricMenu({ id, table, metric, sort, onMetric }: Props) {
  const choices = useMemo(() => [...metricsOf(table), ...ratesOf(table)], [table]);
  const shown = useMemo(() => metricOf(table, metric, sort), [table, metric, sort]);
  const missing = choices.length > 0 && !choices.some(({ name }) => name === EXPOSED) && tableText.exposedMissing[id];
  if (choices.length === 0 || (choices.length < 2 && !missing)) return null;
  const all = choices.map(({ name, label }): [string, string] => [name || MAIN, (id === 'call_tree' && tableText.ofFrames[name]) || label]);
  return (
    <label class="metric-choice line muted" title={missing || undefined}>
      {tableText.metric}
      <Select
        value={(shown?.rate ?? shown)?.name || MAIN}
        options={missing ? [...all, [EXPOSED, `${tableText.exposed}: ${missing}`, true]] : all}
        onChoose={onMetric}
      />
    </label>
  );
}
