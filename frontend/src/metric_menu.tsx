// The choice of the time or rate that a table shows. If exposed time, the default, is unknown, the menu says why.

import { useMemo } from 'preact/hooks';
import type { Table } from './contract/wire';
import { Select } from './ui/controls/select';
import { EXPOSED, MAIN, metricOf, metricsOf, ratesOf } from './table/data/metric_choice';
import { tableText } from './table/data/words';

interface Props {
  /** the table's name */
  id: string;
  table: Table;
  /** metric and sort order, as in the address */
  metric: string;
  sort: string;
  onMetric: (metric: string) => void;
}

/** Draws nothing if the table has at most one metric, unless it must say why exposed time is missing. */
export function MetricMenu({ id, table, metric, sort, onMetric }: Props) {
  const shown = useMemo(() => metricOf(table, metric, sort), [table, metric, sort]);
  const choices = useMemo(() => {
    // leaves out times that no row has, such as device time without a device
    const some = metricsOf(table).filter(({ name, a, b }) => name === shown?.name || table.rows.some((row) => row[a] || row[b]));
    const first = ({ name }: { name: string }): number => Number(name !== EXPOSED);
    return [...some.sort((one, other) => first(one) - first(other)), ...ratesOf(table)];
  }, [table, shown]);
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
