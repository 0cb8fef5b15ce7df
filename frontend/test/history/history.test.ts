// Recorded runs over time: where points are drawn, and as what.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { describe as inWords } from '../../src/history/chart';
import { before, datedPlaces, kindOf, scaleOf } from '../../src/history/scale';
import { fetchHistory, type History, type Point } from '../../src/history/wire';

function point(label: string, median: number | null, over: Partial<Point> = {}): Point {
  return {
    run: `s/${label}`, label, at: '2026-02-01T04:00:00Z', recorded_run: 'normal', device: 'GPU', metric: 'step_time', version: '1', steps: { count: 9, admitted: 9 },
    mean_step_us: median, median_step_us: median, quartiles_us: null, segment: 0, difference: 0, verdict: 'same', outlier: false, ...over,
  };
}
const history = (points: Point[], typical = 100): History => ({
  series: 's', points, segments: [{ first: 0, last: points.length - 1, typical_us: typical }], changes: [], notes: [], problems: [],
});
const frame = { left: 0, right: 100, top: 0, bottom: 100 };

describe('the chart', () => {
  it('goes from the first to the last point and from bottom to top', () => {
    const scale = scaleOf(history([point('a', 100), point('b', 102), point('c', 101)]), frame);
    expect([scale.x(0), scale.x(1), scale.x(2)]).toEqual([0, 50, 100]);
    expect(scale.y(100)).toBeGreaterThan(scale.y(102));
    expect(scale.y(102)).toBeGreaterThan(0);
    expect([scale.above, scale.below]).toEqual([0, 0]);
  });
  it('counts far points instead of flattening the others, and draws them at its edge', () => {
    const points = [...Array.from({ length: 20 }, (_, n) => point(`${n}`, 100 + (n % 3))), point('far', 5000)];
    const scale = scaleOf(history(points), frame);
    expect(scale.above).toBe(1);
    expect(scale.high).toBeLessThan(200);
    expect(scale.y(5000)).toBe(0);
  });
  it.each([[[]], [[point('only', 100)]], [[point('none', null)]], [[point('a', 100), point('b', 100)]]])('stands whatever the series holds (%#)', (points) => {
    const scale = scaleOf(history(points), frame);
    for (const number of [scale.x(0), scale.y(100), scale.low, scale.high]) expect(Number.isFinite(number)).toBe(true);
  });
});

it('writes dates at a few places, the last among them', () => {
  expect(datedPlaces(0, 5)).toEqual([]);
  expect(datedPlaces(1, 5)).toEqual([0]);
  expect(datedPlaces(24, 13)).toContain(23);
  for (const count of [2, 7, 24, 500, 5000]) expect(datedPlaces(count, 8).length).toBeLessThanOrEqual(12);
});

it('tells kinds of points apart', () => {
  expect(kindOf(point('a', 1))).toBe('usual');
  expect(kindOf(point('a', 1, { verdict: 'slower', outlier: true }))).toBe('change');
  expect(kindOf(point('a', 1, { outlier: true }))).toBe('outlier');
  expect(kindOf(point('a', 1, { verdict: 'cannot_tell' }))).toBe('unsure');
  expect(kindOf(point('a', null, { verdict: null }))).toBe('unmeasured');
});

it('compares with the point before that can be opened', () => {
  const found = history([point('a', 1), point('b', null), point('c', 1, { run: null }), point('d', 1)]);
  expect(before(found, 3)).toBe(0);
  expect(before(found, 0)).toBe(-1);
});

it('says a point in words: time, difference, verdict, what is the matter with it', () => {
  const style = { scale: 1, decimals: 1, unit: 'µs' };
  const description = inWords(point('abc', 150, { difference: 0.5, verdict: 'cannot_tell', outlier: true, run: null }), style).replaceAll('\u202f', ' ');
  for (const part of ['abc, ', '150.0 µs', '+50.0 % against its level', 'Inconclusive so far', 'outlier', 'not readable by this version']) expect(description).toContain(part);
  expect(inWords(point('x', null, { difference: null, verdict: null }), style)).toContain('no step times');
});

describe('a history in pages', () => {
  afterEach(() => vi.unstubAllGlobals());
  /** Answers of the server by offset, each time the next listing of the list (the last one for ever). */
  const serve = (listings: string[]): string[] => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      const offset = Number(new URL(url, 'http://x').searchParams.get('offset') ?? 0);
      const listing = listings[Math.min(asked.length, listings.length - 1)]!;
      asked.push(`${offset}`);
      const points = [point(`r${offset}`, 1), point(`r${offset + 1}`, 1)];
      const paged = { offset, total_points: 4, listing, ...(offset === 0 ? { next_offset: 2 } : {}) };
      return new Response(JSON.stringify({ schema: 'tb_perfcompare.history/1', series: [], history: { ...history(points), ...paged } }));
    });
    return asked;
  };
  it('is one history', async () => {
    const asked = serve(['one']);
    const found = await fetchHistory('s');
    expect(found.history?.points.map((one) => one.label)).toEqual(['r0', 'r1', 'r2', 'r3']);
    expect(asked).toEqual(['0', '2']);
  });
  it('is read again when the directory changed between two pages', async () => {
    const asked = serve(['one', 'two', 'two', 'two']);
    expect((await fetchHistory('s')).history?.points).toHaveLength(4);
    expect(asked).toEqual(['0', '2', '0', '2']);
  });
});
