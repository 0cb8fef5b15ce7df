// One step of each run, stacked on a common time scale, to show where inside a step the runs differ.

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TimeRange } from '../charts/time_range';
import type { EventFacts } from '../contract/sent';
import { TIMELINES } from '../host/tab';
import { isOpen } from '../host/url_state';
import type { Located } from '../host/use_address';
import { Message } from '../states/message';
import { formatTime } from '../ui/format';
import { readPins, togglePin } from '../ui/pins';
import { isRegex, useSearch } from '../ui/search';
import { adoptSheet } from '../ui/sheets';
import { other, type Letter } from '../ui/sides';
import { sentence } from '../ui/strings';
import { Canvases, scrollTo, type Selected } from './canvases';
import { readChoice } from './data/fetch';
import { around } from './data/instants';
import { bestPicture, usePictures } from './data/use_pictures';
import { eventOf, markOf } from './data/wire';
import { words } from './data/words';
import { layoutOf, readFolds, writeFolds } from './drawing/layout';
import type { Shown } from './drawing/stage';
import { rangeShowing, rangeAfterKey } from './gestures';
import { DifferenceList, EventPanel } from './panel';
import { Head, Legend, SideTrouble } from './parts';
import { aligning, commonRange, differencesOf, firstRange, foundText, labelOf, linkedPlace, marked, moved, nameIn, nextDifference, nextMatch, placeOf, readSelected, readRange, nearlyEqual, mergedCount, announcement, stepOf, useArea, useFacts, writeRange } from './state';
import css from './timelines.css?inline';
import { StepPicker, Tools } from './tools';

adoptSheet(css);

/** Value of `look` in links if the list of differences covers only the visible range. */
const IN_VIEW = 'view';

interface Props extends Located {
  /** identifies the current version of the pair's files */
  question: string;
  /** query parameters of the pair, common to all routes */
  query: URLSearchParams;
}

export function StepTimelines({ question, query, address, onChange }: Props) {
  const choices = useMemo(() => ({ a: readChoice(address.stepA), b: readChoice(address.stepB) }), [address.stepA, address.stepB]);
  const { words: looked, query: search, error: problem } = useSearch(address.q);
  const find = search.empty || isRegex(looked) ? '' : looked;
  const pictures = usePictures(question, query, choices, find);
  const [seen, setSeen] = useState<{ range: TimeRange; pixels: number } | null>(null);
  const wholes = { a: pictures.a.whole, b: pictures.b.whole };
  const shift = Number.isFinite(Number(address.shift)) ? Number(address.shift) : 0;
  const whole = useMemo(() => commonRange(wholes.a, wholes.b, shift), [wholes.a, wholes.b, shift]);
  const first = useMemo(() => firstRange(whole, wholes.a, wholes.b, shift), [whole]);
  const selected = readSelected(address.event);
  const { facts, failure } = useFacts(question, query, choices, selected);
  const [wanted, setWanted] = useState<TimeRange>(() => readRange(address.at) ?? first);

  // follows a link's range; without one, shows the steps once they are loaded
  useLayoutEffect(() => {
    const asked = readRange(address.at);
    if (asked && !(seen && nearlyEqual(asked, seen.range))) setWanted(asked);
    else if (!asked && (!seen || !nearlyEqual(first, seen.range))) setWanted(first);
  }, [address.at, first]);

  useLayoutEffect(() => {
    if (seen) pictures.loadDetail({ a: seen.range, b: moved(seen.range, -shift) }, seen.pixels);
  }, [seen, shift, wholes.a, wholes.b, pictures.loadDetail]);

  const turned = useMemo(() => readFolds(address.fold), [address.fold]);
  const pins = useMemo(() => new Set(readPins(address.pins)), [address.pins]);
  const range = seen?.range ?? wanted;
  const drawn = { a: bestPicture(pictures.a, range), b: bestPicture(pictures.b, moved(range, -shift)) };
  const layouts = useMemo(() => ({ a: wholes.a && layoutOf(wholes.a.wire.lanes, turned, pins), b: wholes.b && layoutOf(wholes.b.wire.lanes, turned, pins) }), [wholes.a, wholes.b, turned, pins]);
  const shown: Shown = useMemo(
    () => ({
      a: { picture: drawn.a, whole: wholes.a, layout: layouts.a },
      b: { picture: drawn.b, whole: wholes.b, layout: layouts.b },
      whole,
      shift,
      colors: address.color === 'change' ? 'change' : 'kind',
      search: search.empty ? null : search.test,
      ...marked(selected, facts),
    }),
    [drawn.a, drawn.b, wholes.a, wholes.b, layouts, whole, shift, address.color, search, address.event, facts],
  );
  // the visible range, null if it is the initial view or the whole
  const area = seen && !nearlyEqual(first, seen.range) && !nearlyEqual(whole, seen.range) ? seen.range : null;
  const inView = area !== null && address.chartOptions === IN_VIEW;
  const found = useArea(question, query, choices, inView && isOpen(address, TIMELINES) ? area : null, shift);
  const latest = useRef({ shown, range, facts, selected });
  latest.current = { shown, range, facts, selected };

  const see = (next: TimeRange): void => setWanted({ ...next });
  const select = (next: Selected | null): void => onChange({ event: next ? `${next.side}:${next.event}` : '' });
  /** Selects an event and scrolls and zooms to it. */
  const reveal = (side: Letter, event: number, at?: Pick<EventFacts, 'row' | 'start_ns' | 'dur_ns'>): void => {
    select({ side, event });
    const picture = drawn[side] ?? wholes[side];
    const place = at ? { row: at.row, from: at.start_ns, to: at.start_ns + at.dur_ns } : picture && placeOf(picture, event);
    if (!place) return;
    const by = side === 'b' ? shift : 0;
    see(rangeShowing(whole, latest.current.range, place.from + by, place.to + by, seen ? seen.pixels / (window.devicePixelRatio || 1) : 1000));
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
      reveal(other(now.selected.side), now.facts.counterpart.event, now.facts.counterpart);
    } else if ((key === 'l' || key === 'L') && (shift !== 0 || now.facts?.counterpart)) {
      const by = now.facts && now.selected ? aligning(now.selected.side, now.facts) : 0;
      onChange({ shift: by === 0 || by === shift ? '' : String(by) });
    } else if (key === 'n' || key === 'N') {
      const next = nextDifference(differencesOf(wholes.a?.wire), now.selected, key === 'n' ? 1 : -1);
      if (next) reveal(next.side, next.event);
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
  const together = selected && drawn[selected.side] ? mergedCount(drawn[selected.side]!, selected.event) : 1;
  const head = (side: Letter): preact.ComponentChildren => {
    const key = side === 'a' ? 'stepA' : 'stepB';
    return (
      <>
        <StepPicker side={side} choice={choices[side]} whole={wholes[side]} otherIsSame={choices[other(side)].step === 'same'} onChoose={(step) => onChange({ [key]: step, event: '', at: '', shift: '' }, true)} />
        <SideTrouble side={side} state={pictures[side]} onTypical={() => onChange({ [key]: '' })} onAgain={pictures.again} />
        {wholes[side] && <Head whole={wholes[side]} picture={drawn[side] ?? wholes[side]} shift={side === 'b' ? shift : 0} onStraight={() => onChange({ shift: '' })} />}
      </>
    );
  };
  return (
    <div class="st stack" aria-busy={pictures.a.waiting || pictures.b.waiting}>
      <div class="toolbar wrap">
        <Tools
          colors={shown.colors}
          search={address.q}
          problem={problem}
          found={foundText(shown)}
          onColors={(colors) => onChange({ color: colors === 'change' ? 'change' : '' })}
          onSearch={(q) => onChange({ q })}
          onNext={nextFound}
          onZoom={(key) => see(rangeAfterKey(key, whole, latest.current.range, (latest.current.range.from + latest.current.range.to) / 2) ?? whole)}
          pair={query}
          steps={steps}
        />
        {ready && <Legend pictures={[wholes.a, wholes.b].flatMap((picture) => picture ?? [])} change={shown.colors === 'change'} />}
      </div>
      <Canvases
        shown={shown}
        wanted={wanted}
        selected={selected}
        heads={{ a: head('a'), b: head('b') }}
        labels={{ a: labelOf('a', wholes.a), b: labelOf('b', wholes.b) }}
        onSettled={(next, pixels) => {
          setSeen({ range: next, pixels });
          const everything = ready && (nearlyEqual(first, next) || nearlyEqual(whole, next));
          onChange({ at: nearlyEqual(first, next) ? '' : writeRange(next), ...(everything && address.chartOptions === IN_VIEW ? { chartOptions: '' } : {}) });
        }}
        onArea={() => onChange({ chartOptions: IN_VIEW })}
        onSelect={select}
        onFold={(key) => {
          const folds = new Set(turned);
          if (!folds.delete(key)) folds.add(key);
          onChange({ fold: writeFolds(folds) });
        }}
        onPin={(key) => onChange({ pins: togglePin(address.pins, key) })}
        onKey={onKey}
      />
      {ready &&
        (selected ? (
          <EventPanel shift={shift} side={selected.side} answer={facts} name={nameIn(drawn[selected.side], selected.event)} failure={failure} together={together} onKey={onKey} onShow={(side, event) => reveal(side, event, linkedPlace(facts, event))} />
        ) : (
          wholes.a?.wire.differences && (
            <DifferenceList
              compared={inView ? (found ?? { kinds: [] }) : wholes.a.wire}
              inView={area ? inView : null}
              area={area ? words.panel.area(formatTime(area.from / 1000), formatTime(area.to / 1000)) : ''}
              address={address}
              onChange={onChange}
              onArea={(view) => onChange({ chartOptions: view ? IN_VIEW : '' })}
              onShow={(side, event) => reveal(side, event)}
            />
          )
        ))}
      <p class="sr" role="status">
        {facts && selected ? announcement(selected.side, facts) : ''}
      </p>
    </div>
  );
}
