import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runLabel, runLabels, ShortNames, shortNames } from '../../src/ui/names';

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
  it.each(cases)('the same where the list grows: $about', ({ names, short }) => {
    const all = new ShortNames();
    for (const name of names) all.add([name]);
    expect(names.map((name) => all.of(name))).toEqual(short);
  });
  it('in time that grows with the length of a name', () => {
    const hostile = ['<'.repeat(200_000), `void f<${'a_'.repeat(100_000)}>(int)`, 'f::'.repeat(60_000)];
    expect(shortNames(hostile)[1]).toBe('f');
    expect(shortNames(hostile)[0]).toBe(hostile[0]);
  });
});
