// Pictures of each row's steps: one scale for both sides, no extreme lost, and what is told of them.

import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Column, Table } from '../../../src/contract/wire';
import { columnViews, toggleColumn, visibleColumns } from '../../../src/table/data/columns';
import { drawnMeasure, hasSteps, STEP_COLUMN, stepColumn } from '../../../src/table/step_column';
import { drawn, HEIGHT, LANE, linePath, scaleOf, WIDTH } from '../../../src/table/step_lines/path';
import { StepLines, type LineRow } from '../../../src/table/step_lines/step_lines';
import { writePlaces } from '../../../src/table/step_lines/step_lines';
import type { SideLine } from '../../../src/contract/sent';
import { metricWords } from '../../../src/ui/strings';
import { column as sample, comparison, PLAIN } from '../../samples';

const side = (...low_us: number[]): SideLine => ({ median_us: [...low_us].sort((one, other) => one - other)[Math.floor(low_us.length / 2)]!, low_us });

describe('the scale of a row', () => {
  it('is one for both sides: the greatest time at the top, the least at the bottom', () => {
    const y = scaleOf({ baseline: side(10, 20), candidate: side(40) });
    expect([y(40), y(10)]).toEqual([3, HEIGHT - 3]);
    expect(y(25)).toBe(HEIGHT / 2);
  });
  it('shows a steady row as steady', () => {
    const y = scaleOf({ baseline: side(100, 101), candidate: side(100) });
    expect(Math.abs(y(100) - y(101))).toBeLessThan(2);
  });
  it('has a place for rows that take no time', () => expect(scaleOf({ baseline: side(0, 0), candidate: null })(0)).toBe(HEIGHT / 2));
  it('knows the extremes of thinned steps', () => {
    const y = scaleOf({ baseline: { median_us: 5, low_us: [1, 4], high_us: [9, 81] }, candidate: null });
    expect([y(81), y(1)]).toEqual([3, HEIGHT - 3]);
  });
});

describe('the line of a side', () => {
  const flat = (us: number): number => us;
  const xs = (path: string): number[] => [...path.matchAll(/[ML]([\d.]+) /g)].map((found) => Number(found[1]));
  it('goes through every step', () => expect(linePath(side(1, 2, 3, 4), 0, flat)).toBe('M8 1L24 2L40 3L56 4'));
  it('goes through the greatest and the least of each group', () => expect(linePath({ median_us: 0, low_us: [1, 2], high_us: [7, 9] }, 0, flat)).toBe('M16 7L16 1L48 9L48 2'));
  it('is level for a single step', () => expect(linePath(side(5), 72, flat)).toBe(`M72 5h${LANE}`));
  it('stays in its lane', () => {
    const { a, b } = drawn({ baseline: side(...Array<number>(60).fill(3)), candidate: side(...Array<number>(7).fill(4)) }, { baseline: 60, candidate: 7 });
    expect(Math.max(...xs(a))).toBeLessThan(LANE);
    expect(Math.min(...xs(b))).toBeGreaterThan(LANE);
    expect(Math.max(...xs(b))).toBeLessThan(WIDTH);
  });
});

describe('what is told of a row', () => {
  it('is how many steps, their median, least and greatest, of each side', () => {
    const { summary } = drawn({ baseline: side(10, 20, 60), candidate: { median_us: 30, low_us: [15, 20], high_us: [40, 90] } }, { baseline: 3, candidate: 200 });
    expect(summary.replaceAll(/[\u202f\u00a0]/g, ' ')).toBe('A: 3 steps, median 20.0 µs, 10.0 µs to 60.0 µs; B: 200 steps, median 30.0 µs, 15.0 µs to 90.0 µs');
  });
  it('says which side lacks the row, and draws nothing there', () => {
    const picture = drawn({ baseline: null, candidate: side(1, 2) }, { baseline: 3, candidate: 2 });
    expect(picture.summary).toContain('A: absent; B: 2 steps');
    expect([picture.a, picture.level]).toEqual(['', '']);
  });
});

it('places are written as ranges', () => expect(writePlaces([9, 1, 2, 3, 7, 8])).toBe('1-3,7-9'));

const column = (name: string, role: Column['role'] = 'plain', kind: Column['kind'] = 'time_us', label = name): Column => sample(name, role, kind, { label });
const table = (...columns: Column[]): Table => ({ ...PLAIN, per_step: true, title: 'Operators', columns, rows: [], notes: [] });
const operators = table(
  column('name', 'key', 'text'), column('baseline_us', 'baseline', 'time_us', 'Host self A'), column('candidate_us', 'candidate'), column('delta_us', 'delta'), column('change', 'text', 'text'),
  column('baseline_device_self_us', 'baseline', 'time_us', 'Device self A'), column('device_self_delta_us', 'delta'), column('device_self_change', 'text', 'text'),
);

describe('the column', () => {
  const words = metricWords('cycle_time');
  const of = (measure: string, metric = measure) => stepColumn(columnViews(operators), measure, metric, words);
  it('is called what the steps are, and of which time they are', () => {
    expect([of('').column.label, of('').column.unit, of('device_self').column.unit]).toEqual(['Cycles', 'A | B', 'Device self']);
  });
  it('names the time it draws where that is not the one shown', () => {
    expect(of('', 'exposed').column.unit).toBe('Host self');
  });
  it('can be chosen where it is left out for lack of room', () => {
    const steps = of('');
    const narrow = [...columnViews(operators), { ...steps, column: { ...steps.column, shown: false } }];
    expect(visibleColumns(narrow, '').some(({ index }) => index < 0)).toBe(false);
    expect(visibleColumns(narrow, toggleColumn(narrow, '', STEP_COLUMN)).some(({ index }) => index < 0)).toBe(true);
  });
  it('draws the time that is shown, where rows were tested by it', () => {
    expect(['', 'device_self', 'host_total', 'exposed'].map((metric) => drawnMeasure(operators, metric))).toEqual(['', 'device_self', '', '']);
  });
  it('is there only where rows have times of several steps', () => {
    const base = comparison();
    const of = (n: [number, number], found: Table): boolean => hasSteps({ ...base, headline: { ...base.headline, n }, tables: { operators: found, ledger: found } }, 'operators');
    expect(of([10, 12], operators)).toBe(true);
    expect(of([1, 12], operators)).toBe(true);
    expect(of([1, 1], operators)).toBe(false);
    expect(of([10, 12], table(column('name', 'key', 'text'), column('baseline_us', 'baseline')))).toBe(false); // totals are not tested
    expect(hasSteps({ ...base, tables: { steps: { ...operators, per_step: false } } }, 'steps')).toBe(false);
  });
});

describe('asking for the rows in view', () => {
  const line = { baseline: side(1, 2), candidate: side(3) };
  const asked: URLSearchParams[] = [];
  let ended = 0;
  let answering: (places: number[]) => number[];
  let next = 0;
  const rows = (first: number, end: number): (() => LineRow[]) => () => Array.from({ length: end - first }, (_, at) => ({ place: first + at, key: `op${first + at}` }));
  const lines = (lost = 0, news = (): void => undefined): StepLines =>
    new StepLines({ route: 'table', query: new URLSearchParams('baseline=x&candidate=y'), tag: 't', table: 'operators', lost }, `question ${(next += 1)}`, '', news);
  const places = (query: URLSearchParams): number[] =>
    query.get('places')!.split(',').flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
  beforeEach(() => {
    vi.useFakeTimers();
    asked.length = ended = 0;
    answering = (of) => of;
    vi.stubGlobal('fetch', (url: string, { signal }: { signal: AbortSignal }) => {
      const query = new URL(url).searchParams;
      asked.push(query);
      return new Promise<Response>((resolve, reject) => {
        signal.addEventListener('abort', () => ((ended += 1), reject(new DOMException('', 'AbortError'))));
        const come = answering(places(query));
        setTimeout(() => resolve(new Response(JSON.stringify({ schema: 'tb_perfcompare.rows/1', steps: { baseline: 2, candidate: 1 }, places: come, rows: come.map(() => line), lost: 0 }))), 300);
      });
    });
    return () => vi.useRealTimers();
  });

  it('is one request when the table rests, for those near too', async () => {
    const one = lines();
    for (let top = 0; top < 9; top += 1) one.loadInView(rows(top, top + 20), rows(0, 60), {});
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked.map((query) => query.get('places'))).toEqual(['0-59']);
    expect(one.picture('op59')).toBeTruthy();
    one.loadInView(rows(30, 50), rows(0, 90), {});
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toHaveLength(1); // all of them are here
  });
  it('carries the pair, the choice of rows and the time', async () => {
    lines().loadInView(rows(0, 5), rows(0, 5), { sort: 'name:asc', filter: '' });
    await vi.advanceTimersByTimeAsync(200);
    expect(Object.fromEntries(asked[0]!)).toEqual({ baseline: 'x', candidate: 'y', table: 'operators', tag: 't', points: '64', sort: 'name:asc', places: '0-4' });
  });
  it('ends when the rows are passed by', async () => {
    const one = lines();
    one.loadInView(rows(900, 920), rows(900, 920), {});
    await vi.advanceTimersByTimeAsync(1000);
    asked.length = 0;
    one.loadInView(rows(0, 20), rows(0, 20), {});
    await vi.advanceTimersByTimeAsync(200);
    one.loadInView(rows(500, 520), rows(500, 520), {});
    await vi.advanceTimersByTimeAsync(1000);
    expect([asked.length, ended]).toEqual([2, 1]);
    expect([one.picture('op0'), Boolean(one.picture('op500'))]).toEqual([undefined, true]);
  });
  it('lets the first answer come, for which the server gathers the table', async () => {
    const one = lines();
    for (const first of [0, 500, 800]) {
      one.loadInView(rows(first, first + 20), rows(first, first + 20), {});
      await vi.advanceTimersByTimeAsync(130);
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect([asked.map((query) => query.get('places')), ended]).toEqual([['0-19', '800-819'], 0]);
  });
  it('asks for the rest where not all fit', async () => {
    answering = (of) => of.slice(0, 8);
    const one = lines();
    one.loadInView(rows(0, 20), rows(0, 20), {});
    await vi.advanceTimersByTimeAsync(2000);
    expect(asked.map((query) => query.get('places'))).toEqual(['0-19', '8-19', '16-19']);
  });
  it('does not draw rows of an answer that lacks other files, nor ask for them for ever', async () => {
    const news = vi.fn();
    const one = lines(1, news);
    one.loadInView(rows(0, 20), rows(0, 20), {});
    await vi.advanceTimersByTimeAsync(2000);
    expect([asked.length, news.mock.calls.length, one.picture('op0')]).toEqual([1, 0, undefined]);
  });
});
