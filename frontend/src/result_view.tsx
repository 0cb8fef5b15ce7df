// A finished comparison: the summary, or one of its tables.

import { useMemo } from 'preact/hooks';
import { Caveats } from './caveats';
import { Findings } from './findings';
import type { Address } from './hash';
import { Icon } from './icons';
import { ledgerTable } from './ledger';
import { StepChart } from './step_chart';
import { Message } from './states';
import { text } from './strings';
import { ATTRIBUTION, SUMMARY, type Tab } from './tabs';
import { TableView } from './table_view';
import type { Change } from './use_address';
import { Verdict, VerdictLine } from './verdict';
import { WaterfallView } from './waterfall_view';
import { findRow, joinKey, rowKey } from './order';
import type { Comparison, Table } from './wire';

interface Props {
  comparison: Comparison;
  tab: string;
  tabs: Tab[];
  address: Address;
  onChange: (change: Change, push?: boolean) => void;
  /** table state of a table that was not shown before */
  fresh: Change;
  profiler: { open: (letter: 'a' | 'b') => void; hint: (letter: 'a' | 'b') => string } | null;
}

export function ResultView({ comparison, tab, tabs, address, onChange, fresh, profiler }: Props) {
  const attribution = useMemo(() => ledgerTable(comparison.ledger, text.attribution), [comparison]);
  if (tab === SUMMARY) return <Summary comparison={comparison} attribution={attribution} address={address} onChange={onChange} fresh={fresh} />;
  const absent = tabs.find((entry) => entry.id === tab && entry.absent !== '');
  if (absent) return <Message title={text.tabs.absent(absent.label)} hint={absent.absent || text.tabs.absentReason} />;
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
  return (
    <div class="summary">
      <Verdict comparison={comparison} />
      <Caveats comparison={comparison} />
      <div class="answer">
        <Findings comparison={comparison} onEvidence={showRow} />
        {comparison.ledger.rows.length > 0 && (
          <WaterfallView
            ledger={comparison.ledger}
            selected={address.category}
            onSelect={(category) => onChange({ category })}
            onAll={() => onChange({ ...fresh, tab: ATTRIBUTION, min: 0 }, true)}
          />
        )}
        <StepChart comparison={comparison} onStep={(row) => stepsTable && onChange({ ...fresh, tab: 'steps', row: rowKey(stepsTable, row) }, true)} />
      </div>
    </div>
  );
}
