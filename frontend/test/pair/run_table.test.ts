import { expect, test } from 'vitest';
import type { RunEntry } from '../../src/contract/wire';
import { foldersOf, isBelow } from '../../src/pair/folders';
import { runTable } from '../../src/pair/run_table';

const RUNS = ['top', 'a/x/1', 'a/x/2', 'a/y/3', 'deep/er/only/4', 'deep/er/only/5'];

test('folders are listed on the way to the open one, and chains are one entry', () => {
  expect(foldersOf(RUNS, '').map(({ path, runs }) => [path, runs])).toEqual([
    ['a', 3],
    ['deep/er/only', 2],
  ]);
  expect(foldersOf(RUNS, 'a/x').map(({ path, name, depth }) => [path, name, depth])).toEqual([
    ['a', 'a', 0],
    ['a/x', 'x', 1],
    ['a/y', 'y', 1],
    ['deep/er/only', 'deep/er/only', 0],
  ]);
});

test('one folder of everything tells nothing apart', () => {
  expect(foldersOf(['a/1', 'a/2'], '')).toEqual([]);
  expect(foldersOf(['1', '2'], '')).toEqual([]);
});

test('a folder holds no run of one whose name it begins', () => {
  expect([isBelow('a/1', 'a'), isBelow('ab/1', 'a'), isBelow('ab/1', '')]).toEqual([true, false, true]);
});

const run = (...means: (number | null | undefined)[]): RunEntry => ({
  run: 'f/r',
  workers: means.map((mean, rank) => ({ worker: `w${rank}`, rank, spans: [{ span: '1', files: [{ name: 'f', bytes: 5, modified: 1 }], ...(mean !== undefined && { known: { device: 'GPU', steps: rank + 1, mean_step_us: mean } }) }] })),
});
const facts = (entry: RunEntry): unknown[] => runTable([entry], 'f', null).rows[0]!.slice(3, 7);

test('device, steps and mean step appear once all files of a run are read', () => {
  expect(facts(run(10, 40))).toEqual(['GPU', 3, 30, 2]);
  expect(facts(run(10, undefined))).toEqual([null, null, null, 2]);
  expect(facts(run(null))).toEqual(['GPU', 1, null, 1]);
  expect(runTable([run(1)], 'f', new Set(['f/r'])).rows[0]).toContain('☑');
});
