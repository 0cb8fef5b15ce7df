import { describe, expect, test } from 'vitest';
import { deviceName, differenceTo, labelBeside, runLabel, runLabels } from '../../src/ui/run_names';

describe('names of runs in the picker', () => {
  test('keep the end, where runs differ', () => {
    const labels = ['answers_of_a_very_long_case_name.jsonl#1', 'answers_of_a_very_long_case_name.jsonl#2'].map(runLabel);
    expect(new Set(labels).size).toBe(2);
    expect(labels[0]).toMatch(/^answers_of_.*…/);
    expect(labels[0]!.endsWith('#1')).toBe(true);
    expect(labels[0]!.length).toBe(28);
  });
  test('keep the last part of a path whole: abnormal must not read as normal', () => {
    expect(['normal', 'abnormal'].map((side) => runLabel(`perf_data_synthetic/${side}_perf_data`))).toEqual(['perf_data_…/normal_perf_data', 'perf_dat…/abnormal_perf_data']);
  });
  test('stay whole when they fit', () => {
    expect(runLabel('cpu_training/abnormal')).toBe('cpu_training/abnormal');
  });
  test('does not call two runs the same', () => {
    const runs = ['tracing_of_engines/SGLang/gpu_instability/abnormal_perf_data', 'tracing_of_engines/vLLM/gpu_instability/abnormal_perf_data', 'short'];
    expect(runLabels(runs)).toEqual(['abnormal_perf_data (SGLang/gpu_instability)', 'abnormal_perf_data (vLLM/gpu_instability)', 'short']);
    expect(runLabels(['a_long_name_of_one_run_that_is_recorded_in_pieces.txt', 'a_long_name_of_two_run_that_is_recorded_in_pieces.txt'])).toEqual([
      'a_long_name_of_one_run_that_is_recorded_in_pieces.txt',
      'a_long_name_of_two_run_that_is_recorded_in_pieces.txt',
    ]);
  });
});

describe('a run next to another', () => {
  test('keeps a name that fits', () => {
    expect(labelBeside('gpu/baseline', 'gpu/candidate')).toBe('gpu/baseline');
    expect(labelBeside('saved_answers_synthetic#1', 'saved_answers_synthetic#2')).toBe('saved_answers_synthetic#1');
  });
  test('leaves out directories and words of a long name that both begin with', () => {
    expect(labelBeside('experiments/november/gpu/baseline', 'experiments/november/gpu/candidate')).toBe('…/baseline');
    expect(labelBeside('experiments/november/gpu/a', undefined)).toBe('experiments/november/gpu/a');
    expect(labelBeside('bert/2026-11-01/b_lr3e-4_bs32_daa66d13', 'bert/2026-11-04/b_lr3e-4_bs32_afd9d5ab')).toBe('…/2026-11-01/…_daa66d13');
    expect(labelBeside('old/runs/of/resnet50_workers_0', 'old/runs/of/resnet50_workers_4')).toBe('…/resnet50_workers_0');
  });
  test('keeps the beginning of a name that both directories have', () => {
    expect(labelBeside('logs/h100/Qwen1.5-0.5B-Chat__1016005.json.gz', 'logs/mi300/Qwen1.5-0.5B-Chat__1016005.json.gz')).toBe('…/h100/Qwen1.5-…');
  });
});

test('where there is little room only the difference is left', () => {
  expect(differenceTo('t/normal_perf_data', 't/abnormal_perf_data')).toBe('normal…');
  expect(differenceTo('runs/resnet50_workers_0', 'runs/resnet50_workers_4')).toBe('…_0');
  expect(differenceTo('gpu/baseline', 'gpu/candidate')).toBe('baseline');
  expect(differenceTo('saved#1', 'saved#2')).toBe('1');
  expect(differenceTo('a/run', 'b/run')).toBe('a/run');
});

test('a device is called by its model', () => {
  expect(['NVIDIA A100-SXM4-40GB', 'Tesla V100-DGXS-32GB', 'AMD Instinct MI300X', 'MLU370-M8', 'GPU', 'Intel(R) Data Center GPU Max 1550'].map(deviceName)).toEqual([
    'A100-SXM4-40GB', 'V100-DGXS-32GB', 'Instinct MI300X', 'MLU370-M8', 'GPU', 'Data Center GPU Max 1550',
  ]);
});
