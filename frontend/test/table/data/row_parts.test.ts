import { describe, expect, it } from 'vitest';
import { columnViews } from '../../../src/table/data/columns';
import { fittedToRow, rowParts } from '../../../src/table/data/row_parts';
import { kernels, column } from '../../samples';

describe('the details of a row', () => {
  const table = kernels([['gemm', 1_500_000, 40, -1_499_960, 'both']]);
  table.columns.push(
    column('calls_a', 'baseline', 'count', { label: 'Calls A', measure: 'calls' }), column('calls_b', 'candidate', 'count', { label: 'Calls B', measure: 'calls' }),
    column('bytes_a', 'baseline', 'count', { measure: 'bytes' }), column('bytes_b', 'candidate', 'count', { measure: 'bytes' }),
    column('shape_a', 'baseline', 'text', { measure: 'shape' }), column('shape_b', 'candidate', 'text', { measure: 'shape' }),
    column('bound', 'plain', 'text'), column('same', 'plain', 'text'), column('p', 'plain', 'number'),
  );
  const row = [...table.rows[0]!, 3, 0, null, null, '8×4096×4096, 4096×11008, 11008', '8', '', 'gemm', 0.2];
  const parts = rowParts(columnViews({ ...table, rows: [row] }), row, 'gemm', 'calls');
  const names = (views: { column: { name: string } }[]): string[] => views.map((view) => view.column.name);

  it('list measures with a value, the chosen one first', () => {
    expect(parts.measures.map(({ label, delta }) => [label, delta?.column.name])).toEqual([['Calls', undefined], ['Time', 'delta_us']]);
  });
  it('list long texts by themselves, without empty ones and the name', () => {
    expect(names(parts.facts)).toEqual(['shape_a', 'shape_b']);
  });
  it('keep statistics apart', () => {
    expect(names(parts.statistics)).toEqual(['p']);
  });
  it('show times in one unit that suits the row', () => {
    expect(fittedToRow(parts.measures[1]!, row).map((view) => view?.style?.unit)).toEqual(['s', 's', 's']);
  });
});
