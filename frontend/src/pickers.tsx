// The two sides, what is known about each, and everything that acts on the pair.

import { formatBytes } from './format';
import { Icon } from './icons';
import { Menu } from './menu';
import { RunSelect } from './run_select';
import { filesOf, findRun, missingOf, spanPair, spansOf } from './selection';
import { text } from './strings';
import type { Comparison, Pair, RunsAnswer, Side, SideFacts } from './wire';

type Letter = 'a' | 'b';

interface SideProps {
  letter: Letter;
  answer: RunsAnswer;
  side: Side | null;
  facts: SideFacts | null;
  other: SideFacts | null;
  onChange: (side: Side) => void;
  onOpenProfiler: ((letter: Letter) => void) | null;
}

function SidePicker({ letter, answer, side, facts, other, onChange, onOpenProfiler }: SideProps) {
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
        {side && onOpenProfiler && !missing && (
          <button type="button" class="icon-button" title={text.picker.openProfiler(name)} aria-label={text.picker.openProfiler(name)} onClick={() => onOpenProfiler(letter)}>
            <Icon name="open" size={14} />
          </button>
        )}
      </div>
      <div class="side-choices">
        <RunSelect
          label={text.picker.label(name, text.picker.run)}
          runs={answer.runs.map((entry) => entry.run)}
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
      <Facts answer={answer} side={side} facts={facts} other={other} />
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

function deviceText(facts: SideFacts): string {
  return text.picker.device(facts.device.word ?? facts.device.kind.toUpperCase(), facts.device.count, facts.device.name);
}

/** Steps, device and files under a picker; what differs between the sides stands out. */
function Facts({ answer, side, facts, other }: Pick<SideProps, 'answer' | 'side' | 'facts' | 'other'>) {
  const files = side ? filesOf(answer, side) : [];
  const bytes = formatBytes(files.reduce((sum, file) => sum + file.bytes, 0));
  const parts: { text: string; differs: boolean }[] = [];
  if (facts) {
    parts.push({ text: text.picker.steps(facts.steps.admitted, facts.steps.count), differs: false });
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
}

export function Pickers({ answer, a, b, guess, comparison, onPair, onOpenProfiler, actions }: Props) {
  const factsA = comparison?.baseline ?? null;
  const factsB = comparison?.candidate ?? null;
  return (
    <div class="pickers" role="group" aria-label={text.picker.region}>
      <SidePicker letter="a" answer={answer} side={a} facts={factsA} other={factsB} onChange={(side) => onPair(side, b)} onOpenProfiler={onOpenProfiler} />
      <button type="button" class="icon-button swap" title={text.picker.swap} aria-label={text.picker.swap} disabled={!a || !b} onClick={() => onPair(b, a)}>
        <Icon name="swap" size={18} />
      </button>
      <SidePicker letter="b" answer={answer} side={b} facts={factsB} other={factsA} onChange={(side) => onPair(a, side)} onOpenProfiler={onOpenProfiler} />
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

function sideText(side: Side): string {
  return [side.run, side.worker, side.span === null ? null : `${text.picker.span} ${side.span}`].filter((part) => part !== null).join(' · ');
}

/** The server's pairs, and two spans of each shown run as a check of how much a run differs from itself. */
export function SuggestMenu({ answer, a, b, onPair }: { answer: RunsAnswer; a: Side | null; b: Side | null; onPair: (a: Side, b: Side) => void }) {
  const shownRuns = [...new Set([a?.run, b?.run])].flatMap((name) => (name === undefined ? [] : [findRun(answer, name)]));
  const checks = shownRuns.flatMap((run) => {
    const pair = run ? spanPair(run) : null;
    return pair ? [{ ...pair, reason: text.actions.spanReason }] : [];
  });
  const pairs: Pair[] = [...answer.pairs, ...checks];
  return (
    <Menu label={text.actions.suggest} icon="bulb" align="right">
      {(close) =>
        pairs.length === 0 ? (
          <p class="pop-note">{text.actions.noPairs}</p>
        ) : (
          <ul class="pop-list">
            {pairs.map((pair, index) => (
              <li key={index}>
                <button
                  type="button"
                  class="pop-item"
                  onClick={() => {
                    onPair(pair.baseline, pair.candidate);
                    close();
                  }}
                >
                  <span class="pair-line">
                    <span class="badge badge-a">{text.letterA}</span> {sideText(pair.baseline)}
                  </span>
                  <span class="pair-line">
                    <span class="badge badge-b">{text.letterB}</span> {sideText(pair.candidate)}
                  </span>
                  <span class="muted">{pair.reason}</span>
                </button>
              </li>
            ))}
          </ul>
        )
      }
    </Menu>
  );
}
