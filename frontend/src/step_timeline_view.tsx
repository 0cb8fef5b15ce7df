// One step of each run, one above the other on one time scale: where inside a step two runs differ.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { RequestError } from './api';
import { formatTime } from './format';
import { EMPTY_ADDRESS, type Address } from './hash';
import { parseQuery, isRegex } from './search';
import { adoptSheet } from './sheets';
import { failureText, Message } from './states';
import css from './step_timeline.css?inline';
import { Canvases, scrollTo, type Selected } from './step_timeline_canvases';
import { fetchEvent, otherSide, readChoice, stepQuery, type Choice, type Letter } from './step_timeline_fetch';
import { showing, spanAfterKey } from './step_timeline_gestures';
import { layoutOf, readFolds, writeFolds } from './step_timeline_layout';
import type { Place } from './step_timeline_overlay';
import { DifferenceList, EventPanel } from './step_timeline_panel';
import { Head, Legend } from './step_timeline_parts';
import { bestPicture, usePictures, type SideState } from './step_timeline_pictures';
import { around, isWhole, type Span } from './step_timeline_span';
import type { Shown } from './step_timeline_stage';
import { Downloads, StepPicker, Tools } from './step_timeline_tools';
import { eventOf, eventsIn, markOf, type EventAnswer, type EventFacts, type Picture } from './step_timeline_wire';
import { words } from './step_timeline_words';
import { sentence, text } from './strings';
import type { Change } from './use_address';

adoptSheet(css);

const SIDES: Letter[] = ['a', 'b'];
const ROOM = 0.01;

interface Props {
  /** names the pair's files as they are now */
  question: string;
  /** the pair, as every route takes it */
  query: URLSearchParams;
  address: Address;
  onChange: (change: Change, push?: boolean) => void;
}

export function StepTimelines({ question, query, address, onChange }: Props) {
  const choices = useMemo(() => ({ a: readChoice(address.stepA), b: readChoice(address.stepB) }), [address.stepA, address.stepB]);
  const search = useMemo(() => parseQuery(address.q), [address.q]);
  const find = search.empty || isRegex(address.q) ? '' : address.q;
  const pictures = usePictures(question, query, choices, find);
  const [seen, setSeen] = useState<{ span: Span; pixels: number } | null>(null);
  const wholes = { a: pictures.a.whole, b: pictures.b.whole };
  const shift = Number.isFinite(Number(address.shift)) ? Number(address.shift) : 0;
  const whole = useMemo(() => commonSpan(wholes.a, wholes.b, shift), [wholes.a, wholes.b, shift]);
  const selected = readSelected(address.event);
  const { facts, failure } = useFacts(question, query, choices, selected);
  const [wanted, setWanted] = useState<Span>(() => readSpan(address.at) ?? whole);

  // a link's stretch, and the whole once it is known
  useEffect(() => {
    const asked = readSpan(address.at);
    if (asked && !(seen && roughly(asked, seen.span))) setWanted(asked);
    else if (!asked && (!seen || !isWhole(whole, seen.span))) setWanted(whole);
  }, [address.at, whole]);

  useEffect(() => {
    if (seen) pictures.look({ a: seen.span, b: moved(seen.span, -shift) }, seen.pixels);
  }, [seen, shift, wholes.a, wholes.b, pictures.look]);

  const turned = useMemo(() => readFolds(address.fold), [address.fold]);
  const span = seen?.span ?? wanted;
  const drawn = { a: bestPicture(pictures.a, span), b: bestPicture(pictures.b, moved(span, -shift)) };
  const layouts = useMemo(() => ({ a: wholes.a && layoutOf(wholes.a.wire.lanes, turned), b: wholes.b && layoutOf(wholes.b.wire.lanes, turned) }), [wholes.a, wholes.b, turned]);
  const shown: Shown = useMemo(
    () => ({
      a: { picture: drawn.a, whole: wholes.a, layout: layouts.a },
      b: { picture: drawn.b, whole: wholes.b, layout: layouts.b },
      whole,
      shift,
      colours: address.colour === 'change' ? 'change' : 'kind',
      search: search.empty || search.error !== '' ? null : search.test,
      ...marked(selected, facts),
    }),
    [drawn.a, drawn.b, wholes.a, wholes.b, layouts, whole, shift, address.colour, search, address.event, facts],
  );
  const latest = useRef({ shown, span, facts, selected });
  latest.current = { shown, span, facts, selected };

  const see = (next: Span): void => setWanted({ ...next });
  const select = (next: Selected | null): void => onChange({ event: next ? `${next.side}:${next.event}` : '' });
  /** Selects an event and brings it into view. */
  const reveal = (side: Letter, event: number, at?: Pick<EventFacts, 'row' | 'start_ns' | 'dur_ns'>): void => {
    select({ side, event });
    const picture = drawn[side] ?? wholes[side];
    const place = at ? { row: at.row, from: at.start_ns, to: at.start_ns + at.dur_ns } : picture && placeOf(picture, event);
    if (!place) return;
    const by = side === 'b' ? shift : 0;
    see(showing(whole, latest.current.span, place.from + by, place.to + by, seen ? seen.pixels / (window.devicePixelRatio || 1) : 1000));
    scrollTo(shown, side, place.row);
  };
  const onKey = (key: string): boolean => {
    const now = latest.current;
    if (key === 'Escape') {
      if (!now.selected) return false;
      select(null);
    } else if ((key === 'f' || key === 'F') && now.facts && now.selected) {
      const { start_ns, dur_ns } = now.facts.event;
      const from = start_ns + (now.selected.side === 'b' ? shift : 0);
      see(around(whole, from, from + dur_ns));
    } else if ((key === 'c' || key === 'C') && now.facts?.counterpart && now.selected) {
      reveal(otherSide(now.selected.side), now.facts.counterpart.event, now.facts.counterpart);
    } else if ((key === 'l' || key === 'L') && (shift !== 0 || now.facts?.counterpart)) {
      const { event, counterpart } = now.facts ?? { event: null, counterpart: null };
      const by = event && counterpart ? (now.selected?.side === 'a' ? event.start_ns - counterpart.start_ns : counterpart.start_ns - event.start_ns) : 0;
      onChange({ shift: by === 0 || by === shift ? '' : String(by) });
    } else if ((key === ',' || key === '.') && now.selected) {
      const found = drawn[now.selected.side] && markOf(drawn[now.selected.side]!, now.selected.event);
      const next = found ? found.mark + (key === '.' ? 1 : -1) : -1;
      if (found && next >= 0 && next < found.row.count) reveal(now.selected.side, eventOf(found.row, next));
    } else return false;
    return true;
  };
  const nextFound = (): void => {
    const next = nextMatch(shown, selected);
    if (next) reveal(next.side, next.event);
  };

  if (pictures.a.absent || pictures.b.absent) return <Message title={words.title} hint={sentence(pictures.a.absent || pictures.b.absent)} />;
  const steps = wholes.a && wholes.b ? { a: stepOf(wholes.a), b: stepOf(wholes.b) } : null;
  const ready = wholes.a !== null || wholes.b !== null;
  const together = selected && drawn[selected.side] ? runSize(drawn[selected.side]!, selected.event) : 1;
  const head = (side: Letter): preact.ComponentChildren => (
    <>
      <StepPicker
        side={side}
        choice={choices[side]}
        whole={wholes[side]}
        otherIsSame={choices[otherSide(side)].step === 'same'}
        onChoose={(step) => onChange({ [side === 'a' ? 'stepA' : 'stepB']: step, event: '', at: '', shift: '' }, true)}
      />
      <SideTrouble side={side} state={pictures[side]} onTypical={() => onChange({ [side === 'a' ? 'stepA' : 'stepB']: EMPTY_ADDRESS.stepA })} onAgain={pictures.again} />
      {wholes[side] && <Head whole={wholes[side]} picture={drawn[side] ?? wholes[side]} shift={side === 'b' ? shift : 0} onStraight={() => onChange({ shift: '' })} />}
    </>
  );
  return (
    <div class="st" aria-busy={pictures.a.waiting || pictures.b.waiting}>
      <div class="toolbar st-toolbar" role="group" aria-label={words.toolbar}>
        <Tools
          colours={shown.colours}
          search={address.q}
          problem={search.error}
          found={foundText(shown)}
          onColours={(colours) => onChange({ colour: colours === 'change' ? 'change' : '' })}
          onSearch={(q) => onChange({ q })}
          onNext={nextFound}
          onZoom={(key) => see(spanAfterKey(key, whole, latest.current.span, (latest.current.span.from + latest.current.span.to) / 2) ?? whole)}
        />
        {ready && <Legend pictures={[wholes.a, wholes.b].flatMap((picture) => picture ?? [])} change={shown.colours === 'change'} />}
        <Downloads pair={query} steps={steps} />
      </div>
      {ready || pictures.a.waiting || pictures.b.waiting ? (
        <Canvases
          shown={shown}
          wanted={wanted}
          selected={selected}
          heads={{ a: head('a'), b: head('b') }}
          labels={{ a: labelOf('a', wholes.a), b: labelOf('b', wholes.b) }}
          onSettled={(next, pixels) => {
            setSeen({ span: next, pixels });
            onChange({ at: isWhole(whole, next) ? '' : writeSpan(next) });
          }}
          onSelect={select}
          onFold={(key) => {
            const folds = new Set(turned);
            if (!folds.delete(key)) folds.add(key);
            onChange({ fold: writeFolds(folds) });
          }}
          onKey={onKey}
        />
      ) : (
        SIDES.map((side) => <SideTrouble key={side} side={side} state={pictures[side]} onTypical={() => onChange({ [side === 'a' ? 'stepA' : 'stepB']: EMPTY_ADDRESS.stepA })} onAgain={pictures.again} />)
      )}
      {ready &&
        (selected ? (
          <EventPanel shift={shift} side={selected.side} answer={facts} failure={failure} together={together} onClose={() => select(null)} onKey={onKey} onShow={(side, event) => reveal(side, event, linkedPlace(facts, event))} />
        ) : (
          wholes.a && <DifferenceList picture={wholes.a} open={address.figure === 'open'} onToggle={(open) => onChange({ figure: open ? 'open' : 'closed' })} onShow={(side, event) => reveal(side, event)} />
        ))}
      <p class="sr" role="status">
        {facts && selected ? saidOf(selected.side, facts) : ''}
      </p>
    </div>
  );
}

/** What keeps a side from being drawn, or how far it is: one line above its timeline. */
function SideTrouble({ side, state, onTypical, onAgain }: { side: Letter; state: SideState; onTypical: () => void; onAgain: () => void }) {
  if (state.failure) {
    const { message, hint } = failureText(state.failure);
    const chosen = state.failure instanceof RequestError && state.failure.code === 'selection';
    return (
      <p class="st-trouble" role="alert">
        {sentence(message)} {hint !== '' && <span class="muted">{sentence(hint)}</span>}{' '}
        <button type="button" class="link-button" onClick={chosen ? onTypical : onAgain}>
          {chosen ? words.states.typical : text.errors.retry}
        </button>
      </p>
    );
  }
  if (!state.waiting) return null;
  const { progress } = state;
  return (
    <p class="muted late" role="status">
      {words.states.waiting(words.side[side])} {progress && `${words.states.phase[progress.phase] ?? ''} ${progress.path}`}
    </p>
  );
}

/** Both steps on one scale, with a little room at the ends. */
export function commonSpan(a: Picture | null, b: Picture | null, shift = 0): Span {
  const extents = [a, b].flatMap((picture, place) => (picture ? [picture.wire.extent.map((at) => at + place * shift) as [number, number]] : []));
  if (extents.length === 0) return { from: 0, to: 1 };
  const [from, to] = [Math.min(...extents.map(([first]) => first)), Math.max(...extents.map(([, last]) => last))];
  const room = Math.max(1, Math.round(ROOM * (to - from)));
  return { from: from - room, to: to + room };
}

export function readSelected(text: string): Selected | null {
  const found = /^([ab]):(\d{1,9})$/.exec(text);
  return found ? { side: found[1] as Letter, event: Number(found[2]) } : null;
}

/** `from_to` in nanoseconds, as links have it. */
export function readSpan(text: string): Span | null {
  const found = /^(-?\d{1,18})_(-?\d{1,18})$/.exec(text);
  return found && Number(found[2]) > Number(found[1]) ? { from: Number(found[1]), to: Number(found[2]) } : null;
}

export function writeSpan(span: Span): string {
  const from = Math.round(span.from);
  return `${from}_${Math.max(from + 1, Math.round(span.to))}`;
}

const moved = (span: Span, by: number): Span => ({ from: span.from + by, to: span.to + by });

const roughly = (one: Span, other: Span): boolean => Math.abs(one.from - other.from) <= 1 && Math.abs(one.to - other.to) <= 1;

function stepOf(picture: Picture): Choice {
  const { label, worker, span } = picture.wire.step;
  return { step: label, worker, span };
}

function labelOf(side: Letter, picture: Picture | null): string {
  if (!picture) return words.side[side];
  const { step, total_ns, events, lanes } = picture.wire;
  const said = lanes.map((lane) => words.canvas.lane(lane.name, words.lane.kind[lane.kind] ?? lane.kind, lane.events, formatTime(lane.busy_ns / 1000))).join('; ');
  return words.canvas.label(words.side[side], step.label, formatTime(total_ns / 1000), events, said);
}

function placeOf(picture: Picture, event: number): { row: number; from: number; to: number } | null {
  const found = markOf(picture, event);
  return found && { row: found.row.row, from: found.row.start[found.mark]!, to: found.row.end[found.mark]! };
}

/** Events drawn together with this one, where it is the one that stands for them. */
function runSize(picture: Picture, event: number): number {
  const found = markOf(picture, event);
  return found ? eventsIn(found.row, found.mark) : 1;
}

/** The selected event, its counterpart, and what launched what. */
function marked(selected: Selected | null, facts: EventAnswer | null): Pick<Shown, 'selected' | 'chosen' | 'links'> {
  const nothing: Pick<Shown, 'selected' | 'chosen' | 'links'> = { selected: { a: null, b: null }, chosen: null, links: { a: [], b: [] } };
  if (!selected || !facts || facts.event.event !== selected.event) return nothing;
  const place = (one: Pick<EventFacts, 'row' | 'start_ns' | 'dur_ns'>): Place => ({ row: one.row, start: one.start_ns, end: one.start_ns + one.dur_ns });
  const links = (one: EventFacts | null): { from: Place; to: Place }[] =>
    (one?.linked ?? [])
      .filter((link) => link.role !== 'operator' || !one!.linked.some((other) => other.role === 'launcher'))
      .slice(0, 40)
      .map((link) => (link.role === 'launched' ? { from: place(one!), to: place(link) } : { from: place(link), to: place(one!) }));
  const other = otherSide(selected.side);
  return {
    selected: { ...nothing.selected, [selected.side]: place(facts.event), [other]: facts.counterpart && place(facts.counterpart) },
    chosen: selected.side,
    links: { ...nothing.links, [selected.side]: links(facts.event), [other]: links(facts.counterpart) },
  };
}

function linkedPlace(facts: EventAnswer | null, event: number): Pick<EventFacts, 'row' | 'start_ns' | 'dur_ns'> | undefined {
  return facts?.event.linked.find((link) => link.event === event);
}

function saidOf(side: Letter, { event, counterpart }: EventAnswer): string {
  const change = counterpart ? (side === 'a' ? counterpart.dur_ns - event.dur_ns : event.dur_ns - counterpart.dur_ns) : 0;
  const other = counterpart ? words.canvas.saidOther(formatTime(counterpart.dur_ns / 1000), formatTime(change / 1000, true)) : words.canvas.saidAlone;
  return words.canvas.said(event.name, words.kinds[event.kind] ?? event.kind, words.side[side], formatTime(event.dur_ns / 1000), formatTime(event.start_ns / 1000), other);
}

/** Events that the search finds, on each side. */
function foundText(shown: Shown): string {
  if (!shown.search) return '';
  const test = shown.search;
  return SIDES.flatMap((side) => {
    const { picture, whole } = shown[side];
    if (!whole || !picture) return [];
    const told = [picture, whole].find((one) => one.wire.hits !== null)?.wire.hits;
    const counted = told ? { events: told.events, total: told.total_ns } : whole.wire.complete ? countedIn(whole, test) : null;
    return counted ? [`${words.letter[side]}: ${words.search.found(counted.events, formatTime(counted.total / 1000))}`] : [];
  }).join(' · ');
}

function countedIn(picture: Picture, test: (name: string) => boolean): { events: number; total: number } {
  const found = picture.names.map(({ text }) => test(text));
  const sum = { events: 0, total: 0 };
  for (const row of picture.rows)
    for (let mark = 0; row && mark < row.count; mark += 1)
      if (found[row.name[mark]!]) {
        sum.events += 1;
        sum.total += row.end[mark]! - row.start[mark]!;
      }
  return sum;
}

/** The next match after the selected event by time, over all rows of a side; then the other side's. */
function nextMatch(shown: Shown, selected: Selected | null): Selected | null {
  if (!shown.search) return null;
  const matches = SIDES.flatMap((side) => {
    const { picture } = shown[side];
    if (!picture) return [];
    const found = picture.names.map(({ text }) => shown.search!(text));
    return picture.rows
      .flatMap((row) => (row ? Array.from({ length: row.count }, (_, mark) => mark).flatMap((mark) => (found[row.name[mark]!] ? [{ side, event: eventOf(row, mark), at: row.start[mark]!, row: row.row }] : [])) : []))
      .sort((one, other) => one.at - other.at || one.row - other.row);
  });
  if (matches.length === 0) return null;
  const at = selected ? matches.findIndex((match) => match.side === selected.side && match.event === selected.event) : -1;
  return matches[(at + 1) % matches.length]!;
}

/** The figures of the selected event, asked for when it is selected. */
function useFacts(question: string, pair: URLSearchParams, choices: Record<Letter, Choice>, selected: Selected | null): { facts: EventAnswer | null; failure: string } {
  const [state, setState] = useState<{ key: string; facts: EventAnswer | null; failure: string }>({ key: '', facts: null, failure: '' });
  const key = selected ? `${question}\n${stepQuery(pair, selected.side, choices).toString()}\n${selected.event}` : '';
  useEffect(() => {
    if (!selected) return undefined;
    const controller = new AbortController();
    fetchEvent(stepQuery(pair, selected.side, choices), selected.event, controller.signal)
      .then((facts) => setState({ key, facts, failure: '' }))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setState({ key, facts: null, failure: error instanceof Error ? error.message : String(error) });
      });
    return () => controller.abort();
  }, [key]);
  // while another event's figures are on their way the last ones stay, marked as theirs by their number
  if (!selected) return { facts: null, failure: '' };
  return { facts: state.key === key ? state.facts : null, failure: state.key === key ? state.failure : '' };
}
