import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cellText, columnViews, family, headerLabel, headerUnit, isMeasuredDelta, meaning, measureHeads, toggleColumn, visibleColumns } from '../src/columns';
import { csvCell, tableCsv } from '../src/csv';
import { runLabel, runLabels, shortNames } from '../src/names';
import { LineDecoder } from '../src/ndjson';
import { measuresOf } from '../src/row_panel';
import { text } from '../src/strings';
import { foldProgress } from '../src/use_comparison';
import { moveRow, offsetFor, rowWindow } from '../src/window';
import { column, kernels } from './samples';

describe('names of runs in the picker', () => {
  it('keep the end, where runs differ', () => {
    const labels = ['answers_of_a_very_long_case_name.jsonl#1', 'answers_of_a_very_long_case_name.jsonl#2'].map(runLabel);
    expect(new Set(labels).size).toBe(2);
    expect(labels[0]).toMatch(/^answers_of_.*…/);
    expect(labels[0]!.endsWith('#1')).toBe(true);
    expect(labels[0]!.length).toBe(28);
  });
  it('keep the last part of a path whole: abnormal must not read as normal', () => {
    expect(['normal', 'abnormal'].map((side) => runLabel(`perf_data_synthetic/${side}_perf_data`))).toEqual(['perf_data_…/normal_perf_data', 'perf_dat…/abnormal_perf_data']);
  });
  it('stay whole when they fit', () => {
    expect(runLabel('cpu_training/abnormal')).toBe('cpu_training/abnormal');
  });
  it('does not call two runs the same', () => {
    const runs = ['tracing_of_engines/SGLang/gpu_instability/abnormal_perf_data', 'tracing_of_engines/vLLM/gpu_instability/abnormal_perf_data', 'short'];
    expect(runLabels(runs)).toEqual(['abnormal_perf_data (SGLang/gpu_instability)', 'abnormal_perf_data (vLLM/gpu_instability)', 'short']);
    expect(runLabels(['a_long_name_of_one_run_that_is_recorded_in_pieces.txt', 'a_long_name_of_two_run_that_is_recorded_in_pieces.txt'])).toEqual([
      'a_long_name_of_one_run_that_is_recorded_in_pieces.txt',
      'a_long_name_of_two_run_that_is_recorded_in_pieces.txt',
    ]);
  });
});

describe('kernel names', () => {
  const cases = JSON.parse(readFileSync('../tests/short_names.json', 'utf8')) as { about: string; names: string[]; short: string[] }[];
  it.each(cases)('$about', ({ names, short }) => expect(shortNames(names)).toEqual(short));
  it('in time that grows with the length of a name', () => {
    const hostile = ['<'.repeat(200_000), `void f<${'a_'.repeat(100_000)}>(int)`, 'f::'.repeat(60_000)];
    expect(shortNames(hostile)[1]).toBe('f');
    expect(shortNames(hostile)[0]).toBe(hostile[0]);
  });
});

describe('measures beside each other', () => {
  const operators = ['baseline_us', 'candidate_us', 'delta_us', 'change', 'baseline_device_self_us', 'device_self_q', 'calls'];
  const labels = ['Host self A', 'Host self B', 'Host self Δ', 'Host self change', 'Device self A', 'Device self q', 'Calls A'];
  const columns = operators.map((name, index) => ({ ...column(name, name.startsWith('baseline') ? 'baseline' : 'plain', 'time_us'), label: labels[index]! }));
  it('have a head each, and columns below it say the rest', () => {
    const group = measureHeads(columns)!;
    expect(columns.map(group)).toEqual(['Host self', 'Host self', 'Host self', 'Host self', 'Device self', 'Device self', '']);
    const views = columnViews({ ...kernels([]), columns });
    expect(views.map((view) => headerLabel(view, group(view.column)))).toEqual(['A', 'B', 'Δ', 'Change', 'A', 'q', 'Calls A']);
  });
  it('need none where the main one has no name', () => expect(measureHeads(columns.map((one) => ({ ...one, label: 'A' })))).toBeUndefined());
});

describe('columns', () => {
  const table = kernels([['gemm', 1500, 2500, 1000, 'both'], ['relu', 900, null, -900, 'removed']]);
  table.columns.push(column('calls', 'plain', 'count', { better: 'none', shown: false }), column('device_self_delta_us', 'delta', 'time_us'));
  table.rows = table.rows.map((row) => [...row, 3, 0]);
  const views = columnViews(table);
  const of = (name: string) => views.find((view) => view.column.name === name)!;
  it('gives A, B and their difference one unit', () => {
    expect(family('baseline_device_self_us')).toBe(family('device_self_delta_us'));
    expect(family('candidate_us')).toBe(family('delta_us'));
    expect(new Set(['baseline_us', 'candidate_us', 'delta_us'].map((name) => of(name).style!.unit))).toEqual(new Set(['µs']));
  });
  it('shows what the server shows, but no column without content, and the status as a chip', () => {
    expect(visibleColumns(views, '').map((view) => view.column.name)).toEqual(['name', 'baseline_us', 'candidate_us', 'delta_us']);
    const chosen = toggleColumn(views, '', 'calls');
    expect(visibleColumns(views, chosen).map((view) => view.column.name)).toEqual(['name', 'baseline_us', 'candidate_us', 'delta_us', 'calls']);
    expect(toggleColumn(views, chosen, 'calls')).toBe('');
    expect(visibleColumns(views, ',').map((view) => view.column.name)).toEqual(['name']);
  });
  it('writes cells, and a dash for what is absent', () => {
    expect(cellText(of('delta_us'), 1000, text.table)).toBe('+1,000.0');
    expect(cellText(of('candidate_us'), null, text.table)).toBe('–');
    expect(cellText(of('calls'), 3, text.table)).toBe('3');
  });
  it('knows which way is worse', () => {
    expect(meaning(of('delta_us').column, 5)).toBe(1);
    expect(meaning(of('delta_us').column, -5)).toBe(-1);
    expect(meaning({ ...of('delta_us').column, better: 'higher' }, 5)).toBe(-1);
    expect(meaning({ ...of('delta_us').column, better: 'none' }, 5)).toBe(0);
    expect(meaning(of('baseline_us').column, 5)).toBe(0);
  });
});

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

describe('lines of JSON', () => {
  const bytes = new TextEncoder().encode('{"a":"µ"}\n\n{"b":2}\n{"c":3}');
  it('come out whole wherever the chunks are cut', () => {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const decoder = new LineDecoder<object>();
      expect([...decoder.push(bytes.slice(0, cut)), ...decoder.push(bytes.slice(cut)), ...decoder.end()]).toEqual([{ a: 'µ' }, { b: 2 }, { c: 3 }]);
    }
  });
  it('do not hide a broken line', () => {
    expect(() => new LineDecoder().push(new TextEncoder().encode('{"a":\n'))).toThrow();
  });
});

it('folds progress into one entry per file', () => {
  const at = (path: string, phase: string, done: number) => ({ phase, path, done_bytes: done, total_bytes: 10, events: 0, elapsed_s: 0 });
  let files = foldProgress([], at('', 'listing', 0));
  for (const line of [at('a', 'reading', 1), at('b', 'reading', 2), at('a', 'reading', 9)]) files = foldProgress(files, line);
  expect(files.map((file) => [file.path, file.done_bytes])).toEqual([['a', 9], ['b', 2]]);
  expect(foldProgress(files, at('', 'comparing', 0)).every((file) => file.finished)).toBe(true);
});

describe('long tables', () => {
  it('keep few rows in the document', () => {
    for (const top of [0, 5000, 50_000 * 28 - 500]) {
      const { first, end } = rowWindow(top, 500, 28, 50_000);
      expect(end - first).toBeLessThan(40);
      expect(first * 28).toBeLessThanOrEqual(top);
      expect(end * 28).toBeGreaterThanOrEqual(Math.min(top + 500, 50_000 * 28));
    }
    expect(rowWindow(0, 500, 28, 0)).toEqual({ first: 0, end: 0 });
  });
  it('move by keys and stay inside', () => {
    expect(moveRow('ArrowDown', -1, 10, 5)).toBe(0);
    expect(moveRow('ArrowUp', 0, 10, 5)).toBe(0);
    expect(moveRow('PageDown', 7, 10, 5)).toBe(9);
    expect(moveRow('End', 0, 10, 5)).toBe(9);
    expect(moveRow('a', 0, 10, 5)).toBeNull();
    expect(moveRow('Home', 0, 0, 5)).toBeNull();
  });
  it('scroll only as far as needed', () => {
    expect(offsetFor(5, 0, 280, 28)).toBe(0);
    expect(offsetFor(20, 0, 280, 28)).toBe(21 * 28 - 280);
    expect(offsetFor(1, 280, 280, 28)).toBe(28);
  });
});

describe('figures of the strict report and of counters', () => {
  const table = {
    title: 'Triplets',
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
  const shown = (row: number): string[] => views.map((view, index) => cellText(view, table.rows[row]![index], text.table, table.rows[row]));
  it('have one precision per measure, and probabilities as such', () => {
    expect(shown(0)).toEqual(['gemm', '12.00', '112.50', '+100.50', '0.0012']);
    expect(shown(1)).toEqual(['copy', '3.00', '3.25', '+0.25', '<0.001']);
  });
  it('name their unit once', () => {
    expect(views.map((view) => [headerLabel(view), headerUnit(view)].join('|'))).toEqual(['function|', 'β_normal|%', 'β_abnormal|%', 'Δβ|%', 'U-test p(β)|']);
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
    const cells = counters.rows.map((row) => own.map((view, index) => cellText(view, row[index], text.table, row).replaceAll('\u202f', ' ').replaceAll('\u2212', '-')));
    expect(cells).toEqual([['clock', 'MHz', '1,410', '-1,200'], ['link', 'bytes/s', '3.2 MB/s', '+625 kB/s'], ['use', '%', '6.00', '+15.25']]);
    expect(own[3]!.largest).toBe(0);
  });
  it('keep a shift apart from the difference, in its unit', () => {
    expect(family('shift_low_us')).toBe(family('delta_us'));
    expect(family('device_self_shift_us')).toBe(family('device_self_delta_us'));
    expect(isMeasuredDelta(column('shift_us', 'delta', 'time_us'))).toBe(false);
  });
});
