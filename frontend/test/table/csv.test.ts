import { describe, expect, it } from 'vitest';
import { csvCell, tableCsv } from '../../src/table/csv';
import { kernels } from '../samples';

describe('csv', () => {
  it.each([['=1+1', "'=1+1"], ['a,b', '"a,b"'], ['say "x"', '"say ""x"""'], [-1.5, '-1.5'], [null, ''], [true, 'true'], ['-x', "'-x"]])('%s becomes %s', (cell, text) =>
    expect(csvCell(cell)).toBe(text),
  );
  it('has every column, shown or not', () => {
    expect(tableCsv(kernels([['gemm', 1, 2, 1, 'both']]), [0])).toBe('name,baseline_us,candidate_us,delta_us,status\r\ngemm,1,2,1,both\r\n');
  });
});
