// Strict report: the published method unchanged, its weaknesses for this pair, and its triplets next to plain times.

import { apiUrl, fetchStream, queryWith } from '../api/api';
import { useAnswer } from '../api/use_answer';
import type { StrictAnswer, StrictFinding } from '../contract/sent';
import type { Column, Comparison } from '../contract/wire';
import { FRESH } from '../host/url_state';
import type { Located } from '../host/use_address';
import { Failed } from '../states/failed';
import { Loading } from '../states/loading';
import { Message } from '../states/message';
import { SmallTable } from '../table/small_table';
import { TableView } from '../table/table_view';
import { LinkButton } from '../ui/buttons';
import { Icon } from '../ui/icons';
import { BoundedCache } from '../ui/kept';
import { shortOf, type ShortNames } from '../ui/names';
import { Segments } from '../ui/controls/segments';
import { Select } from '../ui/controls/select';
import { adoptSheet } from '../ui/sheets';
import { metricWords, sentence, text } from '../ui/strings';
import { useFirst } from '../ui/controls/use_first';
import css from './strict.css?inline';

adoptSheet(css);

const answers = new BoundedCache<StrictAnswer>(8);
const FIRST = 3;
const TRIPLETS = 'triplets';

const strictText = {
  about: 'The published method and wording, unchanged.',
  corrected: 'The corrected comparison of the same pair is in the other views:',
  summary: 'Summary',
  processes: 'Processes',
  beta: 'Share (β) of',
  betas: { total: 'total', exclusive: 'exclusive' } as Record<string, string>,
  betaAbout: {
    total: 'Summed durations, as published: nested calls count twice, so shares may exceed 100 %',
    exclusive: 'Exposed time: every instant counts once, and the shares add up to the step',
  } as Record<string, string>,
  downloads: 'Download',
  markdown: 'Markdown',
  csv: 'CSV',
  markdownAbout: 'The report as published, as Markdown',
  csvAbout: 'All triplets, the published columns, as CSV',
  weaknesses: (n: number) => (n === 1 ? 'One known weakness of this method applies to this pair' : `${n} known weaknesses of this method apply to this pair`),
  noWeaknesses: 'No known weakness of this method applies to this pair.',
  weaknessAbout: (n: number) => `Weakness ${n} in docs/method/strict.md`,
  overview: 'Overview',
  findings: 'Key findings',
  device: (name: string) => `on ${name}`,
  counters: 'Counters that moved with it',
  units: 'Units of μ',
  groups: { key: 'Triplet', published: 'Published report', beside: 'Added here: not in the published report' },
  waiting: 'Running the strict comparison…',
};

interface Props extends Located {
  comparison: Comparison;
  /** identifies the current version of the pair's files */
  question: string;
  /** query parameters of the pair, common to all routes */
  query: URLSearchParams;
}

export function StrictView({ comparison: { baseline, headline }, question, query, address, onChange }: Props) {
  // shares can use a function's total or exclusive time
  const traces = baseline.format === 'torch_profiler_trace';
  const asked = queryWith(query, { processes: address.processes, beta: traces && address.beta !== 'total' ? address.beta : '' });
  const [state, again, cancel] = useAnswer(answers, `${question}\n${asked.toString()}`, (signal, onProgress) =>
    fetchStream<StrictAnswer>('strict', queryWith(asked, { stream: '1' }), 'tb_perfcompare.strict/1', onProgress, signal),
  );
  const { answer, failure } = state;
  const waiting = state.status === 'loading';
  if (failure) return <Failed failure={failure} onRetry={again} />;
  if (state.status === 'cancelled') return <Message title={text.loading.cancelled} action={text.loading.again} onAction={again} />;
  if (!answer && state.files.length > 0) return <Loading {...state} onCancel={cancel} />;
  if (!answer) return <Message title={strictText.waiting} />;
  if (answer.absent !== '') return <Message title={text.strict.absent} hint={sentence(answer.absent)} />;
  return (
    <div class="strict page stack" aria-busy={waiting}>
      <p class="strict-corrected">
        {strictText.corrected} <LinkButton onClick={() => onChange({ ...FRESH, tab: '' }, true)}>{strictText.summary}</LinkButton>
      </p>
      <Head answer={answer} asked={asked} traces={traces} waiting={waiting} address={address} onChange={onChange} />
      <Weaknesses answer={answer} />
      <Report answer={answer} />
      {answer.tables.triplets && (
        <section class="strict-triplets stack" aria-label={answer.tables.triplets.title}>
          <h2>{answer.tables.triplets.title}</h2>
          <TableView
            name={TRIPLETS}
            table={answer.tables.triplets}
            source={answer.tag === undefined ? null : { route: 'strict', query: asked, tag: answer.tag, table: TRIPLETS, lost: answer.tables.summary?.notes.length ?? 0 }}
            address={address}
            stepTime={null}
            words={metricWords(headline.metric)}
            sums={false}
            group={groupOf}
            onChange={onChange}
            extra={() => null}
          />
        </section>
      )}
    </div>
  );
}

const PUBLISHED = /^(score|(beta|mu)_(a|b|delta)|z_(beta|mu|log_mu)|[pu]_(beta|mu))$/;

function groupOf(column: Column): string {
  if (column.role === 'key') return strictText.groups.key;
  return PUBLISHED.test(column.name) ? strictText.groups.published : strictText.groups.beside;
}

type HeadProps = Pick<Props, 'address' | 'onChange'> & { answer: StrictAnswer; asked: URLSearchParams; traces: boolean; waiting: boolean };

function Head({ answer, asked, traces, waiting, address, onChange }: HeadProps) {
  const file = (format: string): string => apiUrl('strict', queryWith(asked, { format }));
  const links: [string, string, string][] = [
    [strictText.markdown, file('md'), strictText.markdownAbout],
    [strictText.csv, file('csv'), strictText.csvAbout],
  ];
  return (
    <header class="wrap">
      <div class="strict-title">
        <h2 class="breaks">{answer.title}</h2>
        <p class="muted">
          {strictText.about} <span role="status">{waiting ? text.lazy.loading : ''}</span>
        </p>
      </div>
      {answer.processes.length > 1 && (
        <label class="strict-choice inline">
          <span class="muted">{strictText.processes}</span>
          <Select
            value={String(answer.chosen)}
            options={answer.processes.map((pair, index) => [String(index), pair.label])}
            onChoose={(chosen) => {
              const pair = answer.processes[Number(chosen)];
              if (pair) onChange({ processes: chosen === '0' ? '' : `${pair.normal}:${pair.abnormal}`, row: '' }, true);
            }}
          />
        </label>
      )}
      {traces && (
        <span class="strict-choice inline">
          <span class="muted">{strictText.beta}</span>
          <Segments label={strictText.beta} all={['total', 'exclusive'] as const} chosen={(beta) => address.beta === beta} name={(beta) => strictText.betas[beta]} title={(beta) => strictText.betaAbout[beta]} onChoose={(beta) => onChange({ beta, row: '' }, true)} />
        </span>
      )}
      <span class="strict-choice inline" role="group" aria-label={strictText.downloads}>
        {links.map(([label, href, about]) => (
          <a key={label} class="button" href={href} title={about} download="" referrerpolicy="no-referrer">
            <Icon name="export" /> {label}
          </a>
        ))}
      </span>
    </header>
  );
}

/** Weaknesses of the method for this pair, stated before the report. */
function Weaknesses({ answer: { weaknesses, units } }: { answer: StrictAnswer }) {
  const [shown, more] = useFirst(weaknesses, FIRST);
  return (
    <section class="strict-weak" aria-label={strictText.weaknesses(weaknesses.length)}>
      <h3 class="line">
        <Icon name="info" size={14} /> {weaknesses.length > 0 ? strictText.weaknesses(weaknesses.length) : strictText.noWeaknesses}
      </h3>
      <ul>
        {shown.map((weakness) => (
          <li key={weakness.number}>
            <span class="num strong soft" title={strictText.weaknessAbout(weakness.number)}>
              {weakness.number}
            </span>
            <span>{sentence(weakness.sentence)}</span>
          </li>
        ))}
      </ul>
      <div class="wrap">
        {more}
        {units.length > 0 && (
          <details>
            <summary class="soft">{strictText.units}</summary>
            <ul>
              {units.map((unit) => (
                <li key={unit}>{unit}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </section>
  );
}

/** Most pixels of a table beside the report. */
const TABLE_HEIGHT = 270;

function Report({ answer }: { answer: StrictAnswer }) {
  const { summary, cycles } = answer.tables;
  return (
    <div class="strict-report">
      <section class="panel" aria-label={strictText.overview}>
        <h3>{strictText.overview}</h3>
        <p class="strict-text">{answer.overview}</p>
        {answer.findings.length > 0 && <h3>{strictText.findings}</h3>}
        {answer.findings.map((finding, index) => (
          <FindingItem key={index} finding={finding} names={answer.tables.triplets?.short_names} />
        ))}
        {answer.note !== '' && <p class="strict-text muted">{answer.note}</p>}
        {answer.recommendation !== '' && <p class="strict-text">{answer.recommendation}</p>}
      </section>
      <div class="strict-figures stack">
        {summary && (
          <section class="panel" aria-label={summary.title}>
            <h3>{summary.title}</h3>
            <SmallTable table={summary} highest={TABLE_HEIGHT} />
          </section>
        )}
        {cycles && (
          <section class="panel" aria-label={cycles.title}>
            <h3>{cycles.title}</h3>
            {cycles.notes.map((note) => (
              <p key={note} class="muted">
                {sentence(note)}
              </p>
            ))}
            <SmallTable table={cycles} highest={TABLE_HEIGHT} />
          </section>
        )}
      </div>
    </div>
  );
}

function FindingItem({ finding, names }: { finding: StrictFinding; names: ShortNames | undefined }) {
  return (
    <article class="strict-finding">
      <h4 title={finding.function}>
        {shortOf(names, finding.function)} <span class="muted">{strictText.device(finding.device)}</span>
      </h4>
      <p>{finding.sentence}</p>
      {finding.counters.length > 0 && (
        <>
          <p class="muted">{strictText.counters}</p>
          <ul>
            {finding.counters.map((counter) => (
              <li key={counter}>{counter}</li>
            ))}
          </ul>
        </>
      )}
    </article>
  );
}
