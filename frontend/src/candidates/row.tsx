// One candidate's row: verdict, interval on the shared scale, caveats and largest cause.

import type { Progress, Side } from '../contract/wire';
import { Bar } from '../states/loading';
import { icon, tone } from '../summary/verdict';
import { Delta } from '../ui/delta';
import { formatEnds, formatIn, formatP, formatPercent, timeStyle, type NumberStyle } from '../ui/format';
import { IconButton, LinkButton } from '../ui/buttons';
import { Icon } from '../ui/icons';
import { sideText } from '../ui/pair_lines';
import { metricWords, sentence, text } from '../ui/strings';
import { reachOf, type Scale } from './scale';
import type { Adjusted, CandidateResult, Row } from './wire';
import { words } from './words';

interface Props {
  side: Side;
  row: Row | undefined;
  adjusted: Adjusted | null;
  compared: number;
  /** progress of its comparison, null unless it is running */
  progress: Progress | null;
  scale: Scale;
  style: NumberStyle;
  onOpen: () => void;
  onRemove: () => void;
}

export function VerdictRow({ side, row, adjusted, compared, progress, scale, style, onOpen, onRemove }: Props) {
  const name = sideText(side);
  const result = row?.result ?? null;
  return (
    <tr role="row" class={result ? '' : 'vs-empty'}>
      <th scope="row" role="rowheader" class="vs-name">
        <span class="vs-name-line">
          <LinkButton class="strong" title={words.open(name)} onClick={onOpen}>{name}</LinkButton>
          <IconButton class="vs-remove" icon="close" label={words.remove(name)} size={12} onClick={onRemove} />
        </span>
        {result && <span class="muted vs-small">{text.picker.steps(result.candidate.steps.admitted, result.candidate.steps.count, metricWords(result.headline.metric))}</span>}
      </th>
      {result ? (
        <>
          <td role="cell" class="vs-verdict" data-label={words.head.verdict}>
            <VerdictWords result={result} adjusted={adjusted} compared={compared} />
          </td>
          <td role="cell" class="num vs-mean" data-label={words.head.mean}>
            {formatIn(style, result.headline.candidate)}
            {result.headline.delta !== null && (
              <span class="vs-small">
                <Delta value={result.headline.delta}>{formatIn(style, result.headline.delta, true)}</Delta>
              </span>
            )}
          </td>
          <td role="cell" class="vs-shift" data-label={words.head.shift}>
            <Interval row={row} scale={scale} faint={adjusted?.stands === false} />
          </td>
          <td role="cell" class={`vs-notes small${hasNotes(result) ? '' : ' vs-none'}`} data-label={words.head.notes}>
            <Notes result={result} />
          </td>
          <td role="cell" class={`vs-cause${result.cause ? '' : ' vs-none'}`} data-label={words.head.cause}>
            {result.cause && (
              <>
                <span class="three-lines" title={result.cause.sentence}>
                  {result.cause.sentence}
                </span>
                {result.causes > 1 && <span class="muted vs-small">{words.causes(result.causes - 1)}</span>}
              </>
            )}
          </td>
        </>
      ) : (
        <td role="cell" colSpan={5} class="vs-wide">
          {row?.error ? (
            <p class="vs-error three-lines" title={row.error.hint}>
              <Icon name="stop" size={14} /> <strong>{words.notCompared}</strong>: {sentence(row.error.message)} <span class="muted">{row.error.hint && sentence(row.error.hint)}</span>
            </p>
          ) : (
            <Waiting progress={progress} />
          )}
        </td>
      )}
    </tr>
  );
}

function VerdictWords({ result, adjusted, compared }: { result: CandidateResult; adjusted: Adjusted | null; compared: number }) {
  const { verdict, p } = result.headline;
  const about = adjusted && p !== null ? words.pAbout(formatP(p), formatP(adjusted.p), compared) : result.headline.reason;
  return (
    <>
      <span class={`vs-chip inline strong tone-${adjusted?.stands === false ? 'unsure' : tone(verdict)}`} title={result.headline.reason}>
        <Icon name={icon(verdict)} size={14} /> {words.verdict(verdict)}
      </span>
      {compared > 1 && adjusted && adjusted.stands !== null && (
        <span class={`vs-small${adjusted.stands ? ' muted' : ' unsure'}`} title={about}>
          {adjusted.stands ? words.stands(compared) : words.falls(compared)}
        </span>
      )}
    </>
  );
}

function Waiting({ progress }: { progress: Progress | null }) {
  if (!progress) return <span class="muted">{words.waiting}</span>;
  const share = progress.total_bytes > 0 ? Math.min(1, progress.done_bytes / progress.total_bytes) : 0;
  return (
    <span class="vs-progress">
      <Bar label={progress.path || text.loading.title} share={share} />
      <span class="muted">{[text.loading.phase[progress.phase] ?? progress.phase, progress.path].filter(Boolean).join(' · ')}</span>
    </span>
  );
}

const percentAt = (value: number, { low, high }: Scale): number => (100 * (Math.min(high, Math.max(low, value)) - low)) / (high - low);

/** The shift as a dot with its interval as whiskers, over a line at zero and a band for the threshold. */
function Interval({ row, scale, faint }: { row: Row | undefined; scale: Scale; faint: boolean }) {
  const reach = reachOf(row);
  const margin = row?.result?.headline.margin ?? 0;
  const at = (value: number): string => `${percentAt(value, scale)}%`;
  if (!reach) return <span class="muted">{words.noShift}</span>;
  const { verdict, shift, basis } = row!.result!.headline;
  const beyond = reach.estimate < scale.low || reach.estimate > scale.high;
  return (
    <>
      <svg class={`vs-plot soft delta-${faint ? 'unsure' : tone(verdict)}`} height="22" aria-hidden="true">
        <rect fill="var(--even-soft)" x={at(1 / (1 + margin) - 1)} width={`${percentAt(margin, scale) - percentAt(1 / (1 + margin) - 1, scale)}%`} y="0" height="22" />
        <line stroke="var(--ink-3)" x1={at(0)} x2={at(0)} y1="0" y2="22" />
        <line class="vs-whisker" x1={at(reach.low)} x2={at(reach.high)} y1="11" y2="11" />
        {[reach.low, reach.high].map((end, index) => end >= scale.low && end <= scale.high && <line key={index} class="vs-whisker" x1={at(end)} x2={at(end)} y1="6" y2="16" />)}
        <circle cx={at(reach.estimate)} cy="11" r="4.5" />
      </svg>
      <span class="vs-numbers small">
        {beyond && <span title={words.beyond}>{reach.estimate > 0 ? '▸ ' : '◂ '}</span>}
        {words.changeOf[basis]} {formatPercent(reach.estimate, true)} <span class="muted">{(basis === 'recorded' && shift?.level === null ? text.verdict.range : words.between)(...formatEnds(reach.low, reach.high))}</span>
      </span>
    </>
  );
}

/** Most checks named in a row; failed ones come first. */
const MAX_CHECKS = 5;

const hasNotes = (result: CandidateResult): boolean => result.checks.length + result.candidate.steps.dropped.length > 0;

/** Caveats of the comparison: checks by name, and dropped steps with the reason. */
function Notes({ result }: { result: CandidateResult }) {
  const { dropped } = result.candidate.steps;
  const ordered = [...result.checks].sort((left, right) => Number(right.status === 'fail') - Number(left.status === 'fail'));
  const [shown, rest] = [ordered.slice(0, MAX_CHECKS), ordered.slice(MAX_CHECKS)];
  return (
    <ul>
      {shown.map((check) => (
        <li key={check.check} class={check.status === 'fail' ? 'vs-fail' : ''} title={check.detail}>
          <Icon name={check.status === 'fail' ? 'stop' : 'alert'} size={12} /> {check.check.replaceAll('_', ' ')}
          <span class="sr">: {check.detail}</span>
        </li>
      ))}
      {rest.length > 0 && <li title={rest.map((check) => check.check.replaceAll('_', ' ')).join(', ')}>{words.moreChecks(rest.length)}</li>}
      {dropped.map(({ reason, steps }) => (
        <li key={reason}>{words.dropped(steps, reason)}</li>
      ))}
    </ul>
  );
}

/** The scale's tick labels, above the plots. */
export function ScaleHead({ scale }: { scale: Scale }) {
  const zero = percentAt(0, scale);
  const ticks = [...(zero > 22 ? [scale.low] : []), 0, ...(zero < 78 ? [scale.high] : [])];
  return (
    <span class="vs-axis muted" aria-hidden="true">
      {ticks.map((tick) => (
        <span key={tick} class={tick === 0 ? 'mid' : tick < 0 ? 'low' : 'high'} style={tick === 0 ? { left: `${zero}%` } : {}}>
          {tick === 0 ? '0' : formatPercent(tick, true)}
        </span>
      ))}
    </span>
  );
}

/** The common unit for the means of all rows. */
export function meanStyle(rows: (Row | undefined)[]): NumberStyle {
  return timeStyle(rows.flatMap((row) => [row?.result?.headline.baseline, row?.result?.headline.candidate]));
}
