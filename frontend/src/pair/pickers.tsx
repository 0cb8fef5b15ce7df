// The two sides with their facts, and the controls of the pair.

import { wholeRun, type Comparison, type RunsAnswer, type Side, type SideFacts, type SpanFile } from '../contract/wire';
import type { Address } from '../host/url_state';
import { formatBytes, formatMany } from '../ui/format';
import { Button, FilterChip, IconButton } from '../ui/buttons';
import { Icon } from '../ui/icons';
import { Choice } from '../ui/controls/choice';
import { Menu } from '../ui/controls/menu';
import { deviceName } from '../ui/run_names';
import { Segments } from '../ui/controls/segments';
import { Select } from '../ui/controls/select';
import { Toolbar } from '../ui/controls/toolbar';
import { letterOf, other, sideName, SIDES, type Letter } from '../ui/sides';
import { metricWords, text, type MetricWords } from '../ui/strings';
import { RunSelect } from './run_select';
import { attachable, filesOf, findRun, formatTitle, isTrace, missingOf, spansOf, withLaunches, withSteps } from './selection';
import { StepsChoice } from './steps_choice';

interface Props {
  answer: RunsAnswer;
  a: Side | null;
  b: Side | null;
  guess: string | null;
  comparison: Comparison | null;
  onPair: (a: Side | null, b: Side | null) => void;
  onOpenProfiler: ((letter: Letter) => void) | null;
  actions: preact.ComponentChildren;
  /** which sides can be chosen: only A on the page with several candidates */
  sides: 'both' | 'a' | 'none';
  /** for B: the link back to the compared candidates, and the callback that takes several candidates */
  back: preact.ComponentChildren;
  onSeveral: (runs: string[]) => void;
  /** called when a list of runs is about to be shown */
  onListOpen: () => void;
  /** shows the history of recorded runs; undefined if there is none */
  onHistory: (() => void) | undefined;
  /** the verdict in a few words */
  brief: preact.ComponentChildren;
  /** where steps end; null if that cannot be chosen */
  window: Address['window'] | null;
  onWindow: (window: Address['window']) => void;
  /** the choice of what marks a step */
  marker: preact.ComponentChildren;
}

const wordsOf = (comparison: Comparison | null): MetricWords => metricWords(comparison?.headline.metric ?? 'step_time');

function SidePicker({ letter, ...props }: Props & { letter: Letter }) {
  const { answer, comparison, sides, window, onOpenProfiler } = props;
  const side = props[letter];
  const onChange = (chosen: Side): void => (letter === 'a' ? props.onPair(chosen, props.b) : props.onPair(props.a, chosen));
  const facts = comparison?.[SIDES[letter]] ?? null;
  const words = wordsOf(comparison);
  // whether kernel listings and exports can be attached
  const attaches = sides === 'both';
  const name = sideName(letter);
  const run = side ? findRun(answer, side.run) : undefined;
  const workers = run?.workers.map((entry) => entry.worker) ?? [];
  const spans = run && side ? spansOf(run, side.worker) : [];
  const missing = side ? missingOf(answer, side) : null;
  const trace = isTrace(run);
  return (
    <section class={`side line side-${letter}${missing ? ' side-missing' : ''}`} aria-label={name}>
      <span class="badge" title={name}>
        {letterOf(letter)}
      </span>
      <RunSelect
        label={text.picker.label(name, text.picker.run)}
        title={text.picker.title(name)}
        runs={answer.runs}
        value={side?.run ?? null}
        beside={props[other(letter)]?.run}
        onChoose={(chosen) => onChange(wholeRun(chosen))}
        onSeveral={letter === 'b' ? props.onSeveral : undefined}
        onOpen={props.onListOpen}
        problems={answer.problems}
        onHistory={props.onHistory}
      />
      {side?.steps && (
        <FilterChip class="side-steps" title={text.picker.allSteps(words)} onClick={() => onChange(withSteps(side, ''))}>{text.picker.onlySteps(name, side.steps, words)}</FilterChip>
      )}
      {letter === 'b' && props.back}
      <Menu class="side-details" title={text.picker.details(name)} label={<Facts letter={letter} {...props} />}>
        {() => (
          <>
            <p class="pop-head small strong muted">
              {name}{' '}
              {side && run?.format !== undefined && (
                <span class="format small muted">
                  {formatTitle(run.format)}, {filesText(filesOf(answer, side))}
                </span>
              )}
            </p>
            {side && <PartChoice what="worker" side={name} values={workers} value={side.worker} onChoose={(worker) => onChange({ run: side.run, worker, span: null })} />}
            {side && <PartChoice what="span" side={name} values={spans} value={side.span} onChoose={(span) => onChange({ ...side, span })} />}
            {side && attaches && (trace || side.steps !== undefined || (facts?.steps.count ?? 0) > 1) && (
              <StepsChoice name={name} steps={side.steps ?? ''} words={words} onSteps={(steps) => onChange(withSteps(side, steps))} />
            )}
            {trace && window !== null && (
              <>
                <Boundary window={window} onWindow={props.onWindow} />
                {props.marker}
              </>
            )}
            {side && attaches && trace && <Attach answer={answer} name={name} side={side} onChange={onChange} />}
            {side && onOpenProfiler && !missing && trace && (
              <>
                <Button title={text.picker.openProfiler(name)} aria-label={text.picker.openProfiler(name)} onClick={() => onOpenProfiler(letter)}>
                  <Icon name="open" size={14} /> {text.picker.profiler}
                </Button>
                <p class="pop-note small muted">{text.picker.profilerOnline}</p>
              </>
            )}
          </>
        )}
      </Menu>
    </section>
  );
}

/** The choice of where steps end, for both sides. */
function Boundary({ window, onWindow }: { window: Address['window']; onWindow: (window: Address['window']) => void }) {
  return (
    <Choice label={text.actions.windowShort}>
      <Segments label={text.actions.window} all={['device', 'marker'] as const} chosen={(entry) => window === entry} name={(entry) => entry === 'device' ? text.actions.device : text.actions.marker} title={(entry) => `${text.actions.window}: ${entry === 'device' ? text.actions.deviceAbout : text.actions.markerAbout}`} onChoose={(entry) => onWindow(entry)} />
    </Choice>
  );
}

interface PartProps {
  what: 'worker' | 'span';
  /** the side's name */
  side: string;
  values: string[];
  value: string | null;
  onChoose: (value: string | null) => void;
}

/** The choice of a worker or span, "all" first; nothing if there is only one. */
function PartChoice({ what, side, values, value, onChoose }: PartProps) {
  if (values.length < 2 && value === null) return null;
  return (
    <Choice label={text.picker[what]}>
      <Select
        label={text.picker.label(side, text.picker[what])}
        title={value ?? text.picker.together}
        value={value ?? ''}
        options={[['', formatMany(values.length, text.picker[what])], ...values.map((entry): [string, string] => [entry, what === 'span' ? `${what} ${entry}` : entry])]}
        missing={text.picker.missing}
        onChoose={(chosen) => onChoose(chosen === '' ? null : chosen)}
      />
    </Choice>
  );
}

/** The choice of a kernel listing or ncu export with figures for this trace's kernels; nothing if there is none. */
function Attach({ answer, name, side, onChange }: { answer: RunsAnswer; name: string; side: Side; onChange: (side: Side) => void }) {
  const runs = attachable(answer);
  const value = side.launches ?? '';
  if (runs.length === 0 && value === '') return null;
  return (
    <Choice label={text.picker.attach} about={text.picker.attachAbout}>
      <Select
        label={text.picker.label(name, text.picker.attach)}
        value={value}
        options={[['', text.picker.attachNone], ...runs.map(({ run }): [string, string] => [run, run])]}
        missing={text.picker.missing}
        onChoose={(run) => onChange(withLaunches(side, run))}
      />
    </Choice>
  );
}

function deviceText(facts: SideFacts): string {
  return text.picker.device(facts.device.word ?? facts.device.kind.toUpperCase(), facts.device.count, facts.device.name && deviceName(facts.device.name));
}

const filesText = (files: SpanFile[]): string => text.picker.files(files.length, formatBytes(files.reduce((sum, file) => sum + file.bytes, 0)));

/** Steps and device of a side, its files until these are known; facts that differ between the sides are emphasized. */
function Facts({ letter, answer, comparison, ...sides }: Pick<Props, 'answer' | 'comparison' | 'a' | 'b'> & { letter: Letter }) {
  const side = sides[letter];
  const [format, otherFormat] = [side, sides[other(letter)]].map((one) => (one ? findRun(answer, one.run)?.format : undefined));
  const [facts, others] = [letter, other(letter)].map((one) => comparison?.[SIDES[one]]);
  const files = side ? filesOf(answer, side) : [];
  const parts: { text: string; differs: boolean }[] = [];
  if (format !== undefined && otherFormat !== undefined && format !== otherFormat) parts.push({ text: formatTitle(format), differs: true });
  if (facts) {
    parts.push({ text: text.picker.steps(facts.steps.admitted, facts.steps.count, wordsOf(comparison)), differs: false });
    parts.push({ text: deviceText(facts), differs: others !== undefined && deviceText(facts) !== deviceText(others) });
  }
  if (!facts && files.length > 0) parts.push({ text: filesText(files), differs: false });
  return (
    <span class="facts small muted" title={files.map((file) => file.name).join('\n')}>
      {parts.map((part) => (
        <span key={part.text} class={`clip${part.differs ? ' differs' : ''}`}>
          {part.text}
        </span>
      ))}
      {parts.length === 0 && <span class="clip">{text.picker.noFacts}</span>}
    </span>
  );
}

export function Pickers(props: Props) {
  const { a, b, guess, sides, brief, actions, onPair } = props;
  return (
    <div class={`pickers line pickers-${sides}`}>
      <Toolbar class="sides line" label={text.picker.region}>
        {sides !== 'none' && <SidePicker letter="a" {...props} />}
        {sides === 'both' && (
          <>
            <IconButton icon="swap" label={text.picker.swap} size={18} disabled={!a || !b} onClick={() => onPair(b, a)} />
            <SidePicker letter="b" {...props} />
          </>
        )}
      </Toolbar>
      {brief}
      <Toolbar class="actions line" label={text.actions.region}>
        {actions}
        {guess !== null && (
          <p class="guess unsure" title={text.picker.guessReason(guess)}>
            {text.picker.guess}
          </p>
        )}
      </Toolbar>
    </div>
  );
}
