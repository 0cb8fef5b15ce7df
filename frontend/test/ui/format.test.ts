import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  arrow, columnStyle, finer, formatBytes, formatCount, formatDecimal, formatDigits, formatElapsed, formatEnds, formatIn, formatMany, formatNumber, formatOfTheChange, formatP, formatPercent, formatPoints, formatRate, formatRatio, formatRound, formatSetting, formatTime, NOT_MEASURED, timeStyle,
} from '../../src/ui/format';
import { noBreakNumbers } from '../../src/ui/strings';

const plain = (text: string): string => text.replaceAll('\u202f', ' ').replaceAll('\u2212', '-');

describe('numbers', () => {
  it('uses a true minus and a plus on request', () => {
    expect(formatNumber(-1.5, 1)).toBe('\u22121.5');
    expect(formatNumber(1.5, 1, true)).toBe('+1.5');
    expect(formatNumber(0, 0, true)).toBe('0');
  });
  it('never shows a small value as zero', () => {
    expect(formatNumber(0.0001, 2)).toBe('<0.01');
    expect(formatNumber(-0.0001, 2, true)).toBe('\u22120.00');
  });
  it('shows what was not measured as a dash, not as zero', () => {
    for (const show of [formatPercent, formatCount, formatTime, formatP, formatBytes]) expect(show(null)).toBe(NOT_MEASURED);
    expect(formatNumber(NaN, 1)).toBe(NOT_MEASURED);
  });
});

describe('times', () => {
  it('chooses one unit for a column by its larger values', () => {
    const style = timeStyle([0.3, 5, 4000, 11_080, null]);
    expect(style.unit).toBe('ms');
    expect(formatIn(style, 0.3)).toBe('<0.01');
    expect(formatIn(style, 11_080)).toBe('11.08');
    expect(formatIn(style, null)).toBe(NOT_MEASURED);
  });
  it.each([
    [46_643.8, 'ms', '46.644'],
    [1278.6, 'µs', '1,278.6'],
    [5_219_000, 'ms', '5,219.0'],
    [0.4, 'ns', '400'],
  ])('measures a column that reaches %d us in %s', (largest, unit, shown) => {
    const style = columnStyle([0.01, largest]);
    expect([style.unit, formatIn(style, largest)]).toEqual([unit, shown]);
  });
  it('shows differences with two decimals at least', () => {
    expect(finer(timeStyle([141_200, 163_900])).decimals).toBe(2);
  });
});

it('writes both ends of an interval alike', () => {
  expect(formatEnds(-0.012, 0.2).map(plain)).toEqual(['-1.20 %', '+20.0 %']);
  expect(formatEnds(4.97, 40.4)).toEqual(['×5.97', '×41.4']);
});

it('keeps a number and its unit on one line', () => {
  expect(noBreakNumbers('84.8 % of it in 5 of 29 steps (p = 0.059), 47.4 ms').replaceAll('\u00a0', '_')).toBe('84.8_% of it in 5 of 29 steps (p_=_0.059), 47.4_ms');
});

it('reads every number as sentences and reports do', () => {
  const shown: Record<string, (value: number) => string> = {
    number: (value) => formatDigits(value),
    'signed number': (value) => formatDigits(value, true),
    count: (value) => formatCount(value),
    'signed count': (value) => formatCount(value, true),
    time: (value) => formatTime(value),
    'signed time': (value) => formatTime(value, true),
    size: (value) => formatBytes(value),
    rate: (value) => formatRate(value),
    operations: (value) => formatDecimal(value, 'FLOP'),
    'signed operation rate': (value) => formatDecimal(value, 'FLOP/s', true),
    percent: (value) => formatPercent(value),
    'signed percent': (value) => formatPercent(value, true),
    'signed share': (value) => formatPercent(value, true, true),
    points: formatPoints,
    'of the change': formatOfTheChange,
    ratio: formatRatio,
    p: formatP,
    many: (value) => formatMany(value, 'row'),
  };
  const cases = JSON.parse(readFileSync(`${import.meta.dirname}/../../../tests/number_text.json`, 'utf-8')) as Record<string, [number, string][]>;
  expect(Object.keys(shown)).toEqual(Object.keys(cases));
  for (const [what, known] of Object.entries(cases))
    expect(known.map(([value]) => [value, shown[what]!(value).replaceAll('\u202f', ' ')])).toEqual(known);
});

it('shows what is round with its own digits, durations in minutes and rates in decimal units', () => {
  expect([0.01, 0.95, 0.005].map((fraction) => plain(formatSetting(fraction)))).toEqual(['1 %', '95 %', '0.5 %']);
  expect([0, 0.25, 2500, -3].map((tick) => plain(formatRound(tick)))).toEqual(['0', '0.25', '2,500', '-3']);
  expect(plain(formatElapsed(75))).toBe('1 min 15 s');
  expect(plain(formatRate(1.5e12))).toBe('1.50 TB/s');
});

it('points an arrow by sign', () => {
  expect([arrow(2), arrow(-2), arrow(0), arrow(null)]).toEqual(['▲', '▼', '', '']);
});
