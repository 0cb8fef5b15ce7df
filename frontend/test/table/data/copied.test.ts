import { describe, expect, it } from 'vitest';
import type { Cell, Table } from '../../../src/contract/wire';
import { columnViews } from '../../../src/table/data/columns';
import { markdownText, MAX_COPIED, tableMarkdown, tableTsv } from '../../../src/table/data/copied';
import { column, PLAIN } from '../../samples';

const tableOf = (rows: Cell[][]): Table => ({ ...PLAIN, title: 'T', columns: [column('name', 'key', 'text'), column('delta_us', 'delta', 'time_us', { unit: 'us' })], rows, notes: [], total_rows: rows.length });

describe('rows to paste', () => {
  const table = tableOf([['gemm', 12.3456], ['a|b<c>', null], ['=1+1', -2]]);
  const views = columnViews(table);

  it('are whole numbers and harmless texts for a spreadsheet', () => {
    expect(tableTsv(table, [2, 0], views)).toBe("name\tdelta_us\n'=1+1\t-2\ngemm\t12.3456\n");
  });

  it('are a Markdown table as on the page', () => {
    const [head, rule, ...lines] = tableMarkdown(table, [0, 1], views).split('\n');
    expect(head).toBe('| name | delta\\_us µs |');
    expect(rule).toBe('| --- | ---: |');
    expect(lines[0]).toMatch(/^\| gemm \| \+12\.3\d* \|$/);
    expect(lines[1]).toContain('a\\|b\\<c\\>');
  });

  it('say what is not among them', () => {
    const many = tableOf(Array.from({ length: MAX_COPIED + 2 }, (_, row): Cell[] => [`k${row}`, 1]));
    expect(tableMarkdown(many, [...many.rows.keys()], columnViews(many))).toContain('2 further rows are not listed');
    expect(tableTsv(many, [...many.rows.keys()], columnViews(many)).split('\n').length).toBe(MAX_COPIED + 2);
  });

  it('hold no control character', () => {
    const hostile = tableOf([['\x1b[31mred\x00', 1]]);
    expect(tableTsv(hostile, [0], views)).toBe('name\tdelta_us\n\\x1b[31mred\\x00\t1\n');
    expect(tableMarkdown(hostile, [0], views)).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  });

  it('hold no markup and no line break', () => {
    expect(markdownText('a\r\n`x` [y](z)')).toBe('a \\`x\\` \\[y\\](z)');
  });
});
