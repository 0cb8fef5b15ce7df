// State of the step timelines, derived from the address, the pictures and the selected event.

import { useAnswer } from '../api/use_answer';
import { length, type TimeRange } from '../charts/time_range';
import { formatTime } from '../ui/format';
import { BoundedCache } from '../ui/kept';
import { letterOf, LETTERS, other, sideName, type Letter } from '../ui/sides';
import { text } from '../ui/strings';
import type { Selected } from './canvases';
import { fetchArea, fetchEvent, stepQuery, type Choice } from './data/fetch';
import type { EventAnswer, EventFacts } from '../contract/sent';
import { eventOf, eventsIn, markOf, type Compared, type Picture } from './data/wire';
import { words } from './data/words';
import type { Place } from './drawing/overlay';
import type { Shown } from './drawing/stage';

const ROOM = 0.01;
const areas = new BoundedCache<Compared>(20);
const events = new BoundedCache<EventAnswer>(100);

/** Range of both steps on one scale, with a margin at the ends. */
export function commonRange(a: Picture | null, b: Picture | null, shift = 0): TimeRange {
  const extents = [a, b].flatMap((picture, place) => (picture ? [picture.wire.extent.map((at) => at + place * shift) as [number, number]] : []));
  if (extents.length === 0) return { from: 0, to: 1 };
  const [from, to] = [Math.min(...extents.map(([first]) => first)), Math.max(...extents.map(([, last]) => last))];
  const room = Math.max(1, Math.round(ROOM * (to - from)));
  return { from: from - room, to: to + room };
}

/** From this share of the whole on, a view would hide too little to be worth it: the whole is shown. */
const ALMOST_ALL = 0.95;

/** Initial view: the steps themselves, without host or device work for them before or after. */
export function firstRange(whole: TimeRange, a: Picture | null, b: Picture | null, shift = 0): TimeRange {
  const steps = [a, b].flatMap((picture, place) => (picture ? [{ from: place * shift, to: place * shift + picture.wire.total_ns }] : []));
  const [from, to] = [Math.min(...steps.map((step) => step.from)), Math.max(...steps.map((step) => step.to))];
  const room = Math.max(1, Math.round(ROOM * (to - from)));
  const range = { from: Math.max(whole.from, from - room), to: Math.min(whole.to, to + room) };
  return steps.length === 0 || length(range) >= ALMOST_ALL * length(whole) ? whole : range;
}

export function readSelected(text: string): Selected | null {
  const found = /^([ab]):(\d{1,9})$/.exec(text);
  return found ? { side: found[1] as Letter, event: Number(found[2]) } : null;
}

/** Parses a link's range, `from_to` in nanoseconds. */
export function readRange(text: string): TimeRange | null {
  const found = /^(-?\d{1,18})_(-?\d{1,18})$/.exec(text);
  return found && Number(found[2]) > Number(found[1]) ? { from: Number(found[1]), to: Number(found[2]) } : null;
}

export function writeRange(range: TimeRange): string {
  const from = Math.round(range.from);
  return `${from}_${Math.max(from + 1, Math.round(range.to))}`;
}

export const moved = (range: TimeRange, by: number): TimeRange => ({ from: range.from + by, to: range.to + by });

export const nearlyEqual = (one: TimeRange, other: TimeRange): boolean => Math.abs(one.from - other.from) <= 1 && Math.abs(one.to - other.to) <= 1;

export function stepOf(picture: Picture): Choice {
  const { label, worker, span } = picture.wire.step;
  return { step: label, worker, span };
}

export function labelOf(side: Letter, picture: Picture | null): string {
  if (!picture) return sideName(side);
  const { step, total_ns, events, lanes } = picture.wire;
  const laneTexts = lanes.map((lane) => words.canvas.lane(lane.name, words.lane.kind[lane.kind] ?? lane.kind, lane.events, formatTime(lane.busy_ns / 1000))).join('; ');
  return words.canvas.label(sideName(side), step.label, formatTime(total_ns / 1000), events, laneTexts);
}

export function placeOf(picture: Picture, event: number): { row: number; from: number; to: number } | null {
  const found = markOf(picture, event);
  return found && { row: found.row.row, from: found.row.start[found.mark]!, to: found.row.end[found.mark]! };
}

/** Name of an event if the picture has it; the names of events drawn as one mark come only from the server. */
export function nameIn(picture: Picture | null, event: number): string {
  const found = picture && markOf(picture, event);
  return found && eventsIn(found.row, found.mark) === 1 ? picture!.names[found.row.name[found.mark]!]!.text : text.lazy.loading;
}

/** Number of events drawn as one mark with this event, 1 if it is alone. */
export function mergedCount(picture: Picture, event: number): number {
  const found = markOf(picture, event);
  return found ? eventsIn(found.row, found.mark) : 1;
}

/** Positions of the selected event and its counterpart, and the launch links of both. */
export function marked(selected: Selected | null, facts: EventAnswer | null): Pick<Shown, 'selected' | 'chosen' | 'links'> {
  const nothing: Pick<Shown, 'selected' | 'chosen' | 'links'> = { selected: { a: null, b: null }, chosen: null, links: { a: [], b: [] } };
  if (!selected || !facts || facts.event.event !== selected.event) return nothing;
  const place = (one: Pick<EventFacts, 'row' | 'start_ns' | 'dur_ns'>): Place => ({ row: one.row, start: one.start_ns, end: one.start_ns + one.dur_ns });
  const links = (one: EventFacts | null): { from: Place; to: Place }[] =>
    (one?.linked ?? [])
      .filter((link) => link.role !== 'operator' || !one!.linked.some((one) => one.role === 'launcher'))
      .slice(0, 40)
      .map((link) => (link.role === 'launched' ? { from: place(one!), to: place(link) } : { from: place(link), to: place(one!) }));
  const there = other(selected.side);
  return {
    selected: { ...nothing.selected, [selected.side]: place(facts.event), [there]: facts.counterpart && place(facts.counterpart) },
    chosen: selected.side,
    links: { ...nothing.links, [selected.side]: links(facts.event), [there]: links(facts.counterpart) },
  };
}

export function linkedPlace(facts: EventAnswer | null, event: number): Pick<EventFacts, 'row' | 'start_ns' | 'dur_ns'> | undefined {
  return facts?.event.linked.find((link) => link.event === event);
}

/** Nanoseconds by which B is shifted right to align the event with its counterpart; 0 without one. */
export function aligning(side: Letter, { event, counterpart }: EventAnswer): number {
  if (!counterpart) return 0;
  return side === 'a' ? event.start_ns - counterpart.start_ns : counterpart.start_ns - event.start_ns;
}

export function announcement(side: Letter, { event, counterpart }: EventAnswer): string {
  const change = counterpart ? (side === 'a' ? counterpart.dur_ns - event.dur_ns : event.dur_ns - counterpart.dur_ns) : 0;
  const there = counterpart ? words.canvas.saidOther(formatTime(counterpart.dur_ns / 1000), formatTime(change / 1000, true)) : words.canvas.saidAlone;
  return words.canvas.eventText(event.name, words.kinds[event.kind] ?? event.kind, sideName(side), formatTime(event.dur_ns / 1000), formatTime(event.start_ns / 1000), there);
}

/** Search matches on each side as text: count and total time. */
export function foundText(shown: Shown): string {
  if (!shown.search) return '';
  const test = shown.search;
  return LETTERS.flatMap((side) => {
    const { picture, whole } = shown[side];
    if (!whole || !picture) return [];
    const hits = [picture, whole].find((one) => one.wire.hits !== null)?.wire.hits;
    const counted = hits ? { events: hits.events, total: hits.total_ns } : whole.wire.complete ? countedIn(whole, test) : null;
    return counted ? [`${letterOf(side)}: ${words.search.found(counted.events, formatTime(counted.total / 1000))}`] : [];
  }).join(' · ');
}

function countedIn(picture: Picture, test: (name: string) => boolean): { events: number; total: number } {
  const found = picture.names.map((name) => test(name.text));
  const sum = { events: 0, total: 0 };
  for (const row of picture.rows)
    for (let mark = 0; row && mark < row.count; mark += 1)
      if (found[row.name[mark]!]) {
        sum.events += 1;
        sum.total += row.end[mark]! - row.start[mark]!;
      }
  return sum;
}

/** Next search match after the selected event: by time over all rows of a side, then the other side, then from the
 *  start. */
export function nextMatch(shown: Shown, selected: Selected | null): Selected | null {
  if (!shown.search) return null;
  const matches = LETTERS.flatMap((side) => {
    const { picture } = shown[side];
    if (!picture) return [];
    const found = picture.names.map((name) => shown.search!(name.text));
    return picture.rows
      .flatMap((row) => (row ? Array.from({ length: row.count }, (_, mark) => mark).flatMap((mark) => (found[row.name[mark]!] ? [{ side, event: eventOf(row, mark), at: row.start[mark]!, row: row.row }] : [])) : []))
      .sort((one, other) => one.at - other.at || one.row - other.row);
  });
  if (matches.length === 0) return null;
  const at = selected ? matches.findIndex((match) => match.side === selected.side && match.event === selected.event) : -1;
  return matches[(at + 1) % matches.length]!;
}

export interface Difference {
  /** index in the step's `differences` */
  at: number;
  delta_ns: number;
  /** side of its longest event: B if it takes more time there */
  side: Letter;
  event: number;
}

const MAX_DIFFERENCES = 40;

/** Names whose self times differ, largest difference first. */
export function differencesOf(compared: Compared | null | undefined): Difference[] {
  const found = compared?.differences;
  if (!found) return [];
  const all = found.name.flatMap((_, at): Difference[] => {
    const delta_ns = (found.candidate_ns[at] ?? 0) - (found.baseline_ns[at] ?? 0);
    const side = found.candidate_event[at] !== null && (delta_ns > 0 || found.baseline_event[at] === null) ? 'b' : 'a';
    return delta_ns === 0 ? [] : [{ at, delta_ns, side, event: (side === 'b' ? found.candidate_event : found.baseline_event)[at]! }];
  });
  return all.slice(0, MAX_DIFFERENCES);
}

/** The difference `by` places after that of the selected event, wrapping around; without a selection, the first or
 *  last one. */
export function nextDifference(all: Difference[], selected: Selected | null, by: 1 | -1): Difference | null {
  if (all.length === 0) return null;
  const at = all.findIndex((one) => one.side === selected?.side && one.event === selected.event);
  return all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length]!;
}

/** Differences in an area of both steps, requested once the area has settled; until then the last answer stays. No
 *  request if `area` is null. */
export function useArea(question: string, pair: URLSearchParams, choices: Record<Letter, Choice>, area: TimeRange | null, shift: number): Compared | null {
  const key = area ? `${question}\n${stepQuery(pair, 'a', choices).toString()}\n${writeRange(area)}\n${shift}` : '';
  return useAnswer(areas, key || null, (signal) => fetchArea(stepQuery(pair, 'a', choices), area!, shift, signal), 200)[0].answer;
}

/** Requests the details of the selected event. */
export function useFacts(question: string, pair: URLSearchParams, choices: Record<Letter, Choice>, selected: Selected | null): { facts: EventAnswer | null; failure: string } {
  const key = selected ? `${question}\n${stepQuery(pair, selected.side, choices).toString()}\n${selected.event}` : '';
  const [{ answer, question: answered, failure }] = useAnswer(events, key || null, (signal) => fetchEvent(stepQuery(pair, selected!.side, choices), selected!.event, signal));
  return { facts: answered === key ? answer : null, failure: failure?.message ?? '' };
}
