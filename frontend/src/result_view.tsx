// A finished comparison: the summary, or one of its tables.

import { useMemo } from 'preact/hooks';
import { Caveats } from './caveats';
import { Findings } from './findings';
import type { Address } from './hash';
import { Icon } from './icons';
import { Lazy } from './lazy';
import { isSplit, ledgerTable } from './ledger';
import { StepChart } from './step_chart';
import { Message } from './states';
import { metricWords, sentence, text } from './strings';
import { ATTRIBUTION, STRICT, SUMMARY, type Tab } from './tabs';
import { TableView } from './table_view';
import type { Change } from './use_address';
import { Verdict, VerdictLine } from './verdict';
import { WaterfallView } from './waterfall_view';
import { findRow, joinKey, rowKey } from './order';
import { hasUtilisation } from './scatter';
import type { Comparison, Table } from './wire';

interface Props {
  comparison: Comparison;
  /** what the comparison answers: the pair with its files as they are now, and as every route takes it */
  question: string;
  query: URLSearchParams;
  tab: string;
  tabs: Tab[];
  address: Address;
  onChange: (change: Change, push?: boolean) => void;
  /** table state of a table that was not shown before */
  fresh: Change;
  profiler: { open: (letter: 'a' | 'b') => void; hint: (letter: 'a' | 'b') => string } | null;
}

export function ResultView({ comparison, question, query, tab, tabs, address, onChange, fresh, profiler }: Props) {
  const words = metricWords(comparison.headline.metric);
  const attribution = useMemo(() => ledgerTable(comparison.ledger, text.attribution(words)), [comparison]);
  if (tab === SUMMARY) return <Summary comparison={comparison} attribution={attribution} address={address} onChange={onChange} fresh={fresh} />;
  const absent = tabs.find((entry) => entry.id === tab && entry.absent !== '');
  if (absent) return <Message title={tab === STRICT ? text.strict.absent : text.tabs.absent(absent.label)} hint={sentence(absent.absent || text.tabs.absentReason)} />;
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
  const table = tab === ATTRIBUTION ? attribution : comparison.tables[tab];
  if (!table) return <Message title={text.tabs.absent(tab)} hint={text.tabs.absentReason} />;
  return (
    <>
      <VerdictLine headline={comparison.headline} />
      <TableView
        key={tab}
        name={tab}
        table={table}
        address={address}
        stepTime={comparison.headline.baseline}
        words={words}
        figure={figureOf(tab, table, address, onChange)}
        onChange={onChange}
        extra={
          profiler && (
            <ul class="profiler-links">
              {(['a', 'b'] as const).map((letter) => (
                <li key={letter}>
                  <button type="button" class="link-button" title={profiler.hint(letter)} onClick={() => profiler.open(letter)}>
                    <span class={`badge badge-${letter}`}>{letter === 'a' ? text.letterA : text.letterB}</span> {text.panel.open}{' '}
                    <Icon name="open" size={12} />
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      />
    </>
  );
}

// in variables: a part is known by the function that fetches it
const loadScatter = () => import('./scatter_view').then((part) => part.ScatterView);
const loadStrict = () => import('./strict_view').then((part) => part.StrictView);
const loadTimeline = () => import('./timeline_view').then((part) => part.TimelineView);

/** The picture that goes above a table, where its columns give one. */
function figureOf(tab: string, table: Table, address: Address, onChange: Props['onChange']) {
  const open = address.figure === 'open';
  const onToggle = (next: boolean): void => onChange({ figure: next ? 'open' : 'closed' });
  if (tab === 'kernels' && hasUtilisation(table))
    return (rows: { selected: number; open: (row: number) => void }) => (
      <Lazy load={loadScatter} height={open ? 359 : 50} props={{ table, selected: rows.selected, open, onToggle, onRow: rows.open }} />
    );
  if (tab === 'launches' && table.rows.length > 0)
    return (rows: { selected: number; open: (row: number) => void }) => (
      <Lazy
        load={loadTimeline}
        height={open ? 290 : 50}
        props={{ table, selected: rows.selected, open, colour: address.colour, onToggle, onColour: (colour: string) => onChange({ colour }), onRow: rows.open }}
      />
    );
  return undefined;
}

/** `part / entry` of a finding as the key of a row in the attribution table. */
function attributionKey(path: string): string {
  const cut = path.indexOf(' / ');
  return joinKey([path.slice(cut + 3), path.slice(0, cut)]);
}

type SummaryProps = Pick<Props, 'comparison' | 'address' | 'onChange' | 'fresh'> & { attribution: Table };

function Summary({ comparison, attribution, address, onChange, fresh }: SummaryProps) {
  const showRow = (name: string, row: string): void => {
    // the ledger is drawn as the attribution table, whose keys are entry and part
    const tab = name === 'ledger' ? ATTRIBUTION : name;
    const table = name === 'ledger' ? attribution : comparison.tables[name];
    const found = table ? findRow(table, name === 'ledger' ? attributionKey(row) : row) : -1;
    // a finding's row must not be hidden by the smallest-difference filter
    onChange({ ...fresh, tab, min: 0, row: table && found >= 0 ? rowKey(table, found) : '', category: '' }, true);
  };
  const stepsTable = comparison.tables['steps'];
  const spread = comparison.headline.n.some((n) => n > 1);
  return (
    <div class="summary">
      <Verdict comparison={comparison} />
      <Caveats comparison={comparison} />
      <div class={`answer${spread && isSplit(comparison.ledger) ? '' : ' answer-one'}`}>
        <Findings comparison={comparison} onEvidence={showRow} />
        {isSplit(comparison.ledger) && (
          <WaterfallView
            ledger={comparison.ledger}
            words={metricWords(comparison.headline.metric)}
            omitEmpty={comparison.headline.metric !== 'step_time'}
            selected={address.category}
            onSelect={(category) => onChange({ category })}
            onAll={() => onChange({ ...fresh, tab: ATTRIBUTION, min: 0 }, true)}
          />
        )}
        {spread && <StepChart comparison={comparison} onStep={(row) => stepsTable && onChange({ ...fresh, tab: 'steps', row: rowKey(stepsTable, row) }, true)} />}
      </div>
    </div>
  );
}
