import { describe, expect, it } from 'vitest';
import type { Table } from '../../../src/contract/wire';
import { filterRows, nextSort, ownOrder, parseSort, sortRows, sumOf, writeSort, type RowFilter } from '../../../src/table/data/order';
import { findRow, rowKey } from '../../../src/table/data/rows';
import { parseQuery } from '../../../src/ui/search';
import { column, kernels } from '../../samples';

const table = kernels([
  ['gemm', 10, 30, 20, 'both'],
  ['conv', 5, 1, -4, 'both'],
  ['isfinite', null, 2, 2, 'added'],
  ['relu', 3, null, -3, 'removed'],
  ['copy', 7, 7, 0, 'both'],
]);
const everything: RowFilter = { query: parseQuery(''), category: null, status: 'all', minDelta: 0 };
const names = (rows: number[], of: Table = table): unknown[] => rows.map((row) => of.rows[row]![0]);
const all = [0, 1, 2, 3, 4];

describe('search', () => {
  it.each([
    ['', ['gemm', 'conv', 'isfinite', 'relu', 'copy']],
    ['CO', ['conv', 'copy']],
    ['co -py', ['conv']],
    ['-co', ['gemm', 'isfinite', 'relu']],
    ['/^(gemm|relu)$/', ['gemm', 'relu']],
    ['-/e/', ['conv', 'copy']],
    ['i f', ['isfinite']],
  ])('%s', (query, expected) => {
    expect(names(filterRows(table, { ...everything, query: parseQuery(query) }).rows)).toEqual(expected);
  });
  it('says what is wrong with an expression, and filters nothing', () => {
    const query = parseQuery('/(/');
    expect(query.error).not.toBe('');
    expect(filterRows(table, { ...everything, query }).rows).toEqual(all);
  });
});

describe('filters', () => {
  it('keeps one-sided rows apart', () => {
    expect(names(filterRows(table, { ...everything, status: 'added' }).rows)).toEqual(['isfinite']);
    expect(names(filterRows(table, { ...everything, status: 'removed' }).rows)).toEqual(['relu']);
  });
  it('hides small differences and tells which', () => {
    const { rows, hidden } = filterRows(table, { ...everything, minDelta: 3 });
    expect(names(rows)).toEqual(['gemm', 'conv', 'relu']);
    expect(names(hidden)).toEqual(['isfinite', 'copy']);
    expect(sumOf(table, 3, hidden)).toBe(2);
  });
  it('keeps a row that any of its times keeps', () => {
    const both: Table = {
      ...table,
      columns: [column('name', 'key', 'text'), column('delta_us', 'delta', 'time_us'), column('exposed_delta_us', 'delta', 'time_us')],
      rows: [['hidden behind a copy', 0.1, 9], ['small', 0.1, 0.1]],
    };
    expect(filterRows(both, { ...everything, minDelta: 3 }).rows).toEqual([0]);
  });
  it('keeps what differs clearly for any measure, and nothing without a q', () => {
    const tested: Table = {
      ...table,
      columns: [column('name', 'key', 'text'), column('q', 'plain', 'number'), column('device_self_q', 'plain', 'number')],
      rows: [['clear', 0.05, null], ['clear on the device', 0.9, 0.001], ['not', 0.051, 0.2], ['not tested', null, null]],
    };
    expect(names(filterRows(tested, { ...everything, clear: true }).rows, tested)).toEqual(['clear', 'clear on the device']);
    expect(filterRows(tested, everything).rows).toEqual(all.slice(0, 4));
    // a table that was not tested at all shows its rows
    expect(filterRows(table, { ...everything, clear: true }).rows).toEqual(all);
  });
  it('shows what is clearly slower or faster, by any of the table\'s times', () => {
    const told: Table = {
      ...kernels([]),
      columns: [column('name', 'key', 'text'), column('change', 'plain', 'text'), column('exposed_change', 'plain', 'text')],
      rows: [['a', 'slower', 'cannot tell'], ['b', 'unchanged', 'slower'], ['c', 'faster', null], ['d', 'added', 'added']],
    };
    expect(filterRows(told, { ...everything, status: 'slower' }).rows).toEqual([0, 1]);
    expect(filterRows(told, { ...everything, status: 'faster' }).rows).toEqual([2]);
    // a table that does not say so shows its rows
    expect(filterRows(table, { ...everything, status: 'slower' }).rows).toEqual(all);
  });
  it('does not filter the parts themselves by part', () => {
    const parts: Table = { ...table, columns: [column('category', 'key', 'text')], rows: [['Kernel'], ['Other']] };
    expect(filterRows(parts, { ...everything, category: 'Kernel' }).rows).toEqual([0, 1]);
    const entries: Table = { ...parts, columns: [column('entity', 'key', 'text'), column('category', 'key', 'text')], rows: [['a', 'Kernel'], ['b', 'Other']] };
    expect(filterRows(entries, { ...everything, category: 'Kernel' }).rows).toEqual([0]);
  });
});

describe('order', () => {
  it('puts missing values last both ways', () => {
    expect(names(sortRows(table, all, parseSort('baseline_us')))).toEqual(['relu', 'conv', 'copy', 'gemm', 'isfinite']);
    expect(names(sortRows(table, all, parseSort('-baseline_us')))).toEqual(['gemm', 'copy', 'conv', 'relu', 'isfinite']);
  });
  it('sorts by a second key where the first is equal, and keeps the order of equal rows', () => {
    expect(names(sortRows(table, all, parseSort('status,-delta_us')))).toEqual(['isfinite', 'gemm', 'copy', 'conv', 'relu']);
    expect(names(sortRows(table, all, parseSort('status')))).toEqual(['isfinite', 'gemm', 'conv', 'copy', 'relu']);
  });
  it('leaves rows alone for columns that are not there', () => {
    expect(sortRows(table, [3, 1], parseSort('nothing'))).toEqual([3, 1]);
  });
  it('goes largest first, smallest first, usual order', () => {
    const first = nextSort([], 'delta_us', true, false);
    const second = nextSort(first, 'delta_us', true, false);
    expect([first, second, nextSort(second, 'delta_us', true, false)].map(writeSort)).toEqual(['-delta_us', 'delta_us', '']);
    expect(writeSort(nextSort(first, 'name', false, true))).toBe('-delta_us,name');
    expect(writeSort(nextSort(first, 'name', false, false))).toBe('name');
  });
  it('sorts fifty thousand rows', () => {
    const many = kernels(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i, i, (i * 7919) % 50_000, 'both']));
    const sorted = sortRows(many, many.rows.map((_, i) => i), parseSort('-delta_us'));
    expect(many.rows[sorted[0]!]![3]).toBe(49_999);
  });
});

it('names rows by their keys and finds them again', () => {
  const shapes: Table = { ...table, columns: [column('name', 'key', 'text'), column('input_shape', 'key', 'text')], rows: [['mm', '[1]'], ['mm', '[2]']] };
  expect(findRow(shapes, rowKey(shapes, 1))).toBe(1);
  expect(findRow(shapes, 'mm')).toBe(0);
  expect(findRow(shapes, 'gone')).toBe(-1);
});

describe('the order that rows come in', () => {
  const shown = table.columns;
  it('is said by the difference, where that is what they stand by', () => {
    const bySize = { ...table, rows: sortRows(table, all, [{ column: 'delta_us', descending: true, size: true }]).map((row) => table.rows[row]!) };
    expect(ownOrder(bySize, shown)).toEqual([{ column: 'delta_us', descending: true, size: true }]);
  });
  it('is not said by a figure that most rows share', () => {
    const steps = (launches: number[]): Table => ({
      ...table,
      columns: [column('side', 'key', 'text'), column('launches', 'plain', 'count')],
      rows: launches.map((count, at) => [at < 3 ? 'baseline' : 'candidate', count]),
    });
    const order = (of: Table) => ownOrder(of, of.columns);
    expect(order(steps([9, 9, 9, 4, 4, 4]))).toEqual([{ column: 'side', descending: false }]);
    expect(order(steps([9, 8, 7, 6, 5, 4]))).toEqual([{ column: 'launches', descending: true }]);
  });
  it('is nothing where no column says it', () => {
    const mixed = { ...table, rows: [3, 0, 4, 1, 2].map((row) => table.rows[row]!) };
    expect(ownOrder(mixed, shown)).toEqual([]);
  });
  it('may be by what the page derives of a row', () => {
    const half = sortRows(table, all, [{ column: 'made', descending: true, of: (cells) => (typeof cells[2] === 'number' ? -cells[2] : null) }]);
    expect(names(half)[0]).toBe('conv');
  });
});
