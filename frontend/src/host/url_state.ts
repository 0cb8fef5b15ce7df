// The tab's state in the address: keys `p.tb_perfcompare.*` in TensorBoard's hash, next to what others keep there.

import type { Side } from '../contract/wire';

export const PLUGIN = 'tb_perfcompare';
const PREFIX = `p.${PLUGIN}.`;
const SCHEME = '1';

/** Words of a column of changes that rows can be filtered by, besides their status. */
export const CHANGES = ['slower', 'faster'] as const;
export type StatusFilter = 'all' | 'added' | 'removed' | 'replaced' | (typeof CHANGES)[number];

/** Everything a link carries. Null and "" mean the default and are left out. */
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
  /** the only kind of iterations that is compared, "" for all */
  kind: string;
  tab: string;
  q: string;
  sort: string;
  /** the time that the table shows; the usual one when "" */
  metric: string;
  status: StatusFilter;
  /** smallest |delta| as a fraction of the baseline step; null is the default */
  min: number | null;
  category: string;
  row: string;
  columns: string;
  /** widths of columns that the reader changed, and what stays in view (table/kept_layout.ts, ui/pins.ts) */
  widths: string;
  pins: string;
  /** `each`: layers of a network are rows of their own (table/layers.ts) */
  layers: string;
  /** only rows that differ clearly */
  clear: boolean;
  /** tabs whose picture the reader closed, with commas; `closed`, of links from before there were several, is all of them */
  figure: string;
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
  /** nanoseconds by which B is moved to the right, so that an event and its counterpart are below each other */
  shift: string;
  fold: string;
}

/** Pages other than that of the pair. */
const PAGES = ['', 'verdicts', 'history'] as const;
export type Page = (typeof PAGES)[number];

/** How a part of the state is written: its key, and the way from text and back. "" is the default's text. */
interface Field<T> {
  key: string;
  read: (text: string) => T;
  write: (value: T) => string;
}

const plain = (key: string): Field<string> => ({ key, read: (text) => text, write: (value) => value });

/** One of some words, the first of them the default. */
function oneOf<T extends string>(key: string, words: readonly T[]): Field<T> {
  const usual = words[0]!;
  return { key, read: (text) => words.find((word) => word === text) ?? usual, write: (value) => (value === usual ? '' : value) };
}

const FIELDS: { [K in keyof Omit<Address, 'a' | 'b'>]: Field<Address[K]> } = {
  page: oneOf('page', PAGES),
  candidates: { key: 'c', read: readSides, write: writeSides },
  series: plain('series'),
  window: oneOf('w', ['device', 'marker']),
  marker: plain('mk'),
  kind: plain('kind'),
  tab: plain('tab'),
  q: plain('q'),
  sort: plain('sort'),
  metric: plain('metric'),
  status: oneOf('only', ['all', 'added', 'removed', 'replaced', ...CHANGES]),
  min: { key: 'min', read: (text) => (text !== '' && Number(text) >= 0 && Number.isFinite(Number(text)) ? Number(text) : null), write: (value) => (value === null ? '' : String(value)) },
  category: plain('cat'),
  columns: plain('cols'),
  widths: plain('widths'),
  pins: plain('pins'),
  layers: plain('layers'),
  row: plain('row'),
  clear: { key: 'clear', read: (text) => text === '1', write: (value) => (value ? '1' : '') },
  figure: plain('figure'),
  colour: plain('colour'),
  look: plain('look'),
  zoom: plain('zoom'),
  processes: plain('pids'),
  beta: oneOf('beta', ['total', 'exclusive']),
  stepA: plain('ta'),
  stepB: plain('tb'),
  at: plain('at'),
  event: plain('ev'),
  shift: plain('shift'),
  fold: plain('fold'),
};
const NAMED = Object.entries(FIELDS) as [string, Field<unknown>][];

const ALL_CLOSED = 'closed';

export function isOpen({ figure }: Pick<Address, 'figure'>, tab: string): boolean {
  return figure !== ALL_CLOSED && !figure.split(',').includes(tab);
}

/** The pictures that are closed once that of a tab is opened or closed. */
export function withFigure({ figure }: Pick<Address, 'figure'>, tab: string, open: boolean): string {
  const others = figure.split(',').filter((one) => one !== '' && one !== tab && one !== ALL_CLOSED);
  return [...others, ...(open ? [] : [tab])].join(',');
}

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
  const optional = NAMED.map(([name, { key, write }]): [string, string] => [key, write(address[name as keyof Address])]);
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
  const rest = NAMED.map(([name, { key, read }]) => [name, read(values.get(key) ?? '')]);
  return { a: side('a'), b: side('b'), ...(Object.fromEntries(rest) as Omit<Address, 'a' | 'b'>) };
}

/** The hash with another plugin chosen; all keys stay, so that coming back restores them. */
export function withPlugin(hash: string, plugin: string): string {
  const tokens = splitHash(hash);
  const rest = tokens.length > 0 && !tokens[0]!.includes('=') ? tokens.slice(1) : tokens;
  return `#${[plugin, ...rest].join('&')}`;
}
