// A finished comparison: the summary, or one of its tables.

import { useMemo } from 'preact/hooks';
import type { RowSource } from './api/api';
import { hasUtilisation } from './charts/scatter/scatter';
import type { Comparison, Table } from './contract/wire';
import { profilerView, type TableRow } from './host/profiler_views';
import { ATTRIBUTION, STRICT, SUMMARY, TIMELINES, type Tab } from './host/tab';
import type { Address } from './host/url_state';
import type { Change } from './host/use_address';
import { Message } from './states/message';
import { Caveats } from './summary/caveats';
import { Findings } from './summary/findings';
import { isSplit, ledgerTable } from './summary/ledger';
import { Verdict } from './summary/verdict';
import { WaterfallView } from './summary/waterfall_view';
import { findRow, joinKey, rowKey } from './table/order';
import { isCut, shorterStep } from './table/shown_rows';
import { hasSteps, STEPPED } from './table/step_column';
import { TableView, type FigureRows } from './table/table_view';
import { useWhole } from './table/use_whole';
import { Icon } from './ui/icons';
import { Lazy } from './ui/lazy';
import { metricWords, sentence, text } from './ui/strings';

interface Props {
  comparison: Comparison;
  /** what the comparison answers: the pair with its files as they are now, and as every route takes it */
  question: string;
  query: URLSearchParams;
  tab: string;
  tabs: Tab[];
  address: Address;
  onChange: (change: Change, push?: boolean) => void;
  /** steps that are compared of each side, `3-10`, "" for all; and how to choose others */
  chosen: Record<'a' | 'b', string>;
  onSteps: (letter: 'a' | 'b', steps: string) => void;
  /** table state of a table that was not shown before */
  fresh: Change;
  profiler: { open: (letter: 'a' | 'b', row?: TableRow) => void; hint: (letter: 'a' | 'b') => string } | null;
}

export function ResultView(props: Props) {
  const { comparison, question, query, tab, tabs, address, onChange, fresh, profiler } = props;
  const words = metricWords(comparison.headline.metric);
  const attribution = useMemo(() => ledgerTable(comparison.ledger, text.attribution(words)), [comparison]);
  if (tab === SUMMARY) return <Summary {...props} attribution={attribution} />;
  const absent = tabs.find((entry) => entry.id === tab && entry.absent !== '');
  if (absent) return <Message title={tab === STRICT ? text.strict.absent : tab === TIMELINES ? text.tabs.noTimelines : text.tabs.absent(absent.label)} hint={sentence(absent.absent || text.tabs.absentReason)} />;
  if (tab === STRICT)
    return (
      <Lazy
        load={loadStrict}
        height={600}
        props={{
          question,
          query,
          traces: comparison.baseline.format === 'torch_profiler_trace',
          headline: comparison.headline,
          words,
          address,
          onChange,
          onSummary: () => onChange({ ...fresh, tab: '' }, true),
        }}
      />
    );
  if (tab === TIMELINES) return <Lazy load={loadTimelines} height={600} props={{ question, query, address, onChange }} />;
  const table = tab === ATTRIBUTION ? attribution : comparison.tables[tab];
  if (!table) return <Message title={text.tabs.absent(tab)} hint={text.tabs.absentReason} />;
  const source = tab === ATTRIBUTION ? null : rowsOf(comparison, query, tab);
  return (
    <TableView
        key={tab}
        name={tab}
        table={table}
        source={source}
        stepped={source !== null && hasSteps(comparison, tab) ? question : ''}
        address={address}
        stepTime={shorterStep(comparison.headline.baseline, comparison.headline.candidate)}
        words={words}
        sums={!NOT_SUMMED.has(tab)}
        figure={figureOf(props, table, source)}
        onChange={onChange}
        detail={(row) => (
          <>
            {STEPPED.has(tab) && <Lazy load={loadRowSteps} height={150} props={{ question, query, table: tab, row }} />}
            {CALLED.has(tab) && tracesIn(comparison) && (
              <Lazy load={loadRowPaths} height={120} props={{ question, query, table: tab, row, comparison, tabs, attribution, onGo: (to: Change) => onChange({ ...fresh, ...to }, true) }} />
            )}
          </>
        )}
        extra={(row) =>
          profiler && (
            <ul class="profiler-links">
              {(['a', 'b'] as const).map((letter) => (
                <li key={letter}>
                  <button type="button" class="link-button" title={profiler.hint(letter)} onClick={() => profiler.open(letter, { table: tab, row })}>
                    <span class={`badge badge-${letter}`}>{letter === 'a' ? text.letterA : text.letterB}</span> {text.panel.openView(profilerView({ table: tab, row })?.label ?? '')}{' '}
                    <Icon name="open" size={12} />
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      />
  );
}

// in variables: a part is known by the function that fetches it
const loadFlame = () => import('./charts/flame/flame_view').then((part) => part.FlameView);
const loadMemory = () => import('./charts/memory/memory_view').then((part) => part.MemoryView);
const loadRowSteps = () => import('./row_details/row_steps').then((part) => part.RowStepsView);
const loadRowPaths = () => import('./row_details/row_paths_view').then((part) => part.RowPathsView);
const loadScatter = () => import('./charts/scatter/scatter_view').then((part) => part.ScatterView);
const loadStepChart = () => import('./summary/step_chart').then((part) => part.StepChart);
const loadStacks = () => import('./charts/stacks/stacks_view').then((part) => part.StacksView);
const loadStrict = () => import('./strict/strict_view').then((part) => part.StrictView);
const loadTimelines = () => import('./timelines/timelines_view').then((part) => part.StepTimelines);
const loadTimeline = () => import('./charts/launch_timeline/timeline_view').then((part) => part.TimelineView);

/** Where the rows of a table are that did not come with the comparison. */
function rowsOf(comparison: Comparison, query: URLSearchParams, table: string): RowSource | null {
  return comparison.tag === undefined ? null : { route: 'table', query, tag: comparison.tag, table, lost: lostIn(comparison) };
}

function lostIn(comparison: Comparison): number | null {
  return comparison.notes_left_out === undefined ? comparison.notes.filter((note) => note.code === 'file_failed').length : null;
}

const CALL_TREE = 'call_tree';
/** Tables whose rows lie in each other, are times of the same steps, or means of kinds: they add up to nothing. */
const NOT_SUMMED = new Set([CALL_TREE, 'ranks', 'iteration_kinds']);

/** Tables of entities of which traces tell from where they were called, or in which other tables they are. */
const CALLED = new Set(['operators', 'operators_by_shape', 'operators_by_type', 'modules', 'kernels', 'kernels_by_operator', 'kernels_by_launch', 'memcpy', 'communication']);

function tracesIn({ baseline, candidate }: Comparison): boolean {
  return [baseline, candidate].some(({ format }) => format === 'torch_profiler_trace');
}

/** What the pictures draw of a row; its keys name it. */
const SCATTER = ['name', 'baseline_tensor_active', 'baseline_dram_active', 'candidate_tensor_active', 'candidate_dram_active', 'baseline_us', 'candidate_us'];
const TIMELINE = ['index', 'place', 'candidate_name', 'status', ...SCATTER];
const STEPS = ['side', 'capture', 'step', 'total_us', 'admitted', 'reason'];

/** The picture that goes above a table, where its columns give one. */
function figureOf({ comparison, query, tab, address, onChange, chosen, onSteps }: Props, table: Table, source: RowSource | null) {
  const words = metricWords(comparison.headline.metric);
  const open = address.figure === 'open';
  const onToggle = (next: boolean): void => onChange({ figure: next ? 'open' : 'closed' });
  if (tab === CALL_TREE)
    return (rows: FigureRows) => (
      <Lazy
        load={loadFlame}
        height={open ? 267 : 50}
        props={{
          table,
          source,
          whole: words.whole,
          open,
          query: address.q,
          status: address.status,
          look: address.look,
          zoom: address.zoom,
          row: rows.key,
          onToggle,
          onLook: (look: string) => onChange({ look }),
          onZoom: (zoom: string) => onChange({ zoom }, true),
          onRow: rows.open,
        }}
      />
    );
  const curves = comparison.tables['memory_curves'];
  if ((tab === 'memory' || tab === 'memory_curves') && curves && curves.rows.length > 0)
    return () => (
      <Lazy load={loadMemory} height={open ? 322 : 50} props={{ table: curves, source: rowsOf(comparison, query, 'memory_curves'), open, look: address.look, onToggle, onLook: (look: string) => onChange({ look }) }} />
    );
  if (tab === 'steps' && table.columns.some((column) => column.name === 'cpu_exec_us'))
    return (rows: FigureRows) => (
      <Lazy load={loadStacks} height={open ? 328 : 50} props={{ table, source, words, open, look: address.look, row: rows.key, chosen, onToggle, onSteps, onLook: (look: string) => onChange({ look }), onRow: rows.open }} />
    );
  if (tab === 'kernels' && hasUtilisation(table))
    return (rows: FigureRows) => (
      <Picture table={table} source={source} columns={SCATTER} rows={rows}>
        {(whole, selected, onRow) => <Lazy load={loadScatter} height={open ? 359 : 50} props={{ table: whole, selected, open, onToggle, onRow }} />}
      </Picture>
    );
  if (tab === 'launches' && (table.total_rows ?? table.rows.length) > 0)
    return (rows: FigureRows) => (
      <Picture table={table} source={source} columns={TIMELINE} rows={rows}>
        {(whole, selected, onRow) => (
          <Lazy
            load={loadTimeline}
            height={open ? 290 : 50}
            props={{ table: whole, selected, open, colour: address.colour, onToggle, onColour: (colour: string) => onChange({ colour }), onRow }}
          />
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

/** Draws all rows of a table; of one that is very long its first ones, and says so. */
function Picture({ table, source, columns, rows, children }: PictureProps) {
  const keys = table.columns.filter((column) => column.role === 'key').map((column) => column.name);
  const { table: whole, failure } = useWhole(source, table, [...new Set([...keys, ...columns])]);
  const selected = useMemo(() => (whole && rows.key !== '' ? findRow(whole, rows.key) : -1), [whole, rows.key]);
  if (!whole) return <p class="table-notes muted late">{failure ? sentence(failure.message) : text.lazy.loading}</p>;
  return (
    <>
      {children(whole, selected, (row) => rows.open(rowKey(whole, row)))}
      {isCut(whole) && <p class="table-notes muted">{text.table.drawn(whole.rows.length, whole.total_rows ?? 0)}</p>}
    </>
  );
}

/** `part / entry` of a finding as the key of a row in the attribution table. */
function attributionKey(path: string): string {
  const cut = path.indexOf(' / ');
  return joinKey([path.slice(cut + 3), path.slice(0, cut)]);
}

function Summary({ comparison, query, attribution, address, onChange, chosen, onSteps, fresh }: Props & { attribution: Table }) {
  const showRow = (name: string, row: string): void => {
    // the ledger is drawn as the attribution table, whose keys are entry and part
    const tab = name === 'ledger' ? ATTRIBUTION : name;
    const table = name === 'ledger' ? attribution : comparison.tables[name];
    const found = table ? findRow(table, name === 'ledger' ? attributionKey(row) : row) : -1;
    // a row of a long table may not be here yet; the table looks for it by its name
    const key = table && found >= 0 ? rowKey(table, found) : table && isCut(table) ? row : '';
    // a finding's row must not be hidden by the smallest-difference filter
    onChange({ ...fresh, tab, min: 0, row: key, category: '' }, true);
  };
  const { table: stepsTable } = useWhole(rowsOf(comparison, query, 'steps'), comparison.tables['steps'], STEPS);
  const drawn = useMemo(() => (stepsTable ? { ...comparison, tables: { ...comparison.tables, steps: stepsTable } } : comparison), [comparison, stepsTable]);
  const split = isSplit(comparison.ledger);
  const spread = comparison.headline.n.some((n) => n > 1) || chosen.a !== '' || chosen.b !== '';
  return (
    <div class={`summary answer${spread || split ? '' : ' answer-one'}`}>
      <div class="answer-left">
        <Verdict comparison={comparison} />
        <Findings comparison={comparison} onEvidence={showRow} shown={address.row} />
        <Caveats comparison={comparison} />
      </div>
      {(spread || split) && (
        <div class="answer-right">
          {split && (
            <WaterfallView
              ledger={comparison.ledger}
              words={metricWords(comparison.headline.metric)}
              omitEmpty
              selected={address.category}
              onSelect={(category) => onChange({ category })}
              onAll={() => onChange({ ...fresh, tab: ATTRIBUTION, min: 0 }, true)}
            />
          )}
          {spread && (
            <Lazy
              load={loadStepChart}
              height={420}
              props={{ comparison: drawn, chosen, onSteps, onStep: (row: number) => stepsTable && onChange({ ...fresh, tab: 'steps', row: rowKey(stepsTable, row) }, true) }}
            />
          )}
        </div>
      )}
    </div>
  );
}
