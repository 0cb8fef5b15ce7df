// The page's state in the address: keys `p.tb_perfcompare.*` in TensorBoard's hash, next to the keys of others.

import type { Side } from '../contract/wire';

export const PLUGIN = 'tb_perfcompare';
const PREFIX = `p.${PLUGIN}.`;
const SCHEME = '1';

/** Values of the status filter that select by the change column instead of the status column. */
export const CHANGES = ['slower', 'faster'] as const;
export type StatusFilter = 'all' | 'added' | 'removed' | 'replaced' | (typeof CHANGES)[number];

/** Everything that a link holds. Null and "" mean the default and are omitted. */
export interface Address {
  a: Side | null;
  b: Side | null;
  /** "" for the pair; the other pages need no pair */
  page: Page;
  /** sides compared with A on the verdicts page */
  candidates: Side[];
  /** series on the history page; "" for the first */
  series: string;
  window: 'device' | 'marker';
  /** marker that delimits steps; "" for the one the server finds */
  marker: string;
  /** the only kind of iteration compared, "" for all */
  kind: string;
  tab: string;
  q: string;
  sort: string;
  /** time metric of the table; "" for the default */
  metric: string;
  status: StatusFilter;
  /** smallest |delta| as a fraction of the shorter side's step; null for the default */
  min: number | null;
  category: string;
  row: string;
  columns: string;
  /** column widths changed by the reader, and pinned items (table/layout/kept_layout.ts, ui/pins.ts) */
  widths: string;
  pins: string;
  /** `each` shows the layers of a network as separate rows (table/layers.ts) */
  layers: string;
  /** only rows with a clear difference */
  clear: boolean;
  /** comma-separated tabs whose chart is closed; `closed`, found in old links, means all of them */
  closedCharts: string;
  /** what the colour of launches shows; "" for the first option */
  colour: string;
  /** display options of a chart, in its own format; "" for the default */
  chartOptions: string;
  /** zoomed frame of the flame graph; "" for the root */
  zoom: string;
  /** strict report: pair of processes, `10:12`; "" for the first */
  processes: string;
  /** strict report of traces: whether a function's share is of its total or exclusive time */
  beta: 'total' | 'exclusive';
  /** step timelines: the steps, the visible span, the selected event, lanes folded or unfolded */
  stepA: string;
  stepB: string;
  at: string;
  event: string;
  /** nanoseconds by which B is shifted right to align an event with its counterpart */
  shift: string;
  fold: string;
}

/** Pages; "" is the page of the pair. */
const PAGES = ['', 'verdicts', 'history'] as const;
export type Page = (typeof PAGES)[number];

/** Serialisation of one part of the state: its key and conversions; the default is written as "". */
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
  closedCharts: plain('figure'),
  colour: plain('colour'),
  chartOptions: plain('look'),
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

export function isOpen({ closedCharts }: Pick<Address, 'closedCharts'>, tab: string): boolean {
  return closedCharts !== ALL_CLOSED && !closedCharts.split(',').includes(tab);
}

/** New value of `closedCharts` after opening or closing the chart of a tab. */
export function withChart({ closedCharts }: Pick<Address, 'closedCharts'>, tab: string, open: boolean): string {
  const others = closedCharts.split(',').filter((one) => one !== '' && one !== tab && one !== ALL_CLOSED);
  return [...others, ...(open ? [] : [tab])].join(',');
}

/** Empty state of the step timelines, for a change of pair or view. */
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
