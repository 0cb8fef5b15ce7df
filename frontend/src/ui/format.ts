// Formats numbers as tb_perfcompare/number_text.py does in sentences and reports; tests/number_text.json tests both.
// Computes no results, only chooses units and digits.

const MINUS = '\u2212';
export const THIN = '\u202f';
export const NOT_MEASURED = '\u2013';

type TimeUnit = 'ns' | 'us' | 'ms' | 's';

const US_PER_UNIT: Record<TimeUnit, number> = { ns: 1e-3, us: 1, ms: 1e3, s: 1e6 };
const UNIT_TEXT: Record<TimeUnit, string> = { ns: 'ns', us: 'µs', ms: 'ms', s: 's' };
const UNITS_DOWN: TimeUnit[] = ['s', 'ms', 'us', 'ns'];
/** values from this fraction of a unit up are shown in it: as 1.00 rather than 1,000 of the smaller unit */
const FITS = 0.9995;

const formatters = new Map<number, Intl.NumberFormat>();

/** Formats in English whatever the browser's language, as the server does; rounds ties to even, as Python does. */
function fixed(value: number, decimals: number): string {
  let formatter = formatters.get(decimals);
  if (!formatter) {
    const ties = { roundingMode: 'halfEven' } as object;
    formatter = new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals, ...ties });
    formatters.set(decimals, formatter);
  }
  return formatter.format(value);
}

type Measured = number | null | undefined;

/** Fixed decimals, a true minus sign, `+` if `signed`. A value too small for the decimals is `<0.01`, or `+0.00` or `−0.00` if
 *  signed, never 0. */
export function formatNumber(value: Measured, decimals: number, signed = false): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOT_MEASURED;
  const size = Math.abs(value);
  const smallest = 10 ** -decimals;
  const small = size !== 0 && size <= smallest / 2;
  if (small && value > 0 && !signed) return `<${fixed(smallest, decimals)}`;
  const sign = value < 0 ? MINUS : signed && value > 0 ? '+' : '';
  return sign + fixed(size, small ? Math.max(1, decimals) : decimals);
}

/** Three significant digits, at most `most` decimals. */
export function formatDigits(value: Measured, signed = false, most = 3): string {
  if (value === null || value === undefined || value === 0) return formatNumber(value, 0);
  const size = Math.abs(value);
  let decimals = Math.max(0, Math.min(most, 2 - Math.floor(Math.log10(size))));
  if (decimals > 0 && size >= 10 ** (3 - decimals) - 0.5 * 10 ** -decimals) decimals -= 1; // 9.996 is 10.0, not 10.00
  return formatNumber(value, decimals, signed);
}

/** Readable form of a unit as tables name it: `µs` for `us`. */
export const formatUnit = (unit: string): string => UNIT_TEXT[unit as TimeUnit] ?? unit;

function quantile(sorted: number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
}

export interface NumberStyle {
  /** shown values are divided by this */
  scale: number;
  decimals: number;
  /** unit text, "" for none */
  unit: string;
}

function sizesOf(values: Iterable<Measured>): number[] {
  const sizes: number[] = [];
  for (const value of values) if (typeof value === 'number' && value !== 0 && Number.isFinite(value)) sizes.push(Math.abs(value));
  return sizes.sort((a, b) => a - b);
}

/** Decimals that give the typical value about four digits. */
function decimalsFor(typical: number): number {
  return typical >= 1000 ? 0 : typical >= 100 ? 1 : typical >= 10 ? 2 : 3;
}

/** One unit for a set of times in microseconds: the largest unit in which their upper quartile is at least 1. */
export function timeStyle(values_us: Iterable<Measured>): NumberStyle {
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

/** One unit for a table column of times: the largest unit in which the largest value has two digits before the decimal point. */
export function columnStyle(values_us: Iterable<Measured>): NumberStyle {
  let largest = 0;
  for (const value of values_us) if (typeof value === 'number' && Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  const unit = UNITS_DOWN.find((candidate) => largest / US_PER_UNIT[candidate] >= 10) ?? 'ns';
  if (largest === 0) return { scale: 1e3, decimals: 1, unit: 'ms' };
  const scale = US_PER_UNIT[unit];
  return { scale, decimals: unit === 'ns' ? 0 : largest / scale >= 1000 ? 1 : largest / scale >= 100 ? 2 : 3, unit: UNIT_TEXT[unit] };
}

/** The same unit with at least two decimals, for differences of values shown in it. */
export function finer(style: NumberStyle): NumberStyle {
  return { ...style, decimals: Math.max(2, style.decimals) };
}

export function formatIn(style: NumberStyle, value: Measured, signed = false): string {
  if (value === null || value === undefined) return NOT_MEASURED;
  return formatNumber(value / style.scale, value === 0 ? 0 : style.decimals, signed);
}

/** The same followed by its unit. */
export const formatWithUnit = (style: NumberStyle, value: Measured, signed = false): string => `${formatIn(style, value, signed)}${THIN}${style.unit}`;

/** One time in the unit that suits it. */
export function formatTime(us: Measured, signed = false): string {
  if (us === null || us === undefined) return NOT_MEASURED;
  const size = Math.abs(us);
  const unit = size === 0 ? 'us' : (UNITS_DOWN.find((candidate) => size / US_PER_UNIT[candidate] >= FITS) ?? 'ns');
  return `${formatDigits(us / US_PER_UNIT[unit], signed)}${THIN}${UNIT_TEXT[unit]}`;
}

/** A fraction as a percentage. A `signed` one that is no `share` is a change: from +1,000 % up it is written as a ratio. */
export function formatPercent(fraction: Measured, signed = false, share = false): string {
  if (fraction === null || fraction === undefined || !Number.isFinite(fraction)) return NOT_MEASURED;
  if (signed && !share && fraction >= 10) return formatRatio(1 + fraction);
  return `${formatDigits(fraction * 100, signed, 2)}${THIN}%`;
}

export const formatOfTheChange = (share: number): string => `${formatPercent(share)} of the change`;

/** Both ends of a change's interval, in the same form. */
export function formatEnds(low: Measured, high: Measured): [string, string] {
  return typeof low === 'number' && typeof high === 'number' && high >= 10 ? [formatRatio(1 + low), formatRatio(1 + high)] : [formatPercent(low, true), formatPercent(high, true)];
}

/** A difference of two shares, in percentage points. */
export const formatPoints = (difference: number): string => `${formatDigits(difference * 100, true, 2)}${THIN}pp`;

export const formatRatio = (value: Measured): string => `×${formatDigits(value)}`.replace('×<', '<×');

/** An already round number, with the digits it has, such as an axis tick. */
export const formatRound = (value: number, signed = false): string =>
  `${value < 0 ? MINUS : signed && value > 0 ? '+' : ''}${Number(Math.abs(value).toPrecision(6)).toLocaleString('en-US', { maximumFractionDigits: 9 })}`;

/** A percentage that was set, with the digits it was given, such as a threshold or level. */
export const formatSetting = (fraction: number, signed = false): string => `${formatRound(100 * fraction, signed)}${THIN}%`;

/** A count, which may be a mean per step: exact if whole, never "3.00". */
export function formatCount(value: Measured, signed = false): string {
  return Number.isInteger(value) ? formatNumber(value, 0, signed) : formatDigits(value, signed).replace(/\.00?$/, '');
}

/** "1 row", "3 rows"; `more` is the plural if it is irregular. */
export const formatMany = (value: number, one: string, more = `${one}s`): string => `${formatCount(value)} ${value === 1 ? one : more}`;

/** Decimals for all rows of a column of counts. */
export function countDecimals(values: number[]): number {
  if (values.every(Number.isInteger)) return 0;
  return values.every((value) => Math.abs(value) >= 100) ? 1 : 2;
}

/** Decimals for all rows of a column of plain numbers: 0 if all are whole, 3 if all are below 10, else 2. */
export function plainDecimals(values: number[]): number {
  if (values.every(Number.isInteger)) return 0;
  return values.every((value) => Math.abs(value) < 10) ? 3 : 2;
}

/** p and q values: two significant digits down to 0.001. */
export function formatP(p: Measured): string {
  if (p === null || p === undefined) return NOT_MEASURED;
  if (p < 0.001) return '<0.001';
  return formatNumber(p, p < 0.01 ? 4 : p < 0.1 ? 3 : 2);
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB'];

/** Bytes per unit in which a size is shown: the largest binary unit up to GiB that it reaches; 1 for bytes. */
export function byteUnit(bytes: number): number {
  return 1024 ** Math.max(0, ...BYTE_UNITS.map((_, power) => (Math.abs(bytes) / 1024 ** power >= FITS ? power : 0)));
}

export function formatBytes(bytes: Measured, signed = false, format: (value: number, signed: boolean) => string = formatDigits): string {
  if (bytes === null || bytes === undefined) return NOT_MEASURED;
  const unit = byteUnit(bytes);
  return `${format(bytes / unit, signed)}${THIN}${BYTE_UNITS[Math.log2(unit) / 10]}`;
}

/** Bytes per second in decimal units, as bandwidths are given. */
export function formatRate(bytes_s: number, signed = false): string {
  return formatDecimal(bytes_s, 'B/s', signed);
}

/** A value with the decimal prefix that suits it: 1.50 TFLOP/s. */
export function formatDecimal(value: number, unit: string, signed = false): string {
  const power = value === 0 ? 0 : Math.min(4, Math.max(0, Math.floor(Math.log10(Math.abs(value) / FITS) / 3)));
  return `${formatDigits(value / 1000 ** power, signed)}${THIN}${['', 'k', 'M', 'G', 'T'][power]}${unit}`;
}

export function formatElapsed(seconds: number): string {
  if (seconds < 60) return `${formatNumber(seconds, 1)}${THIN}s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes}${THIN}min ${Math.floor(seconds - 60 * minutes)}${THIN}s`;
}

/** Local day and minute of a Unix time in seconds, in a form that sorts by time; "" if out of range. */
export function formatMinute(seconds: number): string {
  const date = new Date(1000 * seconds - 60_000 * new Date(1000 * seconds).getTimezoneOffset());
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 16).replace('T', ' ');
}

/** Sign of a difference: 1 more, -1 less, 0 equal or not measured. */
export function direction(value: Measured): -1 | 0 | 1 {
  if (value === null || value === undefined || value === 0) return 0;
  return value > 0 ? 1 : -1;
}

export function arrow(value: Measured): string {
  return { '1': '▲', '-1': '▼', '0': '' }[String(direction(value)) as '1' | '-1' | '0'];
}
