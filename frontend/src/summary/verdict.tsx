// The verdict: which side is slower, by how much, and how certain that is.

import type { Comparison, Headline, Part, VerdictWord } from '../contract/wire';
import { Facts, type Fact } from '../ui/controls/facts';
import { formatEnds, formatIn, formatP, formatPercent, formatSetting, formatWithUnit, type NumberStyle, timeStyle } from '../ui/format';
import { Icon, type IconName } from '../ui/icons';
import { metricWords, sentence, text } from '../ui/strings';

/** `tone` sets only the background color; the icon and the words carry the meaning. */
const LOOKS: Record<VerdictWord, { icon: IconName; tone: 'more' | 'less' | 'even' | 'unsure' }> = {
  slower: { icon: 'up', tone: 'more' },
  probably_slower: { icon: 'up', tone: 'more' },
  faster: { icon: 'down', tone: 'less' },
  probably_faster: { icon: 'down', tone: 'less' },
  same: { icon: 'equal', tone: 'even' },
  inconclusive: { icon: 'question', tone: 'unsure' },
  withheld: { icon: 'stop', tone: 'unsure' },
};
export const icon = (verdict: VerdictWord): IconName => LOOKS[verdict].icon;
export const tone = (verdict: VerdictWord): string => LOOKS[verdict].tone;

/** Whether the verdict names a direction. */
function isSure(verdict: VerdictWord): boolean {
  return tone(verdict) === 'more' || tone(verdict) === 'less';
}

/** Whether the server's sentence says more than direction and size. */
function hasSentence(headline: Headline): boolean {
  return Boolean((headline.program || headline.counted) && headline.sentence);
}

/** Whether the figures say what the reason does: a size beyond the threshold. */
const isFigured = ({ verdict, program }: Headline): boolean => !program && (verdict === 'slower' || verdict === 'faster');

/** Change as a fraction of the baseline, null if unknown. */
function changeOf(headline: Headline): number | null {
  return headline.ratio === null ? null : headline.ratio - 1;
}

/** The unit of the headline's means and of their difference. */
const styleOf = ({ baseline, candidate }: Headline): NumberStyle => timeStyle([baseline, candidate]);

/** Text that follows the verdict's word. */
export function effectText(headline: Headline): string {
  if (headline.delta === null) return '';
  const { per } = metricWords(headline.metric);
  if (headline.delta === 0) return text.verdict.zero;
  const style = styleOf(headline);
  const change = changeOf(headline);
  const time = (signed: boolean): string => formatWithUnit(style, signed ? headline.delta : Math.abs(headline.delta!), signed);
  const directed = !hasSentence(headline) && tone(headline.verdict) === (headline.delta > 0 ? 'more' : 'less');
  if (!directed) return text.verdict.measured(time(true), formatPercent(change, true));
  return text.verdict.by(time(false), per, change !== null && change < 10 ? formatPercent(Math.abs(change)) : formatPercent(change, true));
}

/** The change that the verdict is about. */
export const deciding = ({ basis, program, machine, amount, shift }: Headline): Interval | null => ({ program, machine, amount, recorded: shift })[basis] ?? shift;

/** [p, whether it is the program's]: the p-value that decides. If the verdict is about the program, that of the
 *  recorded step times says little, because the machine's speed varies. */
export function decidingP({ basis, p, program, amount }: Headline): [number | null, boolean] {
  if (basis === 'amount' && amount) return [amount.p, false];
  return basis === 'program' && typeof program?.p === 'number' ? [program.p, true] : [p, false];
}

export function Verdict({ comparison }: { comparison: Comparison }) {
  const { headline } = comparison;
  const style = styleOf(headline);
  const { shift } = headline;
  const words = metricWords(headline.metric);
  const itself = comparison.comparability.some((check) => check.check === 'same_capture' && check.status === 'warn');
  const split = hasSentence(headline);
  const explained = !split && !isFigured(headline);
  const effect = effectText(headline);
  // the sentence gives direction and size; the signed size is next to the means
  const measured = !effect.startsWith(text.verdict.byWord);
  const [decides, byProgram] = decidingP(headline);
  // with one recording per side, the shift repeats the difference above, so it is omitted
  const interval =
    shift &&
    (shift.level === null && shift.low === shift.high ? '' : shift.level === null
      ? text.verdict.range(...formatEnds(shift.low, shift.high))
      : text.verdict.interval(...formatEnds(shift.low, shift.high), formatSetting(Math.round(1000 * shift.level) / 1000)));
  const figures: Fact[] = [];
  if (headline.baseline !== null && headline.candidate !== null) {
    const means = (
      <>
        <span class="text-a">{formatIn(style, headline.baseline)}</span> <span class="muted">→</span> <span class="text-b">{formatIn(style, headline.candidate)}</span> <span class="muted">{style.unit}</span>{' '}
        {measured && <span class="effect muted">{effect}</span>}
      </>
    );
    figures.push([words.mean, means]);
  }
  if (shift && interval !== '') figures.push([headline.amount ? text.verdict.shiftOfEqual : text.verdict.shift, <>{formatPercent(shift.estimate, true)} <span class="muted">{interval}</span></>, text.verdict.shiftAbout(words.one)]);
  figures.push([text.verdict.compared(words.many), text.verdict.versus(headline.n[0], headline.n[1])]);
  if (decides !== null) figures.push(byProgram ? [text.verdict.pOfProgram, formatP(decides), text.verdict.pOfProgramAbout] : [text.verdict.p, formatP(decides), text.verdict.pAbout(words.many)]);
  return (
    <section class={`verdict tone-${tone(headline.verdict)}`} aria-label={text.verdict.region}>
      <span class="verdict-icon line">
        <Icon name={icon(headline.verdict)} size={24} />
      </span>
      <div class="verdict-body shrinks">
        <h2>
          {split ? headline.sentence : text.verdict.word[headline.verdict]} {!measured && <span class="effect">{effect}</span>}
        </h2>
        {itself && explained && <p class="reason soft">{sentence(headline.reason)}</p>}
        <Parts headline={headline} />
        <Facts class="figures" facts={figures} />
        {!itself && explained && <p class="reason soft">{sentence(headline.reason)}</p>}
        <How headline={headline} />
      </div>
    </section>
  );
}

function How({ headline }: { headline: Headline }) {
  const facts: Fact[] = [];
  for (const { label, text: fact } of headline.facts ?? []) {
    // for recorded step time, the reason says more, unless it is about equal work; without a program verdict it is already shown above
    if (label === text.verdict.program) continue; // the bars above
    if (label !== text.verdict.recorded || headline.amount) facts.push([label, fact]);
    else if (headline.program || isFigured(headline)) facts.push([label, headline.reason]);
  }
  if (headline.scope) facts.push([text.verdict.scope, headline.scope]);
  if (headline.method) facts.push([text.verdict.method, headline.method]);
  if (headline.margin !== undefined) facts.push([text.verdict.margin, formatSetting(headline.margin)]);
  const detectable = headline.certainty?.detectable ?? null;
  if (detectable !== null) facts.push([text.verdict.detectable(metricWords(headline.metric).many), formatPercent(detectable)]);
  if (headline.sensitivity) facts.push([text.verdict.sensitivity, headline.sensitivity]);
  if (facts.length === 0) return null;
  return (
    <details class="how soft">
      <summary>{text.verdict.how}</summary>
      <Facts class="pairs" facts={facts} />
    </details>
  );
}

/** Short verdict with the number of caveats, shown in every view; a click opens the summary. */
export function Brief({ comparison, onSummary }: { comparison: Comparison; onSummary: () => void }) {
  const { headline, caveats = [] } = comparison;
  const doubts = caveats.filter(({ status }) => status !== 'note').length;
  return (
    <button type="button" class={`brief line tone-${tone(headline.verdict)}`} title={text.verdict.toSummary} onClick={onSummary}>
      <Icon name={icon(headline.verdict)} size={14} />
      <strong>{text.verdict.word[headline.verdict]}</strong>
      {isSure(headline.verdict) && headline.delta !== null && (
        <span>
          {isBeyondTimes(headline) ? (
            text.verdict.programBy(formatPercent(headline.program!.estimate, true))
          ) : (
            <>
              <span class="brief-time">{formatWithUnit(styleOf(headline), headline.delta, true)} </span>({formatPercent(changeOf(headline), true)})
            </>
          )}
        </span>
      )}
      {doubts > 0 && (
        <span class="doubts unsure" title={text.verdict.doubts(doubts)}>
          <Icon name="alert" size={12} /> {doubts}
        </span>
      )}
    </button>
  );
}

/** Whether the verdict is about the program and the recorded change, which includes the machine's, is outside the
 *  program's interval. */
export function isBeyondTimes(headline: Headline): boolean {
  const { program, basis } = headline;
  if (!program || program.low === null || program.high === null || basis !== 'program') return false;
  const recorded = changeOf(headline);
  return isSure(headline.verdict) && (recorded === null || recorded < program.low || recorded > program.high);
}

type Interval = Pick<Part, 'estimate' | 'low' | 'high'>;

/** Ends of the scale as fractions; they include zero and all intervals. */
export function scaleOf(parts: Interval[]): [number, number] {
  const low = Math.min(0, ...parts.map((part) => part.low ?? 0));
  const high = Math.max(0, ...parts.map((part) => part.high ?? 0));
  const room = (high - low || 0.02) * 0.06;
  return [low - room, high + room];
}

function Bar({ label, part, scale }: { label: string; part: Interval; scale: [number, number] }) {
  const at = (fraction: number) => `${(100 * (fraction - scale[0])) / (scale[1] - scale[0])}%`;
  const estimate = part.estimate ?? 0;
  const [from, to] = [Math.min(0, estimate), Math.max(0, estimate)];
  const figures = `${formatPercent(part.estimate, true)} (${formatEnds(part.low, part.high).join(' … ')})`;
  return (
    <div class="part">
      <dt class="soft">{label}</dt>
      <dd>
        <span class="part-track" aria-hidden="true">
          <span class={`part-bar delta-${estimate > 0 ? 'more' : 'less'}`} style={{ left: at(from), width: `calc(${at(to)} - ${at(from)})` }} />
          {part.low !== null && part.high !== null && <span class="part-interval" style={{ left: at(part.low), width: `calc(${at(part.high)} - ${at(part.low)})` }} />}
          <span class="part-zero" style={{ left: at(0) }} />
        </span>
        <span class="part-said">{figures}</span>
      </dd>
    </div>
  );
}

/** Breakdown of the change into program, machine and amount of work (where that varies), as bars with intervals. */
export function Parts({ headline }: { headline: Headline }) {
  const { machine, program, amount } = headline;
  if (!machine || !program) return null;
  const scale = scaleOf(amount ? [machine, program, amount] : [machine, program]);
  return (
    <dl class="parts below" aria-label={text.verdict.parts}>
      <Bar label={text.verdict.program} part={program} scale={scale} />
      <Bar label={text.verdict.machine} part={machine} scale={scale} />
      {amount && <Bar label={text.verdict.amount} part={amount} scale={scale} />}
    </dl>
  );
}
