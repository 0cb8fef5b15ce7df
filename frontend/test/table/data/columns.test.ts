import { describe, expect, it } from 'vitest';
import { cellText, columnViews, cutToFit, differencesOnly, figuresFirst, headerLabel, headerUnit, meaning, oneBar, toggleColumn, visibleColumns } from '../../../src/table/data/columns';
import { measuresOf } from '../../../src/table/data/row_parts';
import { isMeasuredDelta } from '../../../src/table/data/rows';
import { PLAIN, column, kernels } from '../../samples';

describe('columns', () => {
  const table = kernels([['gemm', 1500, 2500, 1000, 'both'], ['relu', 900, null, -900, 'removed']]);
  table.columns.push(column('calls', 'plain', 'count', { better: 'none', shown: false }), column('device_self_delta_us', 'delta', 'time_us'));
  table.rows = table.rows.map((row) => [...row, 3, 0]);
  const views = columnViews(table);
  const of = (name: string) => views.find((view) => view.column.name === name)!;
  it('gives A, B and their difference one unit', () => {
    expect(new Set(['baseline_us', 'candidate_us', 'delta_us'].map((name) => of(name).style!.unit))).toEqual(new Set(['µs']));
  });
  it('shows what the server shows, but no column without content, and the status as a chip', () => {
    expect(visibleColumns(views, '').map((view) => view.column.name)).toEqual(['name', 'baseline_us', 'candidate_us', 'delta_us']);
    const chosen = toggleColumn(views, '', 'calls');
    expect(visibleColumns(views, chosen).map((view) => view.column.name)).toEqual(['name', 'baseline_us', 'candidate_us', 'delta_us', 'calls']);
    expect(toggleColumn(views, chosen, 'calls')).toBe('');
    expect(visibleColumns(views, ',').map((view) => view.column.name)).toEqual(['name']);
  });
  it('shows figures before the second text of a row on a narrow screen', () => {
    const texts = { ...table, columns: [column('name', 'key', 'text'), column('shape', 'key', 'text'), column('a_us', 'baseline', 'time_us'), column('status', 'plain', 'text')], rows: [['mm', '[2]', 1, 'x']] };
    const names = (of: typeof texts): string[] => figuresFirst(columnViews(of), 0, of.rows).map((view) => view.column.name);
    expect(names(texts)).toEqual(['name', 'a_us', 'status', 'shape']);
    // most rows have the same name
    expect(names({ ...texts, rows: ['[1]', '[2]', '[3]'].map((shape) => ['mm', shape, 1, 'x']) })).toEqual(['name', 'shape', 'a_us', 'status']);
  });
  it('writes cells, and a dash for what is absent', () => {
    expect(cellText(of('delta_us'), 1000)).toBe('+1,000.0');
    expect(cellText(of('candidate_us'), null)).toBe('–');
    expect(cellText(of('calls'), 3)).toBe('3');
  });
  it('writes input shapes without the brackets around all and without scalars', () => {
    const [shape] = columnViews({ ...table, columns: [column('input_shape', 'key', 'text')], rows: [] });
    expect(['[[8, 64], [64, 24], []]', '[[], [8, 64], [], [2]]', '[[[8], [8]], []]', '[[], []]', ''].map((text) => cellText(shape!, text))).toEqual(['[8, 64], [64, 24]', '[8, 64], [2]', '[[8], [8]]', '[[], []]', '–']);
  });
  it('of several differences draws one as a bar and, where room is short, leaves out the sides of the others', () => {
    const ranks = columnViews({ ...table, columns: ['baseline_us', 'candidate_us', 'delta_us', 'baseline_own_us', 'candidate_own_us', 'own_delta_us', 'baseline_overlap'].map((name) => column(name, name.includes('delta') ? 'delta' : 'plain', 'time_us', { unit: 'us' })), rows: [[1, 2, 1, 1, 3, 2, 1]] });
    expect(oneBar(ranks).filter(({ largest }) => largest > 0).map((view) => view.column.name)).toEqual(['delta_us']);
    const two = cutToFit(columnViews(table), (left) => left.length <= 2);
    expect(two.map((view) => view.column.name)).toEqual(['name', 'baseline_us', 'candidate_us', 'delta_us']); // which always stay
    expect(cutToFit(ranks, (left) => left.length <= 6).map((view) => view.column.name)).not.toContain('baseline_overlap');
    expect(differencesOnly(ranks).map((view) => view.column.name)).toEqual(['baseline_us', 'candidate_us', 'delta_us', 'own_delta_us', 'baseline_overlap']);
  });
  it('knows which way is worse', () => {
    expect(meaning(of('delta_us').column, 5)).toBe(1);
    expect(meaning(of('delta_us').column, -5)).toBe(-1);
    expect(meaning({ ...of('delta_us').column, better: 'higher' }, 5)).toBe(-1);
    expect(meaning({ ...of('delta_us').column, better: 'none' }, 5)).toBe(0);
    expect(meaning(of('baseline_us').column, 5)).toBe(0);
  });
});

describe('figures of the strict report and of counters', () => {
  const table = {
    ...PLAIN, title: 'Triplets',
    columns: [
      column('function', 'key', 'text'),
      column('beta_a', 'baseline', 'number', { label: 'β_normal(%)', unit: 'percent' }),
      column('beta_b', 'candidate', 'number', { label: 'β_abnormal(%)', unit: 'percent' }),
      column('beta_delta', 'delta', 'number', { label: 'Δβ(%)', unit: 'percent', better: 'none' }),
      column('u_beta', 'plain', 'number', { label: 'U-test p(β)' }),
    ],
    rows: [
      ['gemm', 12, 112.5, 100.5, 0.0012],
      ['copy', 3, 3.25, 0.25, 0.0000001],
    ],
    notes: [],
  };
  const views = columnViews(table);
  const shown = (row: number): string[] => views.map((view, index) => cellText(view, table.rows[row]![index], table.rows[row]));
  it('have one precision per measure, and probabilities as such', () => {
    expect(shown(0)).toEqual(['gemm', '12.00', '112.50', '+100.50', '0.0012']);
    expect(shown(1)).toEqual(['copy', '3.00', '3.25', '+0.25', '<0.001']);
  });
  it('name their unit once', () => {
    expect(views.map((view) => [headerLabel(view), headerUnit(view)].join('|'))).toEqual(['function|', 'β_normal|%', 'β_abnormal|%', 'Δβ|pp', 'U-test p(β)|']);
  });
  it('are one line per measure in the details', () => {
    const { measures, others } = measuresOf(views);
    expect(measures.map((measure) => [measure.label, measure.delta?.column.name])).toEqual([['β', 'beta_delta']]);
    expect(others.map((view) => view.column.name)).toEqual(['u_beta']);
  });
  it('stand in the unit of their row, without a bar across units', () => {
    const counters = {
      ...table,
      columns: [column('counter', 'key', 'text'), column('unit', 'key', 'text'), column('baseline', 'baseline', 'number'), column('delta', 'delta', 'number')],
      rows: [['clock', 'MHz', 1410, -1200], ['link', 'bytes/s', 3_161_200, 625_210], ['use', '%', 6, 15.25]],
    };
    const own = columnViews(counters);
    const cells = counters.rows.map((row) => own.map((view, index) => cellText(view, row[index], row).replaceAll('\u202f', ' ').replaceAll('\u2212', '-')));
    expect(cells).toEqual([['clock', 'MHz', '1,410', '-1,200'], ['link', 'bytes/s', '3.16 MB/s', '+625 kB/s'], ['use', '%', '6.00', '+15.25']]);
    expect(own[3]!.largest).toBe(0);
  });
  it('keep a shift apart from the difference, in its unit', () => {
    const shift = column('shift_us', 'delta', 'time_us', { measure: '', statistic: 'shift' });
    expect(isMeasuredDelta(shift)).toBe(false);
    const both = columnViews({ ...table, columns: [column('delta_us', 'delta', 'time_us'), shift], rows: [[12_000, 3]] });
    expect(both.map((view) => view.style?.unit)).toEqual(['ms', 'ms']);
  });
});
