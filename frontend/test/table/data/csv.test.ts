import { describe, expect, it } from 'vitest';
import { csvCell, tableCsv } from '../../../src/table/data/copied';
import { kernels } from '../../samples';

describe('csv', () => {
  it.each([['=1+1', "'=1+1"], ['a,b', '"a,b"'], ['say "x"', '"say ""x"""'], [-1.5, '-1.5'], [null, ''], [true, 'true'], ['-x', "'-x"]])('%s becomes %s', (cell, text) =>
    expect(csvCell(cell)).toBe(text),
  );
  it.each([['nul\x00', 'nul\\x00'], ['\x1b[31mred', '\\x1b[31mred'], ['\x00=1+1', '\\x00=1+1'], ['c1\x9b', 'c1\\x9b'], ['\x7f', '\\x7f'], ['tab\tand\nline', '"tab\tand\nline"']])('%j has its control characters written out: %j', (cell, text) =>
    expect(csvCell(cell)).toBe(text),
  );
  it('has every column, shown or not', () => {
    expect(tableCsv(kernels([['gemm', 1, 2, 1, 'both']]), [0])).toBe('name,baseline_us,candidate_us,delta_us,status\r\ngemm,1,2,1,both\r\n');
  });
});
