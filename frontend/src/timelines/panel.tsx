// Panel below the timelines: the largest differences between the steps, or the selected event and its counterpart.

import { FigureBox } from '../charts/figure_box';
import { CopyName } from '../host/copy_name';
import { TIMELINES } from '../host/tab';
import type { Located } from '../host/use_address';
import { Delta } from '../ui/delta';
import { formatCount, formatNumber, formatTime, NOT_MEASURED } from '../ui/format';
import { IconButton, LinkButton } from '../ui/buttons';
import type { IconName } from '../ui/icons';
import { Facts, type Fact } from '../ui/controls/facts';
import { Segments } from '../ui/controls/segments';
import { Measures } from '../ui/controls/measures';
import { Badge, other, sideName, type Letter } from '../ui/sides';
import { sentence, text } from '../ui/strings';
import type { EventAnswer, EventFacts } from '../contract/sent';
import type { Compared, Differences } from './data/wire';
import { words } from './data/words';
import { aligning, differencesOf } from './state';
import { Swatch } from '../ui/controls/swatch';

const us = (ns: number | null, signed = false): string => formatTime(ns === null ? null : ns / 1000, signed);

interface DifferencesProps extends Located {
  compared: Compared;
  /** whether the list covers only the visible range; null if that is both whole steps */
  inView: boolean | null;
  /** the visible range as text */
  area: string;
  onArea: (inView: boolean) => void;
  onShow: (side: Letter, event: number) => void;
}

const NOTHING: Differences = { name: [], short_name: [], kind: [], baseline_calls: [], baseline_ns: [], baseline_event: [], candidate_calls: [], candidate_ns: [], candidate_event: [] };

/** Lists names by the difference of their self times, largest first. */
export function DifferenceList({ compared, inView, area, address, onChange, onArea, onShow }: DifferencesProps) {
  const found = compared.differences ?? NOTHING;
  const delta = found.name.map((_, at) => (found.candidate_ns[at] ?? 0) - (found.baseline_ns[at] ?? 0));
  const rows = differencesOf(compared);
  const rest = delta.reduce((sum, value) => sum + value, 0) - rows.reduce((sum, { delta_ns }) => sum + delta_ns, 0) + (compared.differences_left_out?.delta_ns ?? 0);
  const names = found.name.length - rows.length + (compared.differences_left_out?.names ?? 0);
  const largest = Math.max(...rows.map(({ delta_ns }) => Math.abs(delta_ns)), 1);
  const tools = inView !== null && (
    <Segments label={words.panel.where} all={[false, true]} chosen={(view) => view === inView} name={(view) => (view ? words.panel.inView : words.panel.wholeSteps)} onChoose={onArea} />
  );
  return (
    <FigureBox class="st-panel st-differences stack" title={words.panel.differences} about={inView ? area : sentence(words.panel.differencesAbout)} tab={TIMELINES} address={address} onChange={onChange} tools={tools}>
      {rows.length === 0 ? (
        <p class="muted">{!compared.differences ? text.lazy.loading : inView ? words.panel.noneInView : words.panel.none}</p>
      ) : (
        <div class="st-table" tabIndex={0} role="group" aria-label={words.panel.differences}>
          <table class="small-table wide">
            <thead>
              <tr>
                <th scope="col">{words.panel.name}</th>
                <th scope="col">{words.panel.kind}</th>
                <th scope="col" class="num">{words.panel.calls}</th>
                <th scope="col" class="num text-a">{sideName('a')}</th>
                <th scope="col" class="num text-b">{sideName('b')}</th>
                <th scope="col" class="num">{words.panel.delta}</th>
                <th scope="col" aria-hidden="true" class="st-bar-head" />
              </tr>
            </thead>
            <tbody>
              {rows.map(({ at, side, event }) => {
                const kind = compared.kinds[found.kind[at]!]!;
                return (
                  <tr key={at}>
                    <th scope="row" class="clip" title={found.name[at]}>
                      <LinkButton class="clip" onClick={() => onShow(side, event)}>{found.short_name[at]}</LinkButton>
                      {found.baseline_event[at] === null && <span class="chip chip-new">{words.legend.only.b}</span>}
                      {found.candidate_event[at] === null && <span class="chip chip-gone">{words.legend.only.a}</span>}
                    </th>
                    <td>
                      <Swatch fill={`var(--event-${kind})`} /> {words.kinds[kind]}
                    </td>
                    <td class="num">
                      {callsText(found.baseline_calls[at]!, found.candidate_calls[at]!)}
                    </td>
                    <td class="num">{us(found.baseline_ns[at]!)}</td>
                    <td class="num">{us(found.candidate_ns[at]!)}</td>
                    <td class="num">
                      <Delta value={delta[at]!}>{us(delta[at]!, true)}</Delta>
                    </td>
                    <td aria-hidden="true">
                      <span class={`st-bar bar-${delta[at]! > 0 ? 'more' : 'less'}`} style={{ width: `${(60 * Math.abs(delta[at]!)) / largest}px` }} />
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
          {names > 0 && <p class="muted">{words.panel.rest(names, us(rest, true))}</p>}
        </div>
      )}
    </FigureBox>
  );
}

function callsText(a: number | null, b: number | null): string {
  const one = (value: number | null): string => (value === null ? NOT_MEASURED : formatCount(value));
  return a === b ? one(a) : `${one(a)} → ${one(b)}`;
}

interface EventProps {
  /** nanoseconds by which B is shifted right */
  shift: number;
  side: Letter;
  answer: EventAnswer | null;
  /** name from the picture, shown until the answer arrives */
  name: string;
  failure: string;
  /** number of events drawn as one mark at this zoom, 1 if it is alone */
  together: number;
  onKey: (key: string) => void;
  onShow: (side: Letter, event: number) => void;
}

/** Both sides of an event; the left column is always A. */
export function EventPanel({ shift, side, answer, name, failure, together, onKey, onShow }: EventProps) {
  const buttons: [key: string, label: string, icon: IconName][] = [
    [',', words.panel.previous, 'up'],
    ['.', words.panel.next, 'down'],
    ['f', words.panel.focus, 'whole'],
    ['n', words.panel.nextDifference, 'delta'],
  ];
  if (answer?.counterpart) {
    const by = aligning(side, answer);
    buttons.push(['c', words.panel.other, 'swap']);
    if (by !== 0) buttons.push(['l', by === shift ? words.panel.straight : words.panel.align, 'align']);
  }
  buttons.push(['Escape', text.panel.close, 'close']);
  return (
    <section class="panel st-panel st-event" aria-label={words.panel.selected}>
      <header>
        <Badge side={side} />
        <h2 class="full-name">{answer?.event.name ?? name}</h2>
        {answer && <CopyName name={answer.event.name} />}
        {buttons.map(([key, label, icon]) => (
          <IconButton key={key} icon={icon} label={label} onClick={() => onKey(key)} />
        ))}
      </header>
      {together > 1 && (
        <p class="unsure">
          {words.panel.run(together)}. {words.panel.runAbout}
        </p>
      )}
      {failure !== '' && <p role="alert">{failure}</p>}
      {answer && (
        <div class="st-event-body">
          <EventMeasures side={side} answer={answer} />
          <EventContext side={side} answer={answer} onShow={onShow} />
        </div>
      )}
    </section>
  );
}

/** More `time` is worse; a change of an instant or a count is neutral. */
type Measure = [label: string, about: string, of: (facts: EventFacts) => number | null, form: 'time' | 'instant' | 'count'];

const MEASURES: Measure[] = [
  [words.panel.duration, '', (facts) => facts.dur_ns, 'time'],
  [words.panel.own, words.panel.ownAbout, (facts) => (facts.self_ns === facts.dur_ns ? null : facts.self_ns), 'time'],
  [words.panel.start, words.panel.startAbout, (facts) => facts.start_ns, 'instant'],
  [words.panel.device, words.panel.deviceAbout, (facts) => (facts.launches ? facts.device_ns : null), 'time'],
  [words.panel.launches, words.panel.launchesAbout, (facts) => facts.launches || null, 'count'],
  [words.panel.queue, words.panel.queueAbout, (facts) => facts.queue_ns, 'time'],
  [words.panel.idle, words.panel.idleAbout, (facts) => facts.idle_ns, 'time'],
  [words.panel.same, words.panel.sameAbout, (facts) => facts.same_count, 'count'],
  [words.panel.sameTime, words.panel.sameAbout, (facts) => facts.same_ns, 'time'],
];

function EventMeasures({ side, answer: { event, counterpart, renamed } }: { side: Letter; answer: EventAnswer }) {
  const [a, b] = side === 'a' ? [event, counterpart] : [counterpart, event];
  const shown = MEASURES.filter(([, , of]) => [a, b].some((facts) => facts !== null && of(facts) !== null));
  const figure = (value: number | null, form: Measure[3], signed = false): string => (form === 'count' ? formatNumber(value, 0, signed) : us(value, signed));
  return (
    <div>
      <Measures
        lines={shown.map(([label, title, of, form]) => {
          const [before, after] = [a && of(a), b && of(b)];
          const delta = before !== null && after !== null ? after - before : null;
          const difference = delta === null ? NOT_MEASURED : <Delta value={delta} {...(form === 'time' ? {} : { sense: 0 as const })}>{figure(delta, form, true)}</Delta>;
          return { label, title, figures: [figure(before, form), figure(after, form), difference] };
        })}
      />
      {!counterpart && <p class="muted">{words.panel.noCounterpart}</p>}
      {counterpart && renamed && (
        <p class="muted">
          {words.panel.renamed} <code>{counterpart.name}</code>
        </p>
      )}
    </div>
  );
}

const MAX_LINKS = 6;

function EventContext({ side, answer: { event, counterpart }, onShow }: { side: Letter; answer: EventAnswer; onShow: (side: Letter, event: number) => void }) {
  const links = (roles: string[]): preact.ComponentChildren => {
    const found = event.linked.filter((link) => roles.includes(link.role));
    return (
      <>
        {found.slice(0, MAX_LINKS).map((link) => (
          <button key={link.event} type="button" class="link-button st-link soft clip" title={link.name} onClick={() => onShow(side, link.event)}>
            {link.short_name} <span class="muted">{us(link.dur_ns)}</span>
          </button>
        ))}
        {found.length > MAX_LINKS && <span class="muted">{words.panel.more((event.launches ?? found.length) - MAX_LINKS)}</span>}
      </>
    );
  };
  const entries: Fact[] = [[words.panel.lane, `${event.lane} ${words.lane.kind[event.lane_kind] ?? ''}`]];
  if (event.linked.some((link) => link.role !== 'launched')) entries.push([words.panel.launchedBy, links(['operator', 'launcher'])]);
  if (event.linked.some((link) => link.role === 'launched')) entries.push([words.panel.launched, links(['launched'])]);
  if (event.enclosing.length > 0) entries.push([words.panel.inside, event.enclosing.join(' › ')]);
  for (const [name, value] of Object.entries(event.args)) {
    if (value === '' || value === null) continue;
    const there = counterpart?.args[name];
    const [own, others] = [argText(value), there === undefined ? '' : argText(there)];
    entries.push([
      words.panel.args[name] ?? name.replaceAll('_', ' '),
      others !== '' && others !== own ? (
        <>
          <span class={`text-${side}`}>{own}</span> <span class={`text-${other(side)}`}>{others}</span>
        </>
      ) : (
        own
      ),
    ]);
  }
  return <Facts class="st-facts" facts={entries} />;
}

function argText(value: unknown): string {
  if (typeof value === 'number') return formatCount(value);
  if (Array.isArray(value)) return value.every((item) => typeof item !== 'object' || item === null) ? `[${value.map((item) => (item === '' ? '–' : String(item))).join(', ')}]` : value.map(argText).join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
