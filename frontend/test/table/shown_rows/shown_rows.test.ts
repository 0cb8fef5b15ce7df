import { describe, expect, it } from 'vitest';
import { joinRuns } from '../../../src/api/api';
import type { Cell, Table, TablePage } from '../../../src/contract/wire';
import { parseSort } from '../../../src/table/data/order';
import { findRow, isCut, shorterStep } from '../../../src/table/data/rows';
import { askedOf, remoteRows, localRows, firstMissing } from '../../../src/table/shown_rows/shown_rows';
import { isRegex, parseQuery } from '../../../src/ui/search';
import { column, PLAIN } from '../../samples';

const COLUMNS = [column('name', 'key', 'text'), column('delta_us', 'delta', 'time_us'), column('status', 'status', 'text')];
const row = (name: string, delta: number, status = 'both'): Cell[] => [name, delta, status];
const cut: Table = { ...PLAIN, title: 'T', columns: COLUMNS, rows: [row('a', 5), row('b', -3, 'added')], notes: [], total_rows: 5, left_out: { rows: 3, sums: { delta_us: -1.5 } } };
const everything = { query: parseQuery(''), category: null, status: 'all', minDelta: 0 } as const;
const page = (offset: number, rows: Cell[][]): TablePage => ({
  schema: 'tb_perfcompare.table/1', version: '0', table: 'operators', columns: ['name', 'delta_us', 'status'], total_rows: 5, matching_rows: 4, sums: { delta_us: 1 }, hidden: { rows: 1, sums: { delta_us: -0.5 } },
  all_sums: { delta_us: 0.5 }, statuses: { added: 2, both: 3 }, offset, rows, next_offset: null, place: null, lost: 0, short_names: {},
});

describe('badges', () => {
  const rows = [row('big', 5), ...Array.from({ length: 30 }, (_, at) => row(`small ${at}`, 0.001)), row('new', 3, 'added'), row('small new', 0.001, 'added')];
  const table: Table = { ...PLAIN, title: 'T', columns: COLUMNS, rows, notes: [] };

  it('count the rows of a status that pass the other choices', () => {
    const shown = localRows(table, { ...everything, query: parseQuery('small'), minDelta: 0.1 }, []);
    expect([shown.withStatus('added'), shown.withStatus('removed')]).toEqual([1, 0]);
    expect(localRows(table, everything, [], 1).withStatus('added')).toBe(1);
  });
});

describe('a table that came cut', () => {
  it('counts and sums what did not come', () => {
    const shown = localRows(cut, everything, []);
    expect(isCut(cut)).toBe(true);
    expect([shown.rows, shown.total, shown.sums('delta_us')]).toEqual([[0, 1], 5, { shown: 2, hidden: null, all: 0.5 }]);
  });

  it('does not guess a sum that nobody told', () => {
    const { left_out: _, ...untold } = cut;
    expect(localRows(untold, everything, []).sums('delta_us').all).toBeNull();
  });

  it('has rows at their places, and none where none came', () => {
    const shown = remoteRows(cut, [page(0, [row('a', 5)]), page(2, [row('c', 1), row('d', 0)])], [0, 1, 2, 3]);
    expect([shown.rows.length, shown.total, shown.hidden]).toEqual([4, 5, 1]);
    expect(shown.table.rows.map((cells) => cells[0])).toEqual(['a', undefined, 'c', 'd'].map((name, place) => (place in shown.table.rows ? name : undefined)));
    expect([firstMissing(shown.table.rows, 0, 4), firstMissing(shown.table.rows, 200, 209)]).toEqual([1, -1]);
    const rows: Cell[][] = [...Array<Cell[]>(400).fill(row('here', 1)), ...new Array<Cell[]>(4600)];
    for (let place = 3000; place < 3400; place += 1) rows[place] = row('here', 1);
    const from = (first: number, end: number): number => firstMissing(rows, first, end);
    expect([from(0, 40), from(290, 330), from(390, 430)]).toEqual([-1, 400, 400]); // as one reads on
    expect([from(3050, 3090), from(2990, 3030), from(2000, 2040), from(410, 450)]).toEqual([2800, 2800, 1950, 360]);
    expect([shown.withStatus('added'), shown.sums('delta_us').hidden, shown.sums('none').all]).toEqual([2, -0.5, null]);
    expect([findRow(shown.table, 'd'), findRow(shown.table, 'z')]).toEqual([3, -1]);
  });

  it('is asked for as it would be chosen here', () => {
    const asked = askedOf({ q: ' gemm -nn ', status: 'added', category: 'Kernel', clear: true, least: 0.25, sort: parseSort('-delta_us,name') });
    expect(asked).toEqual({ filter: 'gemm -nn', status: 'added', change: '', category: 'Kernel', clear: '1', min_delta_us: '0.250000', sort: 'delta_us:desc,name:asc' });
    const sort = [{ column: 'delta_us', descending: true, size: true }, { column: 'calls', descending: false, of: () => 1, asks: 'candidate_calls?baseline_calls' }];
    expect(askedOf({ q: '', status: 'all', category: null, clear: false, least: 0, sort }).sort).toBe('|delta_us|:desc,candidate_calls?baseline_calls:asc');
    expect(askedOf({ q: '', status: 'slower', category: null, clear: false, least: 0, sort: [] })).toMatchObject({ status: '', change: 'slower' });
    expect(Object.values(askedOf({ q: '', status: 'all', category: null, clear: false, least: 0, sort: [] })).join('')).toBe('');
  });
});

it('a regular expression is told from words', () => {
  expect(['/a.b/', '-/x/i', ' /y/ '].map(isRegex)).toEqual([true, true, true]);
  expect(['a/b', '/', 'word /x', ''].map(isRegex)).toEqual([false, false, false, false]);
});

it('a run whose workers are on two pages is one run', () => {
  const worker = (name: string) => ({ worker: name, rank: null, spans: [] });
  const pages = [[{ run: 'a', workers: [worker('1')] }, { run: 'b', workers: [worker('1')] }], [{ run: 'b', workers: [worker('2')] }]];
  expect(joinRuns(pages).map((run) => [run.run, run.workers.map((one) => one.worker)])).toEqual([['a', ['1']], ['b', ['1', '2']]]);
});

it('rows are measured against the same step whichever side is which', () => {
  expect(shorterStep(2000, 900)).toBe(900);
  expect(shorterStep(900, 2000)).toBe(900);
  expect(shorterStep(null, 900)).toBeNull();
});
