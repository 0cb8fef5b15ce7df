// Ranked list of causes, each with its size, a sentence, and links to the evidence.

import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Comparison, Evidence, Finding, Ledger } from '../contract/wire';
import { copyIcon, CopyStatus } from '../host/copy_name';
import { useCopy } from '../host/use_copy';
import { joinKey } from '../table/data/rows';
import { IconButton, LinkButton } from '../ui/buttons';
import { Delta } from '../ui/delta';
import { formatTime } from '../ui/format';
import { text, noBreakNumbers } from '../ui/strings';
import { useFirst } from '../ui/controls/use_first';

const FIRST = 5;

/** Key of a finding in the address, which uses the parameter of a table's row. */
export function findingKey(finding: Finding): string {
  return joinKey([finding.rule, finding.subject]);
}

interface Props {
  comparison: Comparison;
  /** opens a table at a row */
  onEvidence: (table: string, row: string) => void;
  /** name of a finding's events in the step timelines, "" for none; onTimeline opens the timelines on them */
  timelineOf?: ((finding: Finding) => string) | undefined;
  onTimeline?: ((name: string) => void) | undefined;
  /** key of the finding that the reader came from in a row's details; "" for none */
  shown?: string;
}

export function Findings({ comparison, onEvidence, timelineOf, onTimeline, shown: led = '' }: Props) {
  const { findings } = comparison;
  const [shown, more] = useFirst(findings, FIRST, led !== '' && findings.findIndex((one) => findingKey(one) === led) >= FIRST);
  const most = Math.max(...findings.map(size));
  return (
    <section class="panel findings stack" aria-label={text.findings.region}>
      <h2>{text.findings.title}</h2>
      {comparison.no_finding !== null && <p class="muted">{comparison.no_finding}</p>}
      <ol class="wide">
        {shown.map((finding, index) => (
          <Cause key={index} rank={index + 1} finding={finding} above={shown.slice(0, index)} most={most} comparison={comparison} onEvidence={onEvidence} timelineOf={timelineOf} onTimeline={onTimeline} led={led !== '' && findingKey(finding) === led} />
        ))}
      </ol>
      {comparison.unexplained_us !== null && (
        <p class="muted small">{noBreakNumbers(text.findings.rest(comparison.unexplained_us / changeUs(comparison.ledger), formatTime(comparison.unexplained_us, true)))}</p>
      )}
      {more}
    </section>
  );
}

/** Change of the mean step. */
const changeUs = ({ delta, denominator }: Ledger): number => delta / denominator / 1000;

const size = ({ delta_us: delta }: Finding): number => Math.abs(delta ?? 0);

interface CauseProps extends Props {
  finding: Finding;
  rank: number;
  /** the findings above: what they advise, and how certain they are, is said once */
  above: Finding[];
  /** the largest change of all findings, in microseconds */
  most: number;
  led: boolean;
}

function Cause({ finding, rank, above, most, comparison, onEvidence, timelineOf, onTimeline, led }: CauseProps) {
  const item = useRef<HTMLLIElement>(null);
  const events = timelineOf?.(finding) ?? '';
  const isNew = (key: 'look_at' | 'confidence'): boolean => finding[key] !== '' && !above.some((one) => one[key] === finding[key]);
  useLayoutEffect(() => {
    if (led) item.current?.scrollIntoView({ block: 'nearest' });
  }, [led]);
  return (
    <li class={led ? 'cause-item led' : 'cause-item'} ref={item}>
      <div class="rank stack muted">
        {rank}
        <CopyFinding finding={finding} comparison={comparison} />
      </div>
      <div class="size stack small">
        {finding.delta_us !== null && <Delta value={finding.delta_us}>{formatTime(finding.delta_us, true)}</Delta>}
        {most > 0 && finding.delta_us !== null && (
          <span class="share" aria-hidden="true">
            <span class={(finding.delta_us ?? 0) < 0 ? 'bar-less' : 'bar-more'} style={{ width: `${(100 * size(finding)) / most}%` }} />
          </span>
        )}
        {finding.share !== null && <span class="muted">{text.findings.share(finding.share)}</span>}
      </div>
      <div class="what breaks">
        <h3 class="sr">{finding.subject}</h3>
        <p title={finding.subject}>{noBreakNumbers(finding.sentence)}</p>
        <p class="muted small">
          {noBreakNumbers([isNew('look_at') && text.findings.lookAt(finding.look_at), isNew('confidence') && finding.confidence].filter(Boolean).join(' · '))}
        </p>
      </div>
      <div class="ways stack small">
        {firstOfEach(finding.evidence).map((evidence, index) => (
          <EvidenceItem key={index} evidence={evidence} comparison={comparison} onEvidence={onEvidence} />
        ))}
        {events !== '' && (
          <LinkButton title={text.findings.timelineAbout(events)} onClick={() => onTimeline?.(events)}>{text.findings.timeline}</LinkButton>
        )}
      </div>
    </li>
  );
}

/** Button that copies a finding as text. */
function CopyFinding({ finding, comparison }: { finding: Finding; comparison: Comparison }) {
  const [done, copy] = useCopy();
  const onClick = (): void => copy(import('./finding_text').then(({ findingText }) => findingText(finding, comparison)));
  return (
    <>
      <IconButton size={12} icon={copyIcon(done, 'copy')} label={text.findings.copyNamed(finding.subject)} title={text.findings.copy} onClick={onClick} />
      <CopyStatus done={done} />
    </>
  );
}

/** The table of the parts of the step, which the summary draws. */
const BESIDE = 'categories';

/** Keeps one link per table, to its first row of evidence, which changed most. */
function firstOfEach(evidence: Evidence[]): Evidence[] {
  const seen = new Set<string>();
  return evidence.filter(({ table }) => table !== BESIDE && !seen.has(table) && seen.add(table));
}

function EvidenceItem({ evidence, comparison, onEvidence }: { evidence: Evidence } & Props) {
  const { table, row } = evidence;
  const title = table === 'ledger' ? text.tabs.attribution : comparison.tables[table]?.title;
  if (!title) return null;
  return (
    <LinkButton title={text.findings.evidence(title, row)} onClick={() => onEvidence(table, row)}>
      {title}
    </LinkButton>
  );
}
