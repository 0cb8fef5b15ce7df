// Causes, largest first, each with the figures it rests on.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Comparison, Evidence, Finding } from '../contract/wire';
import { joinKey } from '../table/order';
import { Delta } from '../ui/delta';
import { formatPercent, formatTime } from '../ui/format';
import { shortName } from '../ui/names';
import { text } from '../ui/strings';
import { CopyFinding } from './copy_finding';

const FIRST = 3;

/** How the address says which finding is meant: kept where a table keeps its row. */
export function findingKey(finding: Finding): string {
  return joinKey([finding.rule, finding.subject]);
}

interface Props {
  comparison: Comparison;
  /** shows a row of a table; undefined when the evidence is a value only */
  onEvidence: (table: string, row: string) => void;
  /** the finding that a row's details led to, by its key; "" for none */
  shown?: string;
}

export function Findings({ comparison, onEvidence, shown: led = '' }: Props) {
  const { findings } = comparison;
  const [all, setAll] = useState(() => led !== '' && findings.findIndex((one) => findingKey(one) === led) >= FIRST);
  const shown = all ? findings : findings.slice(0, FIRST);
  return (
    <section class="findings" aria-label={text.findings.region}>
      <h2 class="section-title">{text.findings.title}</h2>
      {findings.length === 0 && <p class="muted">{text.findings.none}</p>}
      <div class="cards">
        {shown.map((finding, index) => (
          <Card key={index} finding={finding} comparison={comparison} onEvidence={onEvidence} led={led !== '' && findingKey(finding) === led} />
        ))}
      </div>
      {findings.length > FIRST && (
        <button type="button" class="link-button" onClick={() => setAll(!all)}>
          {all ? text.findings.fewer : text.findings.more(findings.length - FIRST)}
        </button>
      )}
    </section>
  );
}

function Card({ finding, comparison, onEvidence, led }: { finding: Finding; led: boolean } & Props) {
  const card = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (led) card.current?.scrollIntoView({ block: 'nearest' });
  }, [led]);
  const share = finding.share === null ? 0 : Math.max(0, Math.min(1, finding.share));
  return (
    <article class={led ? 'card led' : 'card'} ref={card}>
      <header>
        <span class="tag">{finding.category}</span>
        <CopyFinding finding={finding} comparison={comparison} />
        {finding.delta_us !== null && <Delta value={finding.delta_us}>{formatTime(finding.delta_us, true)}</Delta>}
      </header>
      <h3 title={finding.subject}>{shortName(finding.subject)}</h3>
      <p>{finding.sentence}</p>
      {finding.look_at && <p class="muted">{text.findings.lookAt(finding.look_at)}</p>}
      {finding.share !== null && (
        <div class="share">
          <span class="share-track" aria-hidden="true">
            <span class={(finding.delta_us ?? 0) < 0 ? 'share-less' : 'share-more'} style={{ width: `${100 * share}%` }} />
          </span>
          <span>{text.findings.share(formatPercent(finding.share))}</span>
        </div>
      )}
      <footer>
        {firstOfEach(finding.evidence).map((evidence, index) => (
          <EvidenceItem key={index} evidence={evidence} comparison={comparison} onEvidence={onEvidence} />
        ))}
        <span class="muted" title={text.findings.confidence}>
          {finding.confidence}
        </span>
      </footer>
    </article>
  );
}

/** One link per table: to the first row named in it, which is the one that moved most. */
function firstOfEach(evidence: Evidence[]): Evidence[] {
  const seen = new Set<string>();
  return evidence.filter(({ table }) => !table || (!seen.has(table) && seen.add(table)));
}

function EvidenceItem({ evidence, comparison, onEvidence }: { evidence: Evidence } & Props) {
  const { table, row, value } = evidence;
  const known = table === 'ledger' ? text.tabs.attribution : table ? comparison.tables[table]?.title : undefined;
  if (!table || !known) return value ? <span class="value">{value}</span> : null;
  const title = text.tabs.names[table] ?? known;
  return (
    <button type="button" class="link-button" title={text.findings.evidence(title, row ?? '')} onClick={() => onEvidence(table, row ?? '')}>
      {title}
      {value ? ` (${value})` : ''}
    </button>
  );
}
