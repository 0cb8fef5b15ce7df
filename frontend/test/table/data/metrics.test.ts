import { describe, expect, it } from 'vitest';
import type { Cell, Column, Table } from '../../../src/contract/wire';
import { columnViews, visibleColumns } from '../../../src/table/data/columns';
import { tableTsv } from '../../../src/table/data/copied';
import { metricOf, metricsOf, ratesOf } from '../../../src/table/data/metric_choice';
import { fullLabel, metricColumns, textsWithin } from '../../../src/table/data/metrics';
import { sortRows } from '../../../src/table/data/order';
import { metricWords } from '../../../src/ui/strings';
import { column, PLAIN } from '../../samples';

const triple = (before: string, label: string, shown = true): Column[] => [
  column(`baseline_${before}us`, 'baseline', 'time_us', { label: `${label}A`, shown }), column(`candidate_${before}us`, 'candidate', 'time_us', { label: `${label}B`, shown }),
  column(`${before}delta_us`, 'delta', 'time_us', { label: `${label}Δ`, shown }), column(`${before}change`, 'text', 'text', { shown }), column(`${before}q`, 'plain', 'number', { shown }),
];
const columns = [
  column('name', 'key', 'text'), ...triple('', 'Host self '), ...triple('device_self_', 'Device self '), ...triple('host_total_', 'Host total ', false),
  column('share', 'percent', 'fraction'), column('baseline_calls', 'plain', 'count'), column('candidate_calls', 'plain', 'count'), column('status', 'status', 'text'),
];
const row = (name: string, host: Cell[], device: Cell[], calls: Cell[], status = 'both'): Cell[] => [name, ...host, ...device, 900, 900, 0, '', null, 0.1, ...calls, status];
const operators: Table = {
  ...PLAIN, title: 'Operators', columns,
  rows: [
    row('addmm', [20, 21, 1, 'unchanged', 0.8], [100, 150, 50, 'slower, negligible', 0.001], [4, 4]),
    row('eq', [null, 5, 5, 'added', 0.001], [null, 60, 60, 'added', 0.001], [0, 4], 'added'),
    row('copy', [9, 9, 0, 'unchanged', 0.9], [100, 20, -80, 'faster', 0.001], [2, 1]),
  ],
};
const shown = (chosen = '', table = operators) => {
  const metric = metricOf(table, chosen)!;
  return visibleColumns(metricColumns(columnViews(table), table, metric, 1000, metricWords('step_time'), null), '');
};
const cell = (name: string, at: number, chosen = '') => shown(chosen).find((view) => view.column.name === name)!.derive!(operators.rows[at]!);

describe('the time that is shown', () => {
  it('is one of those the table has of both sides', () => {
    expect(metricsOf(operators).map(({ name, label }) => [name, label])).toEqual([['', 'Host self'], ['device_self', 'Device self'], ['host_total', 'Host total']]);
    expect(metricsOf({ ...operators, columns: columns.slice(0, 6) })).toEqual([]); // of nothing that is called
  });
  it('is what moved most, exposed time where it is known, or what was chosen', () => {
    expect(metricOf(operators, '')?.name).toBe('device_self');
    expect([metricOf(operators, 'us')?.name, metricOf(operators, 'host_total')?.name, metricOf(operators, 'gone')?.name]).toEqual(['', 'host_total', 'device_self']);
    expect([metricOf(operators, '', '-delta_us,name')?.name, metricOf(operators, 'device_self', '-delta_us')?.name]).toEqual(['', 'device_self']); // as links had it
    const exposed: Table = { ...operators, columns: [...columns, ...triple('exposed_', 'Exposed ')], rows: operators.rows.map((cells) => [...cells, 1, 1, 0, '', null]) };
    expect(metricOf(exposed, '')?.name).toBe('exposed');
    expect(metricOf({ ...exposed, rows: operators.rows.map((cells) => [...cells, 0, null, 0, '', null]) }, '')?.name).toBe('device_self');
  });
  it('comes first in the labels of its columns where there are several', () => {
    const label = (measure: string, own: string, times = metricsOf(operators)) => fullLabel(column('x', 'delta', 'time_us', { measure, label: own }), times);
    expect([label('device_self', 'Δ'), label('device_self', 'Device self A'), label('', 'q')]).toEqual(['Device self Δ', 'Device self A', 'Host self q']);
    expect(label('device_self', 'Δ', [])).toBe('Δ');
  });
  it('is alone in sight, with what its difference means', () => {
    const names = ['row_percent', 'step_percent', 'calls', 'per_call', 'chip'];
    expect(shown().map((view) => view.column.name)).toEqual(['name', 'baseline_device_self_us', 'candidate_device_self_us', 'device_self_delta_us', ...names]);
    expect(shown('us').map((view) => view.column.label).slice(1, 4)).toEqual(['A', 'B', 'Δ']);
    expect(shown('host_total').map((view) => view.column.label).slice(1, 4)).toEqual(['A', 'B', 'Δ']); // though no row changed
  });
});

it('a difference that was tested and is not significant is noise', () => {
  const noise = (chosen: string, rows = operators.rows) => rows.map((cells) => shown(chosen).find((view) => view.column.label === 'Δ')!.isNoise!(cells));
  expect([noise('us'), noise('device_self')]).toEqual([[true, false, true], [false, false, false]]);
  expect(noise('us', [row('mm', [20, 40, 20, 'cannot tell', null], [1, 1, 0, '', null], [1, 1])])).toEqual([false]); // one recording a side: no test
});

describe('the rate that is shown', () => {
  const rate = (role: Column['role']): Column => column(role === 'delta' ? 'flop_rate_delta' : `${role}_flop_rate`, role, 'number', { label: `Rate ${role === 'baseline' ? 'A' : 'B'}`, unit: 'FLOP/s', better: 'higher' });
  const worked: Table = {
    ...operators, columns: [...columns, rate('baseline'), rate('candidate'), rate('delta')],
    rows: [[...operators.rows[0]!, 6e12, 3e12, -3e12], [...operators.rows[1]!, null, 1e9, null], [...operators.rows[2]!, null, null, null]],
  };
  const names = (chosen: string) => shown(chosen, worked).map((view) => view.column.name);
  const ratedCell = (name: string, at: number, chosen = '') => shown(chosen, worked).find((view) => view.column.name === name)!.derive!(worked.rows[at]!);

  it('is one that is known of some row', () => {
    expect(ratesOf(worked).map(({ name, label }) => [name, label])).toEqual([['flop_rate', 'Rate']]);
    expect(ratesOf({ ...worked, rows: worked.rows.slice(2) })).toEqual([]);
  });
  it('takes the place of the time, which orders the rows; less of it is worse', () => {
    const before = ['baseline_flop_rate', 'candidate_flop_rate', 'flop_rate_delta', 'row_percent', 'calls'];
    expect(names('flop_rate')).toEqual(['name', ...before, 'device_self_delta_us', 'chip']);
    expect([metricOf(worked, 'flop_rate')!.delta, ratedCell('row_percent', 0, 'flop_rate').sense]).toEqual([columns.findIndex(({ name }) => name === 'device_self_delta_us'), 1]);
  });
  it('is one column beside a time, empty where no work is known', () => {
    expect(names('').slice(-3)).toEqual(['calls', 'rate', 'chip']);
    expect(tableTsv(worked, [0, 1], shown('', worked)).split('\n').map((line) => line.split('\t').slice(-3, -1))).toEqual([['baseline_flop_rate', 'candidate_flop_rate'], ['6000000000000', '3000000000000'], ['', '1000000000'], []]);
    expect([0, 1, 2].map((at) => ratedCell('rate', at).text.replaceAll('\u202f', ' '))).toEqual(['6.00 → 3.00 TFLOP/s', '– → 1.00 GFLOP/s', '']);
  });
});

describe('what the page says of a row', () => {
  it('is the difference as a part of the row and of the step, and swapped sides turn the latter around', () => {
    expect([cell('row_percent', 0).text, cell('step_percent', 0).text, cell('step_percent', 2).text].map((text) => text.replace('\u202f', ' '))).toEqual(['+50.0 %', '+5.00 %', '\u22128.00 %']);
    expect([cell('row_percent', 1).text, cell('row_percent', 2).sense, cell('row_percent', 0, 'us').sense]).toEqual(['\u2013', -1, 0]); // new rows have no percentage, chance no color
  });
  it('is how often and how long it was called, once where both sides agree', () => {
    expect([cell('calls', 0).text, cell('calls', 1).text]).toEqual(['4', '0 → 4']);
    expect([cell('per_call', 1).text, cell('per_call', 0, 'us').text].map((text) => text.replaceAll('\u202f', ' '))).toEqual(['\u2013 → 15.0 µs', '5.00 µs → 5.25 µs']);
  });
  it('is one word for what happened to it', () => {
    expect([0, 1, 2].map((at) => cell('chip', at).text)).toEqual(['slower', 'new', 'faster']);
    expect([cell('chip', 0, 'us').text, cell('chip', 0).title]).toEqual(['n.s.', 'slower, negligible, q 0.0010']);
  });
  it('is copied for a spreadsheet as numbers with full precision, both sides in columns of their own', () => {
    const [head, ...lines] = tableTsv(operators, [0, 1], shown('us')).trimEnd().split('\n').map((line) => line.split('\t'));
    expect(head).toEqual(['name', 'baseline_us', 'candidate_us', 'delta_us', 'row_percent', 'step_percent', 'baseline_calls', 'candidate_calls', 'baseline_us_per_call', 'candidate_us_per_call', 'what_changed']);
    expect(lines).toEqual([['addmm', '20', '21', '1', '5', '0.1', '4', '4', '5', '5.25', 'n.s.'], ['eq', '', '5', '5', '', '0.5', '0', '4', '', '1.25', 'new']]);
  });
  it('has no column where nothing is said of any row', () => {
    const isSaid = (at: number): boolean => columns[at]!.role === 'status' || columns[at]!.statistic === 'change';
    const silent: Table = { ...operators, columns, rows: operators.rows.map((cells) => cells.map((cell, at) => (isSaid(at) ? '' : cell))) };
    expect([operators, silent].map((table) => shown('', table).some((view) => view.column.name === 'chip'))).toEqual([true, false]);
  });
});

it('rows stand by the size of the difference, whatever its sign', () => {
  expect(sortRows(operators, [0, 1, 2], [{ column: 'device_self_delta_us', descending: true, size: true }])).toEqual([2, 1, 0]);
});

describe('columns that the page makes', () => {
  const orders = (table: Table, chosen = '') => Object.fromEntries(shown(chosen, table).flatMap(({ column: { name }, asks }) => (asks === undefined ? [] : [[name, asks]])));
  it('are ordered by the server by what they are made of', () => {
    expect(orders(operators)).toEqual({
      row_percent: 'candidate_device_self_us/baseline_device_self_us',
      step_percent: 'device_self_delta_us',
      calls: 'candidate_calls?baseline_calls',
      per_call: 'candidate_device_self_us/candidate_calls?baseline_device_self_us/baseline_calls',
      chip: 'status?device_self_change',
    });
  });
  it('are ordered the same way here', () => {
    const order = (name: string) => {
      const { order: of } = shown().find((view) => view.column.name === name)!;
      return sortRows(operators, [0, 1, 2], [{ column: name, descending: true, of }]).map((row) => operators.rows[row]![0]);
    };
    expect(order('row_percent')).toEqual(['addmm', 'copy', 'eq']); // a new row has no percentage
    expect(order('calls')).toEqual(['addmm', 'eq', 'copy']);
    expect(order('per_call')).toEqual(['addmm', 'copy', 'eq']);
  });
});

describe('the columns of matched work', () => {
  const matched: Table = {
    ...PLAIN, title: 'Matched work',
    columns: [
      column('operator', 'key', 'text'), column('input_shape', 'key', 'text'), column('matched_by', 'key', 'text'), ...triple('', ''),
      column('change', 'percent', 'fraction'), column('baseline_calls', 'plain', 'count'), column('candidate_calls', 'plain', 'count'), column('kernels', 'plain', 'text'), column('confidence', 'plain', 'text'),
    ],
    rows: [['aten::native_layer_norm_backward', '[[2048, 1024], [2048, 1024]]', 'same place', 10, 20, 10, '', null, 1, 1, 1, 'layer_norm', 'certain']],
  };
  const all = metricColumns(columnViews(matched), matched, metricOf(matched, '')!, 1000, metricWords('step_time'), null);
  const names = (views: typeof all): string[] => visibleColumns(views, '').map((view) => view.column.name);
  it('have the figures after what names the row, and further texts last', () => {
    expect(names(all).slice(0, 5)).toEqual(['operator', 'input_shape', 'baseline_us', 'candidate_us', 'delta_us']);
    expect(names(all).slice(-3)).toEqual(['matched_by', 'kernels', 'confidence']);
  });
  it('give up texts behind the figures where there is no room, not what names the row', () => {
    const count = names(all).length;
    expect(names(textsWithin(all, (views) => names(views).length < count))).toEqual(names(all).slice(0, -1));
    expect(names(textsWithin(all, () => false))).toEqual(names(all).slice(0, -3));
    expect(names(textsWithin(all, () => true))).toEqual(names(all));
  });
});
