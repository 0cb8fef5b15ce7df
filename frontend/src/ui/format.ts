// Numbers as people read them. Nothing here computes a result: it chooses units and digits.

export const MINUS = '\u2212';
export const THIN = '\u202f';
export const NOT_MEASURED = '\u2013';

export type TimeUnit = 'ns' | 'us' | 'ms' | 's';

const US_PER_UNIT: Record<TimeUnit, number> = { ns: 1e-3, us: 1, ms: 1e3, s: 1e6 };
const UNIT_TEXT: Record<TimeUnit, string> = { ns: 'ns', us: 'µs', ms: 'ms', s: 's' };
const UNITS_DOWN: TimeUnit[] = ['s', 'ms', 'us', 'ns'];

const formatters = new Map<number, Intl.NumberFormat>();

function fixed(value: number, decimals: number): string {
  let formatter = formatters.get(decimals);
  if (!formatter) {
    formatter = new Intl.NumberFormat(undefined, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    formatters.set(decimals, formatter);
  }
  return formatter.format(value);
}

/** Fixed decimals, a true minus, `+` if wanted; a value too small for the decimals is `<0.01`, never 0. */
export function formatNumber(value: number | null | undefined, decimals: number, signed = false): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOT_MEASURED;
  const size = Math.abs(value);
  const smallest = 10 ** -decimals;
  const tooSmall = size !== 0 && size < smallest / 2;
  const digits = tooSmall ? `<${fixed(smallest, decimals)}` : fixed(size, decimals);
  const sign = value < 0 ? MINUS : signed && value > 0 ? '+' : '';
  return sign + digits;
}

function quantile(sorted: number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
}

export interface NumberStyle {
  /** divide a value by this before showing it */
  scale: number;
  decimals: number;
  /** unit as text, "" for none */
  unit: string;
}

function sizesOf(values: Iterable<number | null | undefined>): number[] {
  const sizes: number[] = [];
  for (const value of values) if (typeof value === 'number' && value !== 0 && Number.isFinite(value)) sizes.push(Math.abs(value));
  return sizes.sort((a, b) => a - b);
}

/** Decimals that leave the typical value about four digits. */
function decimalsFor(typical: number, most = 3): number {
  if (typical >= 1000) return 0;
  if (typical >= 100) return Math.min(most, 1);
  if (typical >= 10) return Math.min(most, 2);
  return most;
}

/** One unit for a set of times in microseconds: the largest in which the larger quarter of them reaches 1. */
export function timeStyle(values_us: Iterable<number | null | undefined>): NumberStyle {
  const sizes = sizesOf(values_us);
  if (sizes.length === 0) return { scale: 1e3, decimals: 1, unit: 'ms' };
  const typical = quantile(sizes, 0.75);
  const largest = sizes[sizes.length - 1] ?? 0;
  let unit: TimeUnit = 'ns';
  for (const candidate of UNITS_DOWN) {
    unit = candidate;
    if (typical / US_PER_UNIT[candidate] >= 1) break;
  }
  while (largest / US_PER_UNIT[unit] >= 1e6 && unit !== 's') unit = UNITS_DOWN[UNITS_DOWN.indexOf(unit) - 1] ?? 's';
  const scale = US_PER_UNIT[unit];
  const decimals = unit === 'ns' ? 0 : decimalsFor(largest / scale >= 1000 ? Math.max(typical / scale, 100) : largest / scale);
  return { scale, decimals, unit: UNIT_TEXT[unit] };
}

/** One unit for a column of a table: the largest in which the largest value has two digits before the point. */
export function columnStyle(values_us: Iterable<number | null | undefined>): NumberStyle {
  let largest = 0;
  for (const value of values_us) if (typeof value === 'number' && Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  const unit = UNITS_DOWN.find((candidate) => largest / US_PER_UNIT[candidate] >= 10) ?? 'ns';
  if (largest === 0) return { scale: 1e3, decimals: 1, unit: 'ms' };
  const scale = US_PER_UNIT[unit];
  return { scale, decimals: unit === 'ns' ? 0 : largest / scale >= 1000 ? 1 : largest / scale >= 100 ? 2 : 3, unit: UNIT_TEXT[unit] };
}

/** The same unit with two decimals at least, for differences of values shown in it. */
export function finer(style: NumberStyle): NumberStyle {
  return { ...style, decimals: Math.max(2, style.decimals) };
}

export function formatIn(style: NumberStyle, value: number | null | undefined, signed = false): string {
  if (value === null || value === undefined) return NOT_MEASURED;
  return formatNumber(value / style.scale, value === 0 ? 0 : style.decimals, signed);
}

/** One time with its own unit. */
export function formatTime(us: number | null | undefined, signed = false): string {
  if (us === null || us === undefined) return NOT_MEASURED;
  const style = timeStyle([us]);
  const decimals = us === 0 ? 0 : Math.min(style.decimals, Math.abs(us / style.scale) >= 10 ? 1 : 2);
  return `${formatNumber(us / style.scale, decimals, signed)}${THIN}${style.unit}`;
}

/** A fraction as percent with one decimal (none from 1000 %). */
export function formatPercent(fraction: number | null | undefined, signed = false): string {
  if (fraction === null || fraction === undefined || !Number.isFinite(fraction)) return NOT_MEASURED;
  const percent = fraction * 100;
  return `${formatNumber(percent, Math.abs(percent) >= 1000 ? 0 : 1, signed)}${THIN}%`;
}

/** A count that may be a mean per step: whole when whole, otherwise up to two decimals. */
export function formatCount(value: number | null | undefined, signed = false): string {
  if (value === null || value === undefined) return NOT_MEASURED;
  return formatNumber(value, countDecimals([value]), signed);
}

/** Decimals of a column of counts, the same in every row. */
export function countDecimals(values: number[]): number {
  if (values.every(Number.isInteger)) return 0;
  return values.every((value) => Math.abs(value) >= 100) ? 1 : 2;
}

/** Decimals of a column of plain numbers, the same in every row: none where all are whole, else enough for the largest. */
export function plainDecimals(values: number[]): number {
  if (values.every(Number.isInteger)) return 0;
  return values.every((value) => Math.abs(value) < 10) ? 3 : 2;
}

/** p and q values: two significant digits down to 0.001. */
export function formatP(p: number | null | undefined): string {
  if (p === null || p === undefined) return NOT_MEASURED;
  if (p < 0.001) return `<${fixed(0.001, 3)}`;
  return formatNumber(p, p < 0.01 ? 4 : p < 0.1 ? 3 : 2);
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function formatBytes(bytes: number | null | undefined, signed = false): string {
  if (bytes === null || bytes === undefined) return NOT_MEASURED;
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${formatNumber(value, unit === 0 || Math.abs(value) >= 100 ? 0 : 1, signed)}${THIN}${BYTE_UNITS[unit]}`;
}

export function formatElapsed(seconds: number): string {
  if (seconds < 60) return `${formatNumber(seconds, 1)}${THIN}s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes}${THIN}min ${Math.floor(seconds - 60 * minutes)}${THIN}s`;
}

/** Direction of a difference: 1 more, -1 less, 0 none or not measured. */
export function direction(value: number | null | undefined): -1 | 0 | 1 {
  if (value === null || value === undefined || value === 0) return 0;
  return value > 0 ? 1 : -1;
}

export function arrow(value: number | null | undefined): string {
  return { '1': '▲', '-1': '▼', '0': '' }[String(direction(value)) as '1' | '-1' | '0'];
}
