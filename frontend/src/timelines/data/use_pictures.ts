// Loads pictures of both steps on demand: each whole step once, and detailed parts of steps too large to send whole.

import { useCallback, useRef, useState } from 'preact/hooks';
import type { Failure } from '../../api/api';
import { useAnswer } from '../../api/use_answer';
import { length, type TimeRange } from '../../charts/time_range';
import type { Progress } from '../../contract/wire';
import { BoundedCache } from '../../ui/kept';
import { LETTERS, type Letter } from '../../ui/sides';
import { fetchPicture, stepQuery, type Choice } from './fetch';
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

const KEPT_DETAILS = 6;
/** Pictures of whole steps; the reason why there is none is not kept. */
const wholes = new BoundedCache<Picture | string>(8, (found) => typeof found !== 'string');

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
export function bestPicture({ whole, details }: Pick<SideState, 'whole' | 'details'>, range: TimeRange): Picture | null {
  let best = whole;
  for (const picture of details) if (covers(picture, range) && (!best || picture.wire.cell_ns < best.wire.cell_ns)) best = picture;
  return best;
}

/** `question` identifies the current version of the files. Also returns callbacks: `again` retries, `loadDetail` requests detailed
 *  parts if the current picture is too coarse for a canvas `pixels` wide. */
export function usePictures(question: string, pair: URLSearchParams, choices: Record<Letter, Choice>, find: string) {
  const queries = { a: stepQuery(pair, 'a', choices), b: stepQuery(pair, 'b', choices) };
  const key = `${question}\n${queries.a.toString()}\n${queries.b.toString()}`;
  const useWhole = (side: Letter) => useAnswer(wholes, `${key}\n${side}`, (signal, onProgress) => fetchPicture(queries[side], null, '', signal, onProgress));
  const [[a, againA], [b, againB]] = [useWhole('a'), useWhole('b')];
  // the server counts search matches only in steps not sent whole: a new search reloads their detailed parts
  const detailKey = `${key}\n${find}`;
  const [held, setHeld] = useState<{ key: string } & Record<Letter, Picture[]>>({ key: '', a: [], b: [] });
  const details = held.key === detailKey ? held : { key: detailKey, a: [], b: [] };
  const stateOf = (side: Letter): SideState => {
    const { answer, question: answered, failure, progress } = side === 'a' ? a : b;
    const found = answered === `${key}\n${side}` ? answer : null;
    const drawable = typeof found !== 'string';
    return { whole: drawable ? found : null, absent: drawable ? '' : found, details: details[side], failure, progress, waiting: found === null && failure === null };
  };
  const states = { key: detailKey, a: stateOf('a'), b: stateOf('b') };
  const latest = useRef(states);
  latest.current = states;
  const closer = useRef<Record<Letter, AbortController | null>>({ a: null, b: null });

  const loadDetail = useCallback(
    (ranges: Record<Letter, TimeRange>, pixels: number) => {
      for (const side of LETTERS) {
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
            if (typeof found === 'string' || controller.signal.aborted || latest.current.key !== detailKey) return;
            setHeld((all) => {
              const before = all.key === detailKey ? all : { key: detailKey, a: [], b: [] };
              return { ...before, [side]: [...before[side], found].slice(-KEPT_DETAILS) };
            });
          })
          .catch(() => undefined); // keeps the coarser picture; the next call of `loadDetail` retries
      }
    },
    [detailKey],
  );
  const again = (): void => {
    againA();
    againB();
  };
  return { a: states.a, b: states.b, again, loadDetail };
}
