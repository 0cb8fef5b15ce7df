// The tab's state in the address: keys `p.tb_perfcompare.*` in TensorBoard's hash, beside what others keep there.

import type { Side } from '../contract/wire';

export const PLUGIN = 'tb_perfcompare';
const PREFIX = `p.${PLUGIN}.`;
const SCHEME = '1';

/** Words of a column of changes that rows can be filtered by, beside their status. */
export const CHANGES = ['slower', 'faster'] as const;
export type StatusFilter = 'all' | 'added' | 'removed' | 'replaced' | (typeof CHANGES)[number];

/** Everything a link carries. Null and "" mean the default and are left out. */
const ONLY: readonly StatusFilter[] = ['added', 'removed', 'replaced', ...CHANGES];

export interface Address {
  a: Side | null;
  b: Side | null;
  /** "": the pair; else another page, which needs no pair */
  page: Page;
  /** what is compared with A on the page of verdicts */
  candidates: Side[];
  /** the series on the page of the history; the first when "" */
  series: string;
  window: 'device' | 'marker';
  /** what delimits steps, "" for what the server finds */
  marker: string;
  tab: string;
  q: string;
  sort: string;
  status: StatusFilter;
  /** smallest |delta| as a fraction of the baseline step; null is the default */
  min: number | null;
  category: string;
  row: string;
  columns: string;
  /** only rows that differ clearly */
  clear: boolean;
  /** the figure above a table: open, or closed by the reader */
  figure: 'open' | 'closed';
  /** what colours the launches: the first choice when "" */
  colour: string;
  /** how a picture is drawn, in its own words; the usual way when "" */
  look: string;
  /** the frame that fills the flame graph; the whole when "" */
  zoom: string;
  /** strict view: pair of processes, `10` or `11~12`; the first when "" */
  processes: string;
  /** strict view of traces: which time of a function makes its share */
  beta: 'total' | 'exclusive';
  /** step timelines: which steps, what is in view, the selected event, lanes folded or opened */
  stepA: string;
  stepB: string;
  at: string;
  event: string;
  /** nanoseconds by which B is moved to the right, so that an event and its counterpart stand below each other */
  shift: string;
  fold: string;
}

/** Pages beside that of the pair. */
export type Page = '' | 'verdicts' | 'history';

export const EMPTY_ADDRESS: Address = {
  a: null,
  b: null,
  page: '',
  candidates: [],
  series: '',
  window: 'device',
  marker: '',
  tab: '',
  q: '',
  sort: '',
  status: 'all',
  min: null,
  category: '',
  row: '',
  columns: '',
  clear: false,
  figure: 'open',
  colour: '',
  look: '',
  zoom: '',
  processes: '',
  beta: 'total',
  stepA: '',
  stepB: '',
  at: '',
  event: '',
  shift: '',
  fold: '',
};

/** Of the step timelines: another pair or view starts them afresh. */
export const FRESH_STEPS = { stepA: '', stepB: '', at: '', event: '', shift: '', fold: '' };

function sideTokens(letter: string, side: Side | null): [string, string][] {
  if (!side) return [];
  const tokens: [string, string][] = [[letter, side.run]];
  if (side.worker !== null) tokens.push([`${letter}w`, side.worker]);
  if (side.span !== null) tokens.push([`${letter}s`, side.span]);
  if (side.steps !== undefined) tokens.push([`${letter}steps`, side.steps]);
  if (side.launches !== undefined) tokens.push([`${letter}l`, side.launches]);
  return tokens;
}

/** Sides as one text: `run` or `run|worker|span|steps`, with commas between them. */
export function writeSides(sides: Side[]): string {
  const plain = (part: string): string => part.replace(/[%,|]/g, encodeURIComponent);
  return sides.map((side) => [side.run, side.worker ?? '', side.span ?? '', side.steps ?? ''].map(plain).join('|').replace(/\|+$/, '')).join(',');
}

export function readSides(text: string): Side[] {
  return text.split(',').flatMap((one) => {
    const [run = '', worker = '', span = '', steps = ''] = one.split('|').map(decoded);
    if (run === '') return [];
    return [{ run, worker: worker === '' ? null : worker, span: span === '' ? null : span, ...stepsOf(steps) }];
  });
}

function stepsOf(steps: string): { steps?: string } {
  return /^\d+(-\d+)?$/.test(steps) ? { steps } : {};
}

function tokensOf(address: Address): [string, string][] {
  const optional: [string, string][] = [
    ['page', address.page],
    ['c', writeSides(address.candidates)],
    ['series', address.series],
    ['w', address.window === 'device' ? '' : address.window],
    ['mk', address.marker],
    ['tab', address.tab],
    ['q', address.q],
    ['sort', address.sort],
    ['only', address.status === 'all' ? '' : address.status],
    ['min', address.min === null ? '' : String(address.min)],
    ['cat', address.category],
    ['cols', address.columns],
    ['row', address.row],
    ['clear', address.clear ? '1' : ''],
    ['figure', address.figure === 'open' ? '' : address.figure],
    ['colour', address.colour],
    ['look', address.look],
    ['zoom', address.zoom],
    ['pids', address.processes],
    ['beta', address.beta === 'total' ? '' : address.beta],
    ['ta', address.stepA],
    ['tb', address.stepB],
    ['at', address.at],
    ['ev', address.event],
    ['shift', address.shift],
    ['fold', address.fold],
  ];
  const tokens = [...sideTokens('a', address.a), ...sideTokens('b', address.b), ...optional.filter(([, value]) => value !== '')];
  return tokens.length > 0 ? [...tokens, ['v', SCHEME]] : [];
}

function splitHash(hash: string): string[] {
  return hash.replace(/^#/, '').split('&').filter((token) => token !== '');
}

/** The hash with our keys replaced and everybody else's kept in place. */
export function writeHash(hash: string, address: Address): string {
  const others = splitHash(hash).filter((token) => !token.startsWith(PREFIX));
  const ours = tokensOf(address).map(([key, value]) => `${PREFIX}${key}=${encodeURIComponent(value)}`);
  return `#${[...others, ...ours].join('&')}`;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // a hand-written % that is no escape
  }
}

export function readHash(hash: string): Address {
  const values = new Map<string, string>();
  for (const token of splitHash(hash)) {
    const equals = token.indexOf('=');
    if (!token.startsWith(PREFIX) || equals < 0) continue;
    values.set(token.slice(PREFIX.length, equals), decoded(token.slice(equals + 1)));
  }
  const side = (letter: string): Side | null => {
    const run = values.get(letter);
    if (run === undefined || run === '') return null;
    const launches = values.get(`${letter}l`) ?? '';
    const named = launches === '' ? {} : { launches };
    return { run, worker: values.get(`${letter}w`) ?? null, span: values.get(`${letter}s`) ?? null, ...stepsOf(values.get(`${letter}steps`) ?? ''), ...named };
  };
  const only = values.get('only');
  const page = values.get('page');
  const min = Number(values.get('min') ?? NaN);
  return {
    a: side('a'),
    b: side('b'),
    page: page === 'verdicts' || page === 'history' ? page : '',
    candidates: readSides(values.get('c') ?? ''),
    series: values.get('series') ?? '',
    window: values.get('w') === 'marker' ? 'marker' : 'device',
    marker: values.get('mk') ?? '',
    tab: values.get('tab') ?? '',
    q: values.get('q') ?? '',
    sort: values.get('sort') ?? '',
    status: ONLY.find((status) => status === only) ?? 'all',
    min: Number.isFinite(min) && min >= 0 ? min : null,
    category: values.get('cat') ?? '',
    row: values.get('row') ?? '',
    columns: values.get('cols') ?? '',
    clear: values.get('clear') === '1',
    figure: values.get('figure') === 'closed' ? 'closed' : 'open',
    colour: values.get('colour') ?? '',
    look: values.get('look') ?? '',
    zoom: values.get('zoom') ?? '',
    processes: values.get('pids') ?? '',
    beta: values.get('beta') === 'exclusive' ? 'exclusive' : 'total',
    stepA: values.get('ta') ?? '',
    stepB: values.get('tb') ?? '',
    at: values.get('at') ?? '',
    event: values.get('ev') ?? '',
    shift: values.get('shift') ?? '',
    fold: values.get('fold') ?? '',
  };
}

/** The hash with another plugin chosen; all keys stay, so that coming back restores them. */
export function withPlugin(hash: string, plugin: string): string {
  const tokens = splitHash(hash);
  const rest = tokens.length > 0 && !tokens[0]!.includes('=') ? tokens.slice(1) : tokens;
  return `#${[plugin, ...rest].join('&')}`;
}
