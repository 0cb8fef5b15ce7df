// Panel below the timelines: the largest differences between the steps, or the selected event and its counterpart.

import { useMemo } from 'preact/hooks';
import { FigureBox } from '../charts/figure_box';
import { PLAIN_COLUMN, PLAIN_TABLE, type Cell, type Column, type Table } from '../contract/wire';
import { CopyName } from '../host/copy_name';
import { TIMELINES } from '../host/tab';
import type { Located } from '../host/use_address';
import { SmallTable } from '../table/small_table';
import { Delta } from '../ui/delta';
import { formatCount, formatNumber, formatTime, NOT_MEASURED } from '../ui/format';
import { IconButton } from '../ui/buttons';
import type { IconName } from '../ui/icons';
import { Facts, type Fact } from '../ui/controls/facts';
import { Segments } from '../ui/controls/segments';
import { Measures } from '../ui/controls/measures';
import { Badge, other, sideName, type Letter } from '../ui/sides';
import { sentence, text } from '../ui/strings';
import type { EventAnswer, EventFacts } from '../contract/sent';
import type { Compared } from './data/wire';
import { words } from './data/words';
import { aligning, differencesOf, type Difference } from './state';

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

const column = (name: string, label: string, kind: Column['kind'], more: Partial<Column> = {}): Column => ({ ...PLAIN_COLUMN, name, label, kind, ...more });
const TIME = { unit: 'us', better: 'lower' } as const;

const COLUMNS = [
  column('name', words.panel.name, 'text', { role: 'key' }),
  column('kind', words.panel.kind, 'text'),
  column('baseline_calls', words.panel.callsOf(text.letterA), 'count', { measure: 'calls', side: 'baseline' }),
  column('candidate_calls', words.panel.callsOf(text.letterB), 'count', { measure: 'calls', side: 'candidate' }),
  column('baseline_us', sideName('a'), 'time_us', { ...TIME, role: 'baseline', side: 'baseline' }),
  column('candidate_us', sideName('b'), 'time_us', { ...TIME, role: 'candidate', side: 'candidate' }),
  column('delta_us', words.panel.delta, 'time_us', { ...TIME, role: 'delta', statistic: 'delta' }),
  column('status', '', 'text', { role: 'status' }),
];

/** The names that differ as a table, in the order of `rows`. */
function differenceTable({ kinds, differences: found }: Compared, rows: Difference[]): Table {
  const us = (ns: number | null): number | null => (ns === null ? null : ns / 1000);
  const cells = rows.map(({ at, delta_ns }): Cell[] => [
    found!.name[at]!, words.kinds[kinds[found!.kind[at]!]!]!, found!.baseline_calls[at]!, found!.candidate_calls[at]!, us(found!.baseline_ns[at]!), us(found!.candidate_ns[at]!), us(delta_ns),
    found!.baseline_event[at] === null ? 'added' : found!.candidate_event[at] === null ? 'removed' : 'both',
  ]);
  const short_names = Object.fromEntries(rows.map(({ at }) => [found!.name[at]!, found!.short_name[at]!]));
  return { ...PLAIN_TABLE, title: words.panel.differences, columns: COLUMNS, rows: cells, short_names };
}

/** Lists names by the difference of their self times, largest first. */
export function DifferenceList({ compared, inView, area, address, onChange, onArea, onShow }: DifferencesProps) {
  const found = compared.differences;
  const rows = useMemo(() => differencesOf(compared), [compared]);
  const table = useMemo(() => differenceTable(compared, rows), [compared, rows]);
  const sum = (all: (number | null)[] = []): number => all.reduce<number>((total, ns) => total + (ns ?? 0), 0);
  const rest = sum(found?.candidate_ns) - sum(found?.baseline_ns) - sum(rows.map(({ delta_ns }) => delta_ns)) + (compared.differences_left_out?.delta_ns ?? 0);
  const names = (found?.name.length ?? 0) - rows.length + (compared.differences_left_out?.names ?? 0);
  const tools = inView !== null && (
    <Segments label={words.panel.where} all={[false, true]} chosen={(view) => view === inView} name={(view) => (view ? words.panel.inView : words.panel.wholeSteps)} onChoose={onArea} />
  );
  return (
    <FigureBox class="st-panel st-differences stack" title={words.panel.differences} about={inView ? area : sentence(words.panel.differencesAbout)} tab={TIMELINES} address={address} onChange={onChange} tools={tools}>
      {rows.length === 0 ? (
        <p class="muted">{!found ? text.lazy.loading : inView ? words.panel.noneInView : words.panel.none}</p>
      ) : (
        <>
          <SmallTable table={table} onOpen={(row) => onShow(rows[row]!.side, rows[row]!.event)} />
          {names > 0 && <p class="muted">{words.panel.rest(names, us(rest, true))}</p>}
        </>
      )}
    </FigureBox>
  );
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
