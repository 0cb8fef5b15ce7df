import { describe, expect, it } from 'vitest';
import { niceTicks } from '../../src/charts/ticks';
import { categories, entities, ledgerTable, ledgerUs, restOf, isExactSum } from '../../src/summary/ledger';
import { placesOf } from '../../src/summary/step_strip';
import { stepAxis } from '../../src/summary/step_strip';
import { stepTimes } from '../../src/table/data/rows';
import { foldedBars, waterfall } from '../../src/summary/waterfall';
import { metricWords, text } from '../../src/ui/strings';
import { PLAIN, column, ledger, ledgerRow } from '../samples';

describe('waterfall', () => {
  it('folds two or more parts that hardly change, unless one of them is open', () => {
    const { bars } = waterfall(0, 1002, [['Kernel', 1000], ['CPU', 5], ['Copy', 1], ['Other', -1], ['Wait', 0]].map(([label, delta]) => ({ label: String(label), delta: Number(delta) })));
    const labels = (selected: string, some = bars): string[][] => foldedBars(some, selected).map((part) => part.map((bar) => bar.label));
    expect(labels('')).toEqual([['Kernel', 'CPU'], ['Copy', 'Other', 'Wait']]);
    expect(labels('Kernel')[1]!.length).toBe(3);
    expect(labels('Other')[1]).toEqual([]);
    expect(labels('', bars.slice(0, 3))[1]).toEqual([]);
    expect(labels('', [])).toEqual([[], []]);
    const same = waterfall(7, 7, ['Kernel', 'CPU', 'Copy'].map((label) => ({ label, delta: 0 }))).bars;
    expect(labels('', same)).toEqual([[], ['Kernel', 'CPU', 'Copy']]);
  });
  it('starts at A, ends at B, and joins every bar to the next', () => {
    const figure = waterfall(141, 164, [
      { label: 'Other', delta: -9 },
      { label: 'DataLoader', delta: 47 },
      { label: 'Kernel', delta: -15 },
      { label: 'Memset', delta: 0 },
    ]);
    expect(figure.bars.map((bar) => bar.label)).toEqual(['DataLoader', 'Kernel', 'Other', 'Memset']);
    expect(figure.bars[0]!.from).toBe(141);
    expect(figure.bars.at(-1)!.to).toBe(164);
    figure.bars.slice(1).forEach((bar, index) => expect(bar.from).toBe(figure.bars[index]!.to));
    expect(figure.broken).toBe(true);
    expect(figure.low).toBeLessThan(141);
  });
  it('starts at zero when the changes are large, and below it when a running total is', () => {
    expect(waterfall(10, 32, [{ label: 'x', delta: 22 }])).toMatchObject({ broken: false, low: 0 });
    expect(waterfall(10, 1, [{ label: 'x', delta: -20 }, { label: 'y', delta: 11 }]).low).toBe(-10);
  });
  it('has a width even when nothing happened', () => {
    for (const total of [0, 5]) {
      const figure = waterfall(total, total, [{ label: 'x', delta: 0 }]);
      expect(figure.high).toBeGreaterThan(figure.low);
    }
  });
});

describe('ledger', () => {
  const books = ledger(
    [
      ledgerRow(['Kernel'], 300, 500),
      ledgerRow(['Kernel', 'gemm'], 100, 400),
      ledgerRow(['Kernel', 'relu'], 200, 0, 'removed'),
      ledgerRow(['Kernel', 'new'], 0, 100, 'added'),
      ledgerRow(['Other'], 50, 40),
      ledgerRow(['Other', 'rest'], 50, 40),
    ],
    2,
  );
  it('adds up', () => {
    expect(isExactSum(books)).toBe(true);
    expect(isExactSum({ ...books, delta: books.delta + 1 })).toBe(false);
    expect(categories(books).map((row) => row.path[0])).toEqual(['Kernel', 'Other']);
    expect(restOf(entities(books, 'Kernel'))).toMatchObject({ count: 3, delta: 200, baseline: 300, candidate: 500 });
  });
  it('lists entities by size of change', () => {
    expect(entities(books, 'Kernel').map((row) => row.path[1])).toEqual(['gemm', 'relu', 'new']);
    expect(ledgerUs(books, 3000)).toBe(1.5);
  });
  it('is a table in which an absent side is absent, not zero', () => {
    const table = ledgerTable(books, text.attribution(metricWords('step_time')));
    const rows = Object.fromEntries(table.rows.map((row) => [row[0], row]));
    expect(rows['new']![2]).toBeNull();
    expect(rows['relu']![3]).toBeNull();
    expect(rows['gemm']!.slice(2, 5)).toEqual([0.05, 0.2, 0.15]);
    const alone = ledgerTable({ ...books, not_recorded: [['Kernel'], []] }, text.attribution(metricWords('step_time')));
    expect(alone.rows.find((row) => row[0] === 'new')!.slice(5, 7)).toEqual([null, 1]);
  });
});

describe('step times', () => {
  const table = {
    ...PLAIN, title: 'Steps',
    columns: [column('side', 'key', 'text'), column('capture', 'key', 'text'), column('step', 'key', 'text'), column('total_us', 'plain', 'time_us'), column('admitted', 'plain', 'bool'), column('reason', 'text', 'text')],
    rows: [
      ['baseline', 'r/w/1', '1', 10, true, ''],
      ['candidate', 'r/w/1', '1', 12, true, ''],
      ['candidate', 'r/w/1', '2', 99, false, 'first step'],
    ],
    notes: [],
  };
  const steps = stepTimes(table);
  it('tells sides and dropped steps apart', () => {
    expect(steps.map((step) => [step.side, step.us, step.admitted])).toEqual([['a', 10, true], ['b', 12, true], ['b', 99, false]]);
    expect(steps[2]!.reason).toBe('first step');
    expect(stepTimes(undefined)).toEqual([]);
  });
  it('stand at the places of their numbers, one by one where a step has none', () => {
    const step = (name: string, capture: string) => ({ ...steps[0]!, step: name, capture });
    const places = (names: string[]) => placesOf(names.map((name, at) => step(name, String(at))), 'a').map((some) => some.map((one) => one.step));
    expect(places(['10', '9', '10', '9 (2)'])).toEqual([['9', '9 (2)'], ['10', '10']]);
    expect(places(['10', 'whole'])).toEqual([['10'], ['whole']]);
    expect(placesOf(steps, 'b').length).toBe(2);
  });
  it('has an axis for the compared steps, not for a dropped outlier', () => {
    const axis = stepAxis(steps);
    expect(axis.low).toBeLessThan(10);
    expect(axis.high).toBeGreaterThan(12);
    expect(axis.high).toBeLessThan(20);
    expect(stepAxis([]).high).toBeGreaterThan(stepAxis([]).low);
  });
});

it('finds round ticks inside the range', () => {
  expect(niceTicks(0, 0.6, 3)).toEqual([0, 0.2, 0.4, 0.6]);
  expect(niceTicks(57, 121, 4)).toEqual([60, 80, 100, 120]);
  expect(Object.is(niceTicks(-0.001, 10, 3)[0], -0)).toBe(false);
  expect(niceTicks(5, 5, 3)).toEqual([5]);
});
