// One table of a comparison, with the picture of its rows and the contents of row details.

import { useMemo } from 'preact/hooks';
import type { RowSource } from './api/api';
import { COLUMNS as FLAME } from './charts/flame/flame';
import { COLUMNS as MEMORY } from './charts/memory/curves';
import { hasRates, ROOFLINE_COLUMNS } from './charts/roofline/roofline';
import { hasUtilization, SCATTER_COLUMNS } from './charts/scatter/scatter';
import { COLUMNS as STACKS, hasParts } from './charts/stacks/stacks';
import type { Comparison, Table } from './contract/wire';
import { profilerView } from './host/profiler_views';
import { ATTRIBUTION, CALL_TREE } from './host/tab';
import type { Change } from './host/use_address';
import { rowsOf, type ResultProps } from './result';
import { hasLayers, isMerged, mergeLayers } from './table/data/layers';
import { FRESH, isDrawn, isOpen, ROOFLINE, withChart } from './host/url_state';
import { MAIN, metricOf } from './table/data/metric_choice';
import { findRow, isCut, rowKey, shorterStep } from './table/data/rows';
import { hasSteps } from './table/step_column';
import { TableView, type FigureRows, type WholePicture } from './table/table_view';
import { useAllRows } from './table/shown_rows/use_all_rows';
import { Button, LinkButton } from './ui/buttons';
import { Icon } from './ui/icons';
import { Lazy } from './ui/lazy';
import { Badge, LETTERS } from './ui/sides';
import { metricWords, sentence, text } from './ui/strings';
import { tableText } from './table/data/words';

/** Longer tables are not fetched whole to merge layers, so they show every layer. */
const MAX_MERGED = 5000;

interface Props extends ResultProps {
  table: Table;
  attribution: Table;
}

export function ResultTable(props: Props) {
  const { comparison, question, query, tab, tabs, table: given, attribution, address, onChange, profiler } = props;
  const every = tab === ATTRIBUTION ? null : rowsOf(comparison, query, tab);
  const layered = useMemo(() => hasLayers(tab, given), [tab, given]);
  // merging layers needs all rows
  const few = (given.total_rows ?? 0) <= MAX_MERGED;
  const { table: all } = useAllRows(layered && few && address.layers === '' && !isOpen(address, tab) ? every : null, given, []);
  const merged = useMemo(() => (layered && all && !isCut(all) ? mergeLayers(tab, all) : null), [layered, tab, all]);
  // layers are not merged if a link names a row that merging would hide
  const found = address.row === '' || (merged ? findRow(merged, address.row) >= 0 : isMerged(address.row));
  const together = layered && address.layers === '' && found && (address.zoom === '' || isMerged(address.zoom));
  const table = together && merged ? merged : given;
  const source = table === given ? every : null;
  // chosen from the unmerged rows, so that the table shows the metric that the menu above names
  const metric = address.metric || (metricOf(given, '', address.sort)?.name ?? '') || MAIN;
  const measure = metric === MAIN ? '' : metric;
  return (
    <TableView
        key={tab}
        name={tab}
        table={table}
        source={source}
        stepped={source !== null && hasSteps(comparison, tab) ? question : ''}
        address={table === given ? address : { ...address, metric }}
        stepTime={shorterStep(comparison.headline.baseline, comparison.headline.candidate)}
        words={metricWords(comparison.headline.metric)}
        sums={table.adds_up}
        figure={figureOf(props, source)}
        choice={layered && (few || isOpen(address, tab)) && <LayersChoice together={together} onChoose={(one) => onChange({ layers: one ? '' : 'each', row: '', zoom: '' })} />}
        whole={tab === CALL_TREE ? flameOf(props, every, together) : hasRates(table) ? rooflineOf(props, source) : undefined}
        onChange={onChange}
        detail={(row) => (
          <>
            {table.per_step && <Lazy load={loadRowSteps} height={150} props={{ question, query, table: tab, row, measure }} />}
            {table.callers && tracesIn(comparison) && (
              <Lazy load={loadRowPaths} height={120} props={{ question, query, table: tab, row, comparison, tabs, attribution, measure, onGo: (to: Change) => onChange({ ...FRESH, ...to }, true) }} />
            )}
          </>
        )}
        extra={(row) =>
          profiler && !isMerged(row) && (
            <ul class="profiler-links apart">
              {LETTERS.map((letter) => (
                <li key={letter}>
                  <LinkButton class="inline" title={profiler.hint(letter)} onClick={() => profiler.open(letter, { table: tab, row })}>
                    <Badge side={letter} /> {tableText.panel.openView(profilerView({ table: tab, row })?.label ?? '')}{' '}
                    <Icon name="open" size={12} />
                  </LinkButton>
                </li>
              ))}
            </ul>
          )
        }
      />
  );
}

// constants, because Lazy caches a part by the function that loads it
const loadFlame = () => import('./charts/flame/flame_view').then((part) => part.FlameView);
const loadMemory = () => import('./charts/memory/memory_view').then((part) => part.MemoryView);
const loadRoofline = () => import('./charts/roofline/roofline_view').then((part) => part.RooflineView);
const loadRowSteps = () => import('./row_details/row_steps').then((part) => part.RowStepsView);
const loadRowPaths = () => import('./row_details/row_paths_view').then((part) => part.RowPathsView);
const loadScatter = () => import('./charts/scatter/scatter_view').then((part) => part.ScatterView);
const loadStacks = () => import('./charts/stacks/stacks_view').then((part) => part.StacksView);
const loadTimeline = () => import('./charts/launch_timeline/timeline_view').then((part) => part.TimelineView);

function tracesIn({ baseline, candidate }: Comparison): boolean {
  return [baseline, candidate].some(({ format }) => format === 'torch_profiler_trace');
}

/** Columns that the pictures draw; the row's keys are fetched too. */
const SCATTER = ['name', ...SCATTER_COLUMNS];
const TIMELINE = ['index', 'place', 'candidate_name', 'status', ...SCATTER];

/** The call tree as a flame graph that replaces its rows. */
function flameOf({ comparison, table, address, onChange }: Props, source: RowSource | null, together: boolean): WholePicture {
  const { whole } = metricWords(comparison.headline.metric);
  const draw = (rows: FigureRows) => (
    <Picture table={table} source={source} columns={FLAME} rows={rows}>
      {(all) => <Lazy load={loadFlame} height={400} props={{ table: all, together, whole, address, onChange, onRow: rows.open }} />}
    </Picture>
  );
  return { name: tableText.flame, withStates: true, shown: isDrawn(address, CALL_TREE), onShow: (shown) => onChange({ closedCharts: withChart(address, CALL_TREE, shown) }), draw };
}

/** The toggle that merges the layers of a network into one row. */
function LayersChoice({ together, onChoose }: { together: boolean; onChoose: (together: boolean) => void }) {
  return (
    <Button class="toggle" aria-pressed={together} title={tableText.layersAbout} onClick={() => onChoose(!together)}>{tableText.layers}</Button>
  );
}

/** A roofline plot of operators that replaces the rows. */
function rooflineOf({ comparison, tab, table, address, onChange }: Props, source: RowSource | null): WholePicture {
  const draw = (rows: FigureRows) => (
    <Picture table={table} source={source} columns={ROOFLINE_COLUMNS} rows={rows}>
      {(whole, selected, onRow) => <Lazy load={loadRoofline} height={480} props={{ table: whole, peaks: comparison.peaks, query: address.q, selected, onRow }} />}
    </Picture>
  );
  return { name: tableText.roofline, withStates: false, shown: isDrawn(address, tab), onShow: (shown) => onChange({ chartOptions: shown ? ROOFLINE : '' }), draw };
}

/** The picture above a table; undefined if its columns allow none. */
function figureOf({ comparison, query, tab, table, address, onChange, chosen, onSteps }: Props, source: RowSource | null) {
  const height = (open: number): number => (isOpen(address, tab) ? open : 50);
  const curves = comparison.tables['memory_curves'];
  if (tab === 'memory' && curves && curves.rows.length > 0)
    return (rows: FigureRows) => (
      <Picture table={curves} source={rowsOf(comparison, query, 'memory_curves')} columns={MEMORY} rows={rows}>
        {(whole) => <Lazy load={loadMemory} height={height(322)} props={{ table: whole, address, onChange }} />}
      </Picture>
    );
  if (tab === 'steps' && hasParts(table))
    return (rows: FigureRows) => (
      <Picture table={table} source={source} columns={STACKS} rows={rows}>
        {(whole) => <Lazy load={loadStacks} height={height(328)} props={{ table: whole, words: metricWords(comparison.headline.metric), address, chosen, onChange, onSteps, onRow: rows.open }} />}
      </Picture>
    );
  if (tab === 'kernels' && hasUtilization(table))
    return (rows: FigureRows) => (
      <Picture table={table} source={source} columns={SCATTER} rows={rows}>
        {(whole, selected, onRow) => <Lazy load={loadScatter} height={height(359)} props={{ table: whole, selected, address, onChange, onRow }} />}
      </Picture>
    );
  if (tab === 'launches' && (table.total_rows ?? table.rows.length) > 0)
    return (rows: FigureRows) => (
      <Picture table={table} source={source} columns={TIMELINE} rows={rows}>
        {(whole, selected, onRow) => (
          <Lazy load={loadTimeline} height={height(290)} props={{ table: whole, selected, address, onChange, onRow }} />
        )}
      </Picture>
    );
  return undefined;
}

interface PictureProps {
  table: Table;
  source: RowSource | null;
  columns: string[];
  rows: FigureRows;
  children: (whole: Table, selected: number, onRow: (row: number) => void) => preact.ComponentChildren;
}

/** Fetches and draws all rows of a table; for a very long one only the first, with a note that says so. */
function Picture({ table, source, columns, rows, children }: PictureProps) {
  const keys = table.columns.filter((column) => column.role === 'key').map((column) => column.name);
  const { table: whole, failure } = useAllRows(source, table, [...new Set([...keys, ...columns])]);
  const selected = useMemo(() => (whole && rows.key !== '' ? findRow(whole, rows.key) : -1), [whole, rows.key]);
  if (!whole) return <p class="table-notes muted late small">{failure ? sentence(failure.message) : text.lazy.loading}</p>;
  return (
    <>
      {children(whole, selected, (row) => rows.open(rowKey(whole, row)))}
      {isCut(whole) && <p class="table-notes muted small">{tableText.drawn(whole.rows.length, whole.total_rows ?? 0)}</p>}
    </>
  );
}
