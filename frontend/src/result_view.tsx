// A finished comparison: the summary, or one of its tables.

import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { Table } from './contract/wire';
import { ATTRIBUTION, STRICT, SUMMARY, TIMELINES } from './host/tab';
import { FRESH } from './host/url_state';
import { rowsOf, type ResultProps } from './result';
import { timelineName } from './row_details/links';
import { Message } from './states/message';
import { Findings } from './summary/findings';
import { isSplit, ledgerTable } from './summary/ledger';
import { Verdict } from './summary/verdict';
import { WaterfallView } from './summary/waterfall_view';
import { findRow, isCut, joinKey, rowKey } from './table/data/rows';
import { Lazy } from './ui/lazy';
import { metricWords, sentence, text } from './ui/strings';
import { chosenBy } from './views';

export function ResultView(props: ResultProps) {
  const { comparison, question, query, tab, tabs, address, onChange } = props;
  const attribution = useMemo(() => ledgerTable(comparison.ledger, text.attribution(metricWords(comparison.headline.metric))), [comparison]);
  if (tab === SUMMARY) return <Summary {...props} attribution={attribution} />;
  const absent = tabs.find((entry) => entry.id === tab && entry.absent !== '');
  if (absent) return <Message title={tab === STRICT ? text.strict.absent : tab === TIMELINES ? text.tabs.noTimelines : text.tabs.absent(chosenBy(absent))} hint={sentence(absent.absent || text.tabs.absentReason)} />;
  if (tab === STRICT) return <Lazy load={loadStrict} height={600} props={{ comparison, question, query, address, onChange }} />;
  if (tab === TIMELINES) return <Lazy load={loadTimelines} height={600} props={{ question, query, address, onChange }} />;
  const table = tab === ATTRIBUTION ? attribution : comparison.tables[tab];
  if (!table) return <Message title={text.tabs.absent(tab)} hint={text.tabs.absentReason} />;
  return <Lazy load={loadTable} height={600} props={{ ...props, table, attribution }} />;
}

// constants, because Lazy caches a part by the function that loads it
const loadAlternatives = () => import('./summary/alternatives').then((part) => part.Alternatives);
const loadCaveats = () => import('./summary/caveats').then((part) => part.Caveats);
const loadSteps = () => import('./summary/step_strip').then((part) => part.StepStrip);
const loadStrict = () => import('./strict/strict_view').then((part) => part.StrictView);
const loadTable = () => import('./result_table').then((part) => part.ResultTable);
const loadTimelines = () => import('./timelines/timelines_view').then((part) => part.StepTimelines);

/** Key in the attribution table of a finding's ledger row `part / entry`. */
function attributionKey(path: string): string {
  const cut = path.indexOf(' / ');
  return joinKey([path.slice(cut + 3), path.slice(0, cut)]);
}

/** The first verdict is drawn before the rest of the summary, which takes as long again. */
let verdictShown = false;

function Summary({ comparison, query, tabs, attribution, address, onChange, chosen, onSteps, onAlternative }: ResultProps & { attribution: Table }) {
  const showRow = (name: string, row: string): void => {
    // the ledger is shown as the attribution table, whose keys are entry and part
    const tab = name === 'ledger' ? ATTRIBUTION : name;
    const table = name === 'ledger' ? attribution : comparison.tables[name];
    const found = table ? findRow(table, name === 'ledger' ? attributionKey(row) : row) : -1;
    // a long table's row may not be fetched yet; the table finds it by its key
    const key = table && found >= 0 ? rowKey(table, found) : table && isCut(table) ? row : '';
    // a finding's row must not be hidden by the smallest-difference filter
    onChange({ ...FRESH, tab, min: 0, row: key, category: '' }, true);
  };
  const [whole, setWhole] = useState(verdictShown);
  useLayoutEffect(() => {
    if (!whole) requestAnimationFrame(() => setTimeout(() => setWhole((verdictShown = true))));
  }, []);
  const timed = tabs.some((entry) => entry.id === TIMELINES && entry.absent === '');
  const split = isSplit(comparison.ledger);
  const spread = comparison.headline.n.some((n) => n > 1) || chosen.a !== '' || chosen.b !== '';
  return (
    <div class={`summary page answer${spread || split ? '' : ' answer-one'}`}>
      <div class="answer-left">
        <Verdict comparison={comparison} />
        {whole && (
          <>
            {comparison.headline.alternatives?.length ? <Lazy load={loadAlternatives} height={120} props={{ comparison, onChoose: onAlternative }} /> : null}
            <Findings
              comparison={comparison}
              onEvidence={showRow}
              timelineOf={timed ? (finding) => timelineName(comparison, finding) : undefined}
              onTimeline={(name) => onChange({ ...FRESH, tab: TIMELINES, q: name }, true)}
              shown={address.row}
            />
            <Lazy load={loadCaveats} height={20} props={{ comparison }} />
          </>
        )}
      </div>
      {whole && (spread || split) && (
        <div class="answer-right">
          {split && (
            <WaterfallView
              ledger={comparison.ledger}
              table={comparison.tables.categories}
              words={metricWords(comparison.headline.metric)}
              selected={address.category}
              onSelect={(category) => onChange({ category })}
              onAll={() => onChange({ ...FRESH, tab: ATTRIBUTION, min: 0 }, true)}
            />
          )}
          {spread && (
            <Lazy
              load={loadSteps}
              height={290}
              props={{ comparison, source: rowsOf(comparison, query, 'steps'), chosen, onSteps, onStep: (row: string) => onChange({ ...FRESH, tab: 'steps', row }, true) }}
            />
          )}
        </div>
      )}
    </div>
  );
}
