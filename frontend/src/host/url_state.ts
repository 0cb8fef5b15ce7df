// The page's state in the address: keys `p.tb_perfcompare.*` in TensorBoard's hash, next to the keys of others.

import type { Side } from '../contract/wire';
import { CALL_TREE } from './tab';

export const PLUGIN = 'tb_perfcompare';
const PREFIX = `p.${PLUGIN}.`;
const SCHEME = '1';

/** Values of the status filter that select by the change column instead of the status column. */
export const CHANGES = ['slower', 'faster'] as const;

/** Serialization of one part of the state: its key and conversions; the default is written as "". */
interface Field<T> {
  key: string;
  read: (text: string) => T;
  write: (value: T) => string;
}

const plain = (key: string): Field<string> => ({ key, read: (text) => text, write: (value) => value });

/** A field with a fixed set of values; the first is the default. */
function oneOf<T extends string>(key: string, words: readonly T[]): Field<T> {
  const usual = words[0]!;
  return { key, read: (text) => words.find((word) => word === text) ?? usual, write: (value) => (value === usual ? '' : value) };
}

/** What a link holds besides the pair. Null and "" mean the default and are omitted. */
const FIELDS = {
  /** "" for the pair; the other pages need no pair */
  page: oneOf('page', ['', 'verdicts', 'history']),
  /** sides compared with A on the verdicts page */
  candidates: { key: 'c', read: readSides, write: writeSides },
  /** series on the history page; "" for the first */
  series: plain('series'),
  window: oneOf('w', ['device', 'marker']),
  /** marker that delimits steps; "" for the one the server finds */
  marker: plain('mk'),
  /** the only kind of iteration compared, "" for all */
  kind: plain('kind'),
  tab: plain('tab'),
  q: plain('q'),
  sort: plain('sort'),
  /** time metric of the table; "" for the default */
  metric: plain('metric'),
  status: oneOf('only', ['all', 'added', 'removed', 'replaced', ...CHANGES]),
  /** smallest |delta| as a fraction of the shorter side's step; null for the default */
  min: {
    key: 'min',
    read: (text: string): number | null => (text !== '' && Number(text) >= 0 && Number.isFinite(Number(text)) ? Number(text) : null),
    write: (value: number | null) => (value === null ? '' : String(value)),
  },
  category: plain('cat'),
  columns: plain('cols'),
  /** column widths changed by the reader, and pinned items (table/data/column_tracks.ts, ui/pins.ts) */
  widths: plain('widths'),
  pins: plain('pins'),
  /** `each` shows the layers of a network as separate rows (table/data/layers.ts) */
  layers: plain('layers'),
  row: plain('row'),
  /** only rows with a clear difference */
  clear: { key: 'clear', read: (text: string) => text === '1', write: (value: boolean) => (value ? '1' : '') },
  /** comma-separated tabs whose chart is closed; `closed`, found in old links, means all of them */
  closedCharts: plain('figure'),
  /** what the color of launches shows; "" for the first option */
  color: plain('colour'),
  /** display options of a chart, in its own format; "" for the default */
  chartOptions: plain('look'),
  /** zoomed frame of the flame graph; "" for the root */
  zoom: plain('zoom'),
  /** strict report: pair of processes, `10:12`; "" for the first */
  processes: plain('pids'),
  /** strict report of traces: whether a function's share is of its total or exclusive time */
  beta: oneOf('beta', ['total', 'exclusive']),
  /** step timelines: the steps, the visible span, the selected event */
  stepA: plain('ta'),
  stepB: plain('tb'),
  at: plain('at'),
  event: plain('ev'),
  /** nanoseconds by which B is shifted right to align an event with its counterpart */
  shift: plain('shift'),
  /** lanes folded or unfolded */
  fold: plain('fold'),
};

/** The page's state: the pair, and a value for each field. */
export type Address = { a: Side | null; b: Side | null } & { [K in keyof typeof FIELDS]: ReturnType<(typeof FIELDS)[K]['read']> };
export type Page = Address['page'];
export type StatusFilter = Address['status'];

const NAMED = Object.entries(FIELDS) as [string, Field<unknown>][];

const ALL_CLOSED = 'closed';

export function isOpen({ closedCharts }: Pick<Address, 'closedCharts'>, tab: string): boolean {
  return closedCharts !== ALL_CLOSED && !closedCharts.split(',').includes(tab);
}

/** Value of `look` in links that shows the roofline. */
export const ROOFLINE = 'roofline';

/** Whether a picture replaces the rows of a table: the flame graph or the roofline. */
export function isDrawn(address: Address, tab: string): boolean {
  return tab === CALL_TREE ? isOpen(address, tab) : address.chartOptions === ROOFLINE;
}

/** New value of `closedCharts` after opening or closing the chart of a tab. */
export function withChart({ closedCharts }: Pick<Address, 'closedCharts'>, tab: string, open: boolean): string {
  const others = closedCharts.split(',').filter((one) => one !== '' && one !== tab && one !== ALL_CLOSED);
  return [...others, ...(open ? [] : [tab])].join(',');
}

/** Empty state of the step timelines, for a change of pair or view. */
export const FRESH_STEPS = { stepA: '', stepB: '', at: '', event: '', shift: '', fold: '' };

/** State that is reset when the table or pair changes. */
export const FRESH = {
  q: '', sort: '', metric: '', status: 'all', min: null, row: '', columns: '', widths: '', pins: '', clear: false, chartOptions: '', zoom: '', ...FRESH_STEPS,
} satisfies Partial<Address>;

function sideTokens(letter: string, side: Side | null): [string, string][] {
  if (!side) return [];
  const { run, worker, span, steps, launches } = side;
  return Object.entries({ '': run, w: worker, s: span, steps, l: launches }).flatMap(([key, value]) => (value == null ? [] : [[letter + key, value] as [string, string]]));
}

/** Writes sides as one text: `run` or `run|worker|span|steps`, separated by commas. */
function writeSides(sides: Side[]): string {
  const escaped = (part: string): string => part.replace(/[%,|]/g, encodeURIComponent);
  return sides.map((side) => [side.run, side.worker ?? '', side.span ?? '', side.steps ?? ''].map(escaped).join('|').replace(/\|+$/, '')).join(',');
}

function readSides(text: string): Side[] {
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

/** Replaces the page's keys in the hash; keys of others stay in place. */
export function writeHash(hash: string, address: Address): string {
  const others = splitHash(hash).filter((token) => !token.startsWith(PREFIX));
  const ours = tokensOf(address).map(([key, value]) => `${PREFIX}${key}=${encodeURIComponent(value)}`);
  return `#${[...others, ...ours].join('&')}`;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // a literal % that is not an escape, typed by hand
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

/** The hash with another plugin selected; all keys stay, so that returning restores the state. */
export function withPlugin(hash: string, plugin: string): string {
  const tokens = splitHash(hash);
  const rest = tokens.length > 0 && !tokens[0]!.includes('=') ? tokens.slice(1) : tokens;
  return `#${[plugin, ...rest].join('&')}`;
}
