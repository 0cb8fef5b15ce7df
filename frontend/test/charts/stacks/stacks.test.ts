import { describe, expect, it } from 'vitest';
import { barsOf, captureNames, hasParts, labelsOf, PARTS, segments, stacksOf, stepsPerBar, topOf, type Stack } from '../../../src/charts/stacks/stacks';
import type { Cell, Table } from '../../../src/contract/wire';
import { PLAIN, column } from '../../samples';

type Row = [side: string, step: string, kernel: number | null, other: number | null, admitted?: boolean, total?: number];

function table(rows: Row[]): Table {
  return {
    ...PLAIN, title: 'Steps',
    columns: [
      column('side', 'key', 'text'),
      column('capture', 'key', 'text'),
      column('step', 'key', 'text'),
      column('total_us', 'plain', 'time_us'),
      ...PARTS.map((part) => column(`${part}_us`, 'plain', 'time_us', { label: part.toUpperCase() })),
      column('admitted', 'plain', 'bool'),
      column('reason', 'text', 'text'),
    ],
    rows: rows.map(([side, step, kernel, other, admitted = true, total = (kernel ?? 0) + (other ?? 0)]): Cell[] => [
      side, 'run/worker/1', step, total, ...PARTS.map((part) => (part === 'kernel' ? kernel : part === 'other' ? other : admitted ? 0 : null)), admitted, admitted ? '' : 'warm-up',
    ]),
    notes: [],
  };
}

const drawn = table([
  ['baseline', '2', 6, 4],
  ['baseline', '3', 8, 2],
  ['candidate', '7', 9, 3],
  ['baseline', '1', null, null, false, 50],
]);
const kernel = 0;
const other = PARTS.length - 1;

describe('the parts of every step', () => {
  it('stand by side in the order in which the steps ran, those not compared among them', () => {
    const { a, b } = stacksOf(drawn);
    expect(a.map(({ step, us, admitted }) => [step, us, admitted])).toEqual([['1', 50, false], ['2', 10, true], ['3', 10, true]]);
    expect(b.map(({ step, row }) => [step, row])).toEqual([['7', 2]]);
    expect([a[1]!.parts[kernel], a[1]!.parts[other]]).toEqual([6, 4]);
    expect(a[0]!.parts[kernel]).toBeNaN();
  });
  it('are known where the server splits steps', () => {
    expect(hasParts(drawn)).toBe(true);
    expect(hasParts({ ...drawn, columns: drawn.columns.slice(0, 4) })).toBe(false);
    expect(labelsOf(drawn)[kernel]).toBe('KERNEL');
  });
  it('add up to the step, in time and in shares', () => {
    const [bar] = barsOf(stacksOf(drawn).b, 1);
    expect(segments(bar!, false, -1)).toEqual([{ part: kernel, from: 0, to: 9 }, { part: other, from: 9, to: 12 }]);
    expect(segments(bar!, true, -1).at(-1)!.to).toBe(1);
    expect(segments(bar!, false, other)).toEqual([{ part: other, from: 0, to: 3 }]);
  });
  it('have an axis for the compared steps', () => {
    const all = stacksOf(drawn);
    expect(topOf([...all.a, ...all.b])).toBeCloseTo(12 * 1.04);
    expect(topOf([])).toBeGreaterThan(0);
  });
  it('share columns where there are many: the mean of those that are compared', () => {
    expect([stepsPerBar(10, 300, 3), stepsPerBar(100, 300, 3), stepsPerBar(101, 300, 3), stepsPerBar(5, 0, 3)]).toEqual([1, 1, 2, 15]);
    const [first, second] = barsOf(stacksOf(drawn).a, 2);
    expect([first!.count, first!.us, first!.parts[kernel]]).toEqual([2, 10, 6]);
    expect([second!.first, second!.count]).toEqual([2, 1]);
    expect(barsOf([{ ...stacksOf(drawn).a[0]! } as Stack], 4)[0]).toMatchObject({ us: 50, admitted: false });
  });
});

it('captures are called by what tells them apart', () => {
  const names = (...captures: string[]): string[] => [...captureNames(captures.map((capture) => ({ capture }) as Stack)).values()];
  expect(names('r/w/1', 'r/w/1')).toEqual([]);
  expect(names('r/w0/1', 'r/w1/1')).toEqual(['w0', 'w1']);
  expect(names('r/w/1', 'r/w/2')).toEqual(['span 1', 'span 2']);
  expect(names('r/w0/1', 'r/w1/2')).toEqual(['w0, span 1', 'w1, span 2']);
});
