import { describe, expect, it } from 'vitest';
import {
  arrow, columnStyle, finer, formatBytes, formatCount, formatElapsed, formatIn, formatNumber, formatP, formatPercent, formatTime, NOT_MEASURED, timeStyle,
} from '../../src/ui/format';

const plain = (text: string): string => text.replaceAll('\u202f', ' ').replaceAll('\u2212', '-');

describe('numbers', () => {
  it('uses a true minus and a plus on request', () => {
    expect(formatNumber(-1.5, 1)).toBe('\u22121.5');
    expect(formatNumber(1.5, 1, true)).toBe('+1.5');
    expect(formatNumber(0, 0, true)).toBe('0');
  });
  it('never shows a small value as zero', () => {
    expect(formatNumber(0.0001, 2)).toBe('<0.01');
    expect(plain(formatNumber(-0.0001, 2, true))).toBe('-<0.01');
  });
  it('shows what was not measured as a dash, not as zero', () => {
    for (const show of [formatPercent, formatCount, formatTime, formatP, formatBytes]) expect(show(null)).toBe(NOT_MEASURED);
    expect(formatNumber(NaN, 1)).toBe(NOT_MEASURED);
  });
});

describe('times', () => {
  it.each([
    [0.4, '400 ns'],
    [12.34, '12.3 µs'],
    [1500, '1.50 ms'],
    [161_800, '161.8 ms'],
    [2_500_000, '2.50 s'],
    [0, '0 ms'],
  ])('%d us is %s', (us, text) => expect(plain(formatTime(us))).toBe(text));
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

it('shows shares, probabilities, counts, bytes and durations', () => {
  expect(plain(formatPercent(0.279, true))).toBe('+27.9 %');
  expect(plain(formatPercent(0.00001))).toBe('<0.1 %');
  expect(plain(formatPercent(12.5))).toBe('1,250 %');
  expect(formatP(0.0000001)).toBe('<0.001');
  expect([0.49, 0.049, 0.0049, 0.001, 0.00099].map(formatP)).toEqual(['0.49', '0.049', '0.0049', '0.0010', '<0.001']);
  expect(formatCount(6)).toBe('6');
  expect(formatCount(6.5)).toBe('6.50');
  expect(plain(formatBytes(1_159_569))).toBe('1.2 MB');
  expect(plain(formatBytes(999))).toBe('999 B');
  expect(plain(formatBytes(-43_352_448, true))).toBe('-43.4 MB');
  expect(plain(formatElapsed(75))).toBe('1 min 15 s');
});

it('points an arrow by sign', () => {
  expect([arrow(2), arrow(-2), arrow(0), arrow(null)]).toEqual(['▲', '▼', '', '']);
});
