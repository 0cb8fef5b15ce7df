// Loads pictures of both steps on demand: each whole step once, and detailed parts of steps too large to send whole.

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../api/api';
import { length, type TimeRange } from '../../charts/time_range';
import type { Progress } from '../../contract/wire';
import { BoundedCache } from '../../ui/kept';
import { fetchPicture, stepQuery, type Choice, type Letter } from './fetch';
import type { Picture } from './wire';

export interface SideState {
  whole: Picture | null;
  /** detailed parts, newest last */
  details: Picture[];
  failure: Failure | null;
  /** why there is nothing to draw, "" if there is */
  absent: string;
  progress: Progress | null;
  waiting: boolean;
}

interface States extends Record<Letter, SideState> {
  /** identifies the request and the steps that the state belongs to */
  key: string;
}

const NOTHING: SideState = { whole: null, details: [], failure: null, absent: '', progress: null, waiting: true };
const KEPT_DETAILS = 6;
const wholes = new BoundedCache<Picture>(8);

/** A detailed part extends past the visible range by this share of it on each side, so that small pans need no
 *  request. */
const MARGIN = 0.75;
/** A picture is detailed enough if its cells are at most this many pixels wide. */
const COARSEST_PIXELS = 1.6;

function covers(picture: Picture, range: TimeRange): boolean {
  const { from, to, extent } = picture.wire;
  return from <= Math.max(range.from, extent[0]) && to >= Math.min(range.to, extent[1]);
}

/** The most detailed picture that covers the visible range. */
export function bestPicture(state: SideState, range: TimeRange): Picture | null {
  let best = state.whole;
  for (const picture of state.details) if (covers(picture, range) && (!best || picture.wire.cell_ns < best.wire.cell_ns)) best = picture;
  return best;
}

export interface Pictures {
  a: SideState;
  b: SideState;
  again: () => void;
  /** requests detailed parts if the current picture is too coarse for a canvas `pixels` wide */
  loadDetail: (ranges: Record<Letter, TimeRange>, pixels: number) => void;
}

/** `question` identifies the current version of the files. */
export function usePictures(question: string, pair: URLSearchParams, choices: Record<Letter, Choice>, find: string): Pictures {
  const [held, setStates] = useState<States>({ key: '', a: NOTHING, b: NOTHING });
  const [attempt, setAttempt] = useState(0);
  const closer = useRef<Record<Letter, AbortController | null>>({ a: null, b: null });
  const queries = { a: stepQuery(pair, 'a', choices), b: stepQuery(pair, 'b', choices) };
  const key = `${question}\n${queries.a.toString()}\n${queries.b.toString()}`;
  // until the effect below has run, the state may still belong to the previous steps
  const states = held.key === key ? held : { key, a: NOTHING, b: NOTHING };
  const latest = useRef(states);
  latest.current = states;
  const put = (side: Letter, part: Partial<SideState>): void =>
    setStates((all) => {
      const before = all.key === key ? all : { key, a: NOTHING, b: NOTHING };
      return { ...before, [side]: { ...before[side], ...part } };
    });

  useLayoutEffect(() => {
    const controller = new AbortController();
    let current = true;
    for (const side of ['a', 'b'] as const) {
      const name = `${key}\n${side}`;
      const known = wholes.get(name);
      if (known) {
        put(side, { ...NOTHING, whole: known, waiting: false });
        continue;
      }
      put(side, { ...NOTHING, whole: null });
      fetchPicture(queries[side], null, '', controller.signal, (progress) => current && put(side, { progress }))
        .then((found) => {
          if (!current) return;
          if (typeof found === 'string') return put(side, { absent: found, waiting: false });
          wholes.set(name, found);
          put(side, { whole: found, waiting: false, progress: null });
        })
        .catch((error: unknown) => current && put(side, { failure: asFailure(error), waiting: false }));
    }
    return () => {
      current = false;
      controller.abort();
    };
  }, [key, attempt]);

  // the server counts search matches only in steps not sent whole: a new search reloads their detailed parts
  useLayoutEffect(() => {
    for (const side of ['a', 'b'] as const) put(side, { details: [] });
  }, [key, find]);

  const loadDetail = useCallback(
    (ranges: Record<Letter, TimeRange>, pixels: number) => {
      for (const side of ['a', 'b'] as const) {
        const range = ranges[side];
        const state = latest.current[side];
        if (!state.whole || state.whole.wire.complete) continue;
        const best = bestPicture(state, range);
        const searched = find === '' || (best !== null && best.wire.hits !== null);
        if (best && searched && best.wire.cell_ns <= (COARSEST_PIXELS * length(range)) / pixels) continue;
        const { extent } = state.whole.wire;
        const margin = MARGIN * length(range);
        const [from, to] = [Math.max(extent[0], range.from - margin), Math.min(extent[1], range.to + margin)];
        if (to <= from) continue;
        closer.current[side]?.abort();
        const controller = (closer.current[side] = new AbortController());
        const stretch = { from: Math.floor(from), to: Math.ceil(to), pixels: Math.min(20_000, Math.ceil((pixels * (to - from)) / length(range))) };
        fetchPicture(queries[side], stretch, find, controller.signal, () => undefined)
          .then((found) => {
            if (typeof found === 'string' || controller.signal.aborted) return;
            setStates((all) => (all.key === key ? { ...all, [side]: { ...all[side], details: [...all[side].details, found].slice(-KEPT_DETAILS) } } : all));
          })
          .catch(() => undefined); // keeps the coarser picture; the next call of `loadDetail` retries
      }
    },
    [key, find],
  );

  return { a: states.a, b: states.b, again: useCallback(() => setAttempt((n) => n + 1), []), loadDetail };
}
