import { render } from 'preact';
import { expect, test } from 'vitest';
import { barsOf, PARTS, stacksOf } from '../../src/charts/stacks/stacks';
import type { Cell, Ledger, Table } from '../../src/contract/wire';
import { atOnePace } from '../../src/summary/step_strip';
import { stepTimes } from '../../src/table/data/rows';
import { WaterfallView } from '../../src/summary/waterfall_view';
import { metricWords } from '../../src/ui/strings';
import { PLAIN, column, ledger, ledgerRow } from '../samples';

function steps(rows: [step: string, us: number, backlog: number | null][]): Table {
  return {
    ...PLAIN, title: 'Steps',
    columns: [
      column('side', 'key', 'text'),
      column('step', 'key', 'text'),
      column('total_us', 'plain', 'time_us'),
      ...PARTS.map((part) => column(`${part}_us`, 'plain', 'time_us')),
      column('backlog_us', 'plain', 'time_us'),
      column('admitted', 'plain', 'bool'),
    ],
    rows: rows.map(([step, us, backlog]): Cell[] => ['candidate', step, us, ...PARTS.map(() => us / PARTS.length), backlog, backlog !== null]),
    notes: [],
  };
}

function below(books: Ledger): string {
  const box = document.createElement('div');
  render(<WaterfallView ledger={books} words={metricWords('step_time')} selected="" onSelect={() => {}} onAll={() => {}} />, box);
  return box.querySelector('.backlog')?.textContent ?? '';
}

test('the waterfall says how much of it an earlier step launched, and nothing where that is nothing', () => {
  const books = ledger([ledgerRow(['Kernel'], 4_000_000, 6_000_000)], 2);
  expect(below({ ...books, backlog: [0, 2_000_000] })).toContain('launched by an earlier step (backlog): 0\u202fms in A, 1.000\u202fms in B');
  expect(below({ ...books, backlog: [0, 0] })).toBe('');
  expect(below(books)).toBe('');
});

test('a step knows its backlog; one that is not compared has none', () => {
  const table = steps([['1', 80, null], ['2', 100, 30], ['3', 100, 10]]);
  expect(stepTimes(table).map((step) => step.backlog)).toEqual([0, 30, 10]);
  expect(stacksOf(table).b.map((step) => step.backlog)).toEqual([0, 30, 10]);
  expect(barsOf(stacksOf(table).b.slice(1), 2).map((bar) => bar.backlog)).toEqual([20]);
});

test('steps are drawn at one pace where it is known, others as recorded', () => {
  const table: Table = { ...steps([['1', 10, 0], ['2', 20, 0]]) };
  const paced = { ...table, columns: [...table.columns, column('at_one_pace_us', 'plain', 'time_us')], rows: table.rows.map((cells, row) => [...cells, row === 0 ? 9 : null]) };
  expect(stepTimes(paced).map((step) => step.paced)).toEqual([9, null]);
  expect(atOnePace(stepTimes(paced)).map((step) => step.us)).toEqual([9, 20]);
  expect(stepTimes(table).map((step) => step.paced)).toEqual([null, null]);
});
