// Requests for pictures of steps: the whole step first, then the visible part if the whole is too coarse.

import { apiUrl, fetchStream, queryWith, RequestError } from '../../api/api';
import type { TimeRange } from '../../charts/time_range';
import type { EventAnswer } from '../../contract/sent';
import type { Progress } from '../../contract/wire';
import { other, SIDES, type Letter } from '../../ui/sides';
import { pictureOf, type Compared, type Picture, type WireStep } from './wire';

/** `typical`, `worst`, `same`, or a step's label, plus its worker and span if several have that label. */
export interface Choice {
  step: string;
  worker: string;
  span: string;
}

/** Parses a link's choice: `12` or `12|worker0|1`; "" is the typical step. */
export function readChoice(text: string): Choice {
  const [step = '', worker = '', span = ''] = text.split('|').map((part) => decodeURIComponent(part));
  return { step: step === '' ? 'typical' : step, worker, span };
}

export function writeChoice({ step, worker, span }: Choice): string {
  if (step === 'typical') return '';
  const parts = worker === '' && span === '' ? [step] : [step, worker, span];
  return parts.map(encodeURIComponent).join('|');
}

/** Query for one side's step, with the other side's step as its counterpart (`other_...`). */
export function stepQuery(pair: URLSearchParams, side: Letter, choices: Record<Letter, Choice>): URLSearchParams {
  const query = new URLSearchParams();
  const add = (before: string, letter: Letter): void => {
    const name = SIDES[letter];
    query.set(before === '' ? 'run' : 'other', pair.get(name) ?? '');
    for (const part of ['worker', 'span']) {
      const value = pair.get(`${name}_${part}`);
      if (value !== null) query.set(before + part, value);
    }
    const { step, worker, span } = choices[letter];
    if (step !== 'typical') query.set(`${before}step`, step);
    if (worker !== '') query.set(`${before}step_worker`, worker);
    if (span !== '') query.set(`${before}step_span`, span);
  };
  add('', side);
  add('other_', other(side));
  query.set('side', SIDES[side]);
  for (const name of ['step_window', 'step_marker', 'kind', 'all_steps']) {
    const value = pair.get(name);
    if (value !== null) query.set(name, value);
  }
  return query;
}

/** Download URL of a trace: one side's step, or both. `choices` must hold labels. */
export function traceUrl(pair: URLSearchParams, side: Letter, choices: Record<Letter, Choice>, both: boolean): string {
  const query = stepQuery(pair, side, choices);
  if (!both) for (const name of [...query.keys()]) if (name.startsWith('other')) query.delete(name);
  return apiUrl('trace', query);
}

function streamed<T extends { schema: string }>(route: string, schema: T['schema'], query: URLSearchParams, signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<T> {
  return fetchStream(route, queryWith(query, { stream: '1' }), schema, onProgress, signal);
}

/** Repeats the request without the other side if that side's step does not exist: the step is shown without
 *  counterparts. */
async function evenAlone<T>(query: URLSearchParams, ask: (query: URLSearchParams) => Promise<T>): Promise<T> {
  try {
    return await ask(query);
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'selection') throw error;
    return ask(new URLSearchParams([...query].filter(([name]) => !name.startsWith('other')))).catch(() => {
      throw error;
    });
  }
}

interface Stretch {
  from: number;
  to: number;
  pixels: number;
}

export async function fetchPicture(
  query: URLSearchParams, stretch: Stretch | null, find: string, signal: AbortSignal, onProgress: (progress: Progress) => void,
): Promise<Picture | string> {
  const asked = queryWith(query, { find });
  if (stretch) for (const key of ['from', 'to', 'pixels'] as const) asked.set(key, String(Math.round(stretch[key])));
  const wire = await evenAlone(asked, (one) => streamed<WireStep>('step', 'tb_perfcompare.step/1', one, signal, onProgress));
  return wire.absent !== '' ? wire.absent : pictureOf(wire);
}

/** Differences by name between the visible parts of both steps; `query` is A's. */
export function fetchArea(query: URLSearchParams, { from, to }: TimeRange, shift: number, signal: AbortSignal): Promise<Compared> {
  const asked = queryWith(query, { from: String(Math.round(from)), to: String(Math.round(to)), shift: String(shift) });
  return streamed<Compared & { schema: string }>('step_area', 'tb_perfcompare.step_area/1', asked, signal, () => undefined);
}

export function fetchEvent(query: URLSearchParams, event: number, signal: AbortSignal): Promise<EventAnswer> {
  const asked = queryWith(query, { event: String(event) });
  return evenAlone(asked, (one) => streamed<EventAnswer>('step_event', 'tb_perfcompare.step_event/1', one, signal, () => undefined));
}
