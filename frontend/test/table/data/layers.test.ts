import { describe, expect, it } from 'vitest';
import type { Cell, Column, Table } from '../../../src/contract/wire';
import { hasLayers, isMerged, mergeLayers } from '../../../src/table/data/layers';
import { rowKey } from '../../../src/table/data/rows';
import { column, PLAIN } from '../../samples';

const times: Column[] = [column('baseline_us', 'baseline', 'time_us'), column('candidate_us', 'candidate', 'time_us'), column('delta_us', 'delta', 'time_us')];
const status = column('status', 'status', 'text');
const modules = (rows: Cell[][]): Table => ({ ...PLAIN, title: 'Modules', columns: [column('name', 'key', 'text'), ...times, column('q', 'plain', 'number', { statistic: 'q' }), status], rows });
const tree = (rows: Cell[][]): Table => ({
  ...PLAIN, title: 'Call tree', columns: [column('frame', 'key', 'text'), column('below', 'key', 'text'), column('depth', 'plain', 'count'), column('kind', 'text', 'text'), column('category', 'text', 'text'), ...times, status], rows,
});

describe('modules that differ only in their number', () => {
  const table = modules([
    ['Block_0', 10, 12, 2, 0.01, 'both'], ['Block_1', 20, 21, 1, 0.5, 'both'], ['Head_7', 5, 5, 0, 1, 'both'], ['Extra_0', null, 3, 3, null, 'added'], ['Extra_1', null, 4, 4, null, 'added'],
  ]);
  it('are one row with their sums; what does not add up is left out', () => {
    expect(mergeLayers('modules', table).rows).toEqual([['2 × Block', 30, 33, 3, null, 'both'], ['Head_7', 5, 5, 0, 1, 'both'], ['2 × Extra', null, 7, 7, null, 'added']]);
  });
  it('are told from tables without any, and from rows of other tables', () => {
    expect([hasLayers('modules', table), hasLayers('kernels', table), hasLayers('modules', modules(table.rows.slice(1, 4)))]).toEqual([true, false, false]);
    expect(mergeLayers('kernels', table)).toBe(table);
  });
  it('say how many each side has where that differs', () => {
    const grown = modules([['Block_0', 10, 12, 2, 1, 'both'], ['Block_1', null, 4, 4, null, 'added']]);
    expect(mergeLayers('modules', grown).rows[0]).toEqual(['1 → 2 × Block', 10, 16, 6, null, 'both']);
  });
});

describe('paths of modules that differ only in numbers', () => {
  const table: Table = {
    ...PLAIN, title: 'Step time by module', columns: [column('module', 'key', 'text'), column('category', 'key', 'text'), ...times, status],
    rows: [
      ['Net_0/Block_1/Linear_0', 'Kernel', 10, 12, 2, 'both'], ['Net_0/Block_2/Linear_0', 'Kernel', 20, 21, 1, 'both'], ['Net_0/Block_1/Linear_0', 'Other', 1, 1, 0, 'both'],
      ['Net_0', 'Kernel', 5, 5, 0, 'both'], ['(outside modules)', 'Other', 7, 7, 0, 'both'],
    ],
  };
  it('are one row per part of the step, under the numbers that they share', () => {
    expect(hasLayers('modules_ledger', table)).toBe(true);
    expect(mergeLayers('modules_ledger', table).rows).toEqual([
      ['2 × Net_0/Block/Linear_0', 'Kernel', 30, 33, 3, 'both'], ['Net_0/Block_1/Linear_0', 'Other', 1, 1, 0, 'both'], ['Net_0', 'Kernel', 5, 5, 0, 'both'], ['(outside modules)', 'Other', 7, 7, 0, 'both'],
    ]);
  });
});

describe('kernels of modules that differ only in their number', () => {
  const table: Table = {
    ...PLAIN, title: 'Kernels by module', columns: [column('name', 'key', 'text'), column('module', 'key', 'text'), ...times, status],
    rows: [['gemm', 'Block_0', 10, 12, 2, 'both'], ['gemm', 'Block_1', 20, 21, 1, 'both'], ['add', 'Block_0', 1, 1, 0, 'both'], ['gemm', 'Head_7', 5, 5, 0, 'both']],
  };
  it('are one row per kernel', () => {
    expect(hasLayers('kernels_by_module', table)).toBe(true);
    expect(mergeLayers('kernels_by_module', table).rows).toEqual([['gemm', '2 × Block', 30, 33, 3, 'both'], ['add', 'Block_0', 1, 1, 0, 'both'], ['gemm', 'Head_7', 5, 5, 0, 'both']]);
  });
});

describe('layers of the call tree', () => {
  const layer = (number: number, a: number, b: number): Cell[][] => [
    [`Block_${number}`, 'step', 1, 'module', '', a, b, b - a, 'both'],
    [`Linear_${2 * number}`, `step / Block_${number}`, 2, 'module', '', a, b, b - a, 'both'],
    ['aten::linear', `step / Block_${number} / Linear_${2 * number}`, 3, 'operator', '', a, b, b - a, 'both'],
  ];
  const table = tree([['step', '', 0, 'step', '', 100, 120, 20, 'both'], ...layer(0, 10, 12), ...layer(1, 30, 33), ['aten::copy_1', 'step', 1, 'operator', '', 1, 1, 0, 'both'], ['aten::copy_2', 'step', 1, 'operator', '', 2, 2, 0, 'both']]);
  const merged = mergeLayers('call_tree', table);

  it('are one frame with all that runs in them, and operators keep their names', () => {
    expect(merged.rows.map(([frame, below, depth, , , a, b]) => [frame, below, depth, a, b])).toEqual([
      ['step', '', 0, 100, 120], ['2 × Block', 'step', 1, 40, 45], ['2 × Linear', 'step / 2 × Block', 2, 40, 45], ['aten::linear', 'step / 2 × Block / 2 × Linear', 3, 40, 45],
      ['aten::copy_1', 'step', 1, 1, 1], ['aten::copy_2', 'step', 1, 2, 2],
    ]);
  });
  it('are counted where no status was fetched', () => {
    const bare = { ...table, rows: table.rows.map((cells) => [...cells.slice(0, -1), null]) };
    expect(mergeLayers('call_tree', bare).rows[1]![0]).toBe('2 × Block');
  });
  it('may be in a tree of which some rows came', () => {
    const some = tree(table.rows.slice(0, 2));
    expect([hasLayers('call_tree', some), hasLayers('call_tree', { ...some, total_rows: 900 })]).toEqual([false, true]);
  });
  it('are known by their keys, which are unique', () => {
    const keys = merged.rows.map((_, row) => rowKey(merged, row));
    expect(new Set(keys).size).toBe(keys.length);
    expect([isMerged(keys[1]!), isMerged(rowKey(table, 1))]).toEqual([true, false]);
  });
});
