// The two sides, what is known about each, and everything that acts on the pair.

import type { Comparison, RunsAnswer, Side, SideFacts } from '../contract/wire';
import { formatBytes } from '../ui/format';
import { Icon } from '../ui/icons';
import { metricWords, text, type MetricWords } from '../ui/strings';
import { RunSelect } from './run_select';
import { attachable, filesOf, findRun, formatTitle, isTrace, missingOf, spansOf, withLaunches, withSteps } from './selection';
import { StepsChoice } from './steps_choice';

type Letter = 'a' | 'b';

interface SideProps {
  letter: Letter;
  answer: RunsAnswer;
  side: Side | null;
  facts: SideFacts | null;
  other: SideFacts | null;
  /** format of the other side's run */
  otherFormat: string | undefined;
  words: MetricWords;
  onChange: (side: Side) => void;
  onOpenProfiler: ((letter: Letter) => void) | null;
  /** how to compare several candidates, of B only */
  more?: preact.ComponentChildren;
  /** whether figures of listings can be attached */
  attaches: boolean;
}

function SidePicker({ letter, answer, side, facts, other, otherFormat, words, onChange, onOpenProfiler, more, attaches }: SideProps) {
  const name = letter === 'a' ? text.sideA : text.sideB;
  const run = side ? findRun(answer, side.run) : undefined;
  const workers = run?.workers.map((entry) => entry.worker) ?? [];
  const spans = run && side ? spansOf(run, side.worker) : [];
  const missing = side ? missingOf(answer, side) : null;
  return (
    <section class={`side side-${letter}${missing ? ' side-missing' : ''}`} aria-label={name}>
      <div class="side-head">
        <span class="badge">{letter === 'a' ? text.letterA : text.letterB}</span>
        <span class="side-name">{name}</span>
        {run?.format !== undefined && (
          <span class={`format${otherFormat !== undefined && otherFormat !== run.format ? ' differs' : ''}`} title={text.picker.formatAbout}>
            {formatTitle(run.format)}
          </span>
        )}
        {more}
        {side && onOpenProfiler && !missing && isTrace(run) && (
          <button type="button" class="icon-button" title={text.picker.openProfiler(name)} aria-label={text.picker.openProfiler(name)} onClick={() => onOpenProfiler(letter)}>
            <Icon name="open" size={14} />
          </button>
        )}
      </div>
      <div class="side-choices">
        <RunSelect
          label={text.picker.label(name, text.picker.run)}
          runs={answer.runs}
          value={side?.run ?? null}
          onChoose={(chosen) => onChange({ run: chosen, worker: null, span: null })}
        />
        <PartSelect
          label={text.picker.label(name, text.picker.worker)}
          all={workers.length === 1 ? workers[0]! : text.picker.allWorkers(workers.length)}
          values={workers}
          value={side?.worker ?? null}
          disabled={!run}
          onChoose={(worker) => side && onChange({ run: side.run, worker, span: null })}
        />
        <PartSelect
          label={text.picker.label(name, text.picker.span)}
          all={spans.length === 1 ? text.picker.oneSpan : text.picker.allSpans(spans.length)}
          values={spans}
          value={side?.span ?? null}
          disabled={!run}
          prefix={text.picker.span}
          onChoose={(span) => side && onChange({ ...side, span })}
        />
      </div>
      <div class="side-foot">
        <Facts answer={answer} side={side} facts={facts} other={other} words={words} />
        {side && attaches && (isTrace(run) || side.steps !== undefined || (facts?.steps.count ?? 0) > 1) && (
          <StepsChoice name={name} steps={side.steps ?? ''} words={words} onSteps={(steps) => onChange(withSteps(side, steps))} />
        )}
        {side && attaches && isTrace(run) && <Attach answer={answer} name={name} side={side} onChange={onChange} />}
      </div>
      {side?.steps && (
        <button type="button" class="chip chip-filter side-steps" title={text.picker.allSteps(words)} onClick={() => onChange(withSteps(side, ''))}>
          {text.picker.onlySteps(name, side.steps, words)} <Icon name="close" size={12} />
        </button>
      )}
    </section>
  );
}

interface PartProps {
  label: string;
  all: string;
  values: string[];
  value: string | null;
  disabled: boolean;
  prefix?: string;
  onChoose: (value: string | null) => void;
}

/** Worker or span: "all" first; with one only, that one stands for all. */
function PartSelect({ label, all, values, value, disabled, prefix, onChoose }: PartProps) {
  const missing = value !== null && !values.includes(value);
  return (
    <select
      class="select part"
      aria-label={label}
      title={value === null && values.length > 1 ? text.picker.together : (value ?? all)}
      disabled={disabled || (values.length < 2 && !missing && value === null)}
      value={value ?? ''}
      onChange={(event) => onChoose(event.currentTarget.value === '' ? null : event.currentTarget.value)}
    >
      <option value="">{all}</option>
      {missing && <option value={value}>{text.picker.missing(value)}</option>}
      {(values.length > 1 || value !== null) &&
        values.map((entry) => (
          <option key={entry} value={entry}>
            {prefix ? `${prefix} ${entry}` : entry}
          </option>
        ))}
    </select>
  );
}

/** Which listing or export has the figures of this trace's kernels; nothing where there is none to choose. */
function Attach({ answer, name, side, onChange }: Pick<SideProps, 'answer' | 'onChange'> & { name: string; side: Side }) {
  const runs = attachable(answer);
  const value = side.launches ?? '';
  if (runs.length === 0 && value === '') return null;
  return (
    <label class="attach" title={text.picker.attachAbout}>
      {text.picker.attach}
      <select class="select" aria-label={text.picker.label(name, text.picker.attach)} value={value} onChange={(event) => onChange(withLaunches(side, event.currentTarget.value))}>
        <option value="">{text.picker.attachNone}</option>
        {value !== '' && !runs.some(({ run }) => run === value) && <option value={value}>{text.picker.missing(value)}</option>}
        {runs.map(({ run }) => (
          <option key={run} value={run}>
            {run}
          </option>
        ))}
      </select>
    </label>
  );
}

function deviceText(facts: SideFacts): string {
  return text.picker.device(facts.device.word ?? facts.device.kind.toUpperCase(), facts.device.count, facts.device.name);
}

/** Steps, device and files under a picker; what differs between the sides stands out. */
function Facts({ answer, side, facts, other, words }: Pick<SideProps, 'answer' | 'side' | 'facts' | 'other' | 'words'>) {
  const files = side ? filesOf(answer, side) : [];
  const bytes = formatBytes(files.reduce((sum, file) => sum + file.bytes, 0));
  const parts: { text: string; differs: boolean }[] = [];
  if (facts) {
    parts.push({ text: text.picker.steps(facts.steps.admitted, facts.steps.count, words), differs: false });
    parts.push({ text: deviceText(facts), differs: other !== null && deviceText(facts) !== deviceText(other) });
  }
  if (files.length > 0) parts.push({ text: text.picker.files(files.length, bytes), differs: false });
  return (
    <p class="facts" title={files.map((file) => file.name).join('\n')}>
      {parts.map((part) => (
        <span key={part.text} class={part.differs ? 'differs' : ''}>
          {part.text}
        </span>
      ))}
      {parts.length === 0 && <span>&nbsp;</span>}
    </p>
  );
}

interface Props {
  answer: RunsAnswer;
  a: Side | null;
  b: Side | null;
  guess: string | null;
  comparison: Comparison | null;
  onPair: (a: Side | null, b: Side | null) => void;
  onOpenProfiler: ((letter: Letter) => void) | null;
  actions: preact.ComponentChildren;
  /** which sides can be chosen: B is left out where there are several candidates */
  sides?: 'both' | 'a' | 'none';
  /** stands in B's head */
  more?: preact.ComponentChildren;
}

export function Pickers({ answer, a, b, guess, comparison, onPair, onOpenProfiler, actions, sides = 'both', more }: Props) {
  const factsA = comparison?.baseline ?? null;
  const factsB = comparison?.candidate ?? null;
  const words = metricWords(comparison?.headline.metric ?? 'step_time');
  const formats = [a, b].map((side) => (side ? findRun(answer, side.run)?.format : undefined));
  return (
    <div class={`pickers pickers-${sides}`} role="group" aria-label={text.picker.region}>
      {sides !== 'none' && <SidePicker letter="a" attaches={sides === 'both'} answer={answer} side={a} facts={factsA} other={factsB} otherFormat={formats[1]} words={words} onChange={(side) => onPair(side, b)} onOpenProfiler={onOpenProfiler} />}
      {sides === 'both' && (
        <>
          <button type="button" class="icon-button swap" title={text.picker.swap} aria-label={text.picker.swap} disabled={!a || !b} onClick={() => onPair(b, a)}>
            <Icon name="swap" size={18} />
          </button>
          <SidePicker letter="b" attaches answer={answer} side={b} facts={factsB} other={factsA} otherFormat={formats[0]} words={words} onChange={(side) => onPair(a, side)} onOpenProfiler={onOpenProfiler} more={more} />
        </>
      )}
      <div class="actions" role="group" aria-label={text.actions.region}>
        {actions}
        {guess !== null && (
          <p class="guess" title={guess === '' ? text.picker.guess : text.picker.guessReason(guess)}>
            {guess === '' ? text.picker.guess : text.picker.guessReason(guess)}
          </p>
        )}
      </div>
    </div>
  );
}
