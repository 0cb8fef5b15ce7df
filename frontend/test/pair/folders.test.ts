import { expect, test } from 'vitest';
import { foldersOf, isBelow } from '../../src/pair/folders';

const listed = (...runs: string[]): [string, number, number][] => foldersOf(runs).map(({ name, depth, runs: below }) => [name, depth, below]);

test('each folder is followed by those in it, numbers in their order; chains are one entry', () => {
  expect(listed('top', 'a/x/1', 'a/x/2', 'a/y/3', 'deep/er/only/4', 'deep/er/only/5', 'a/x10/6', 'a/x2/7')).toEqual([
    ['a', 0, 5],
    ['x', 1, 2],
    ['x2', 1, 1],
    ['x10', 1, 1],
    ['y', 1, 1],
    ['deep/er/only', 0, 2],
  ]);
});

test('one folder of everything tells nothing apart unless it has folders', () => {
  expect([listed('a/1', 'a/2'), listed('1', '2')]).toEqual([[], []]);
  expect(foldersOf(['a/b/1', 'a/c/2']).map(({ path }) => path)).toEqual(['a', 'a/b', 'a/c']);
});

test('a run is in no folder whose name it only begins with', () => {
  expect([isBelow('a/1', 'a'), isBelow('ab/1', 'a'), isBelow('ab/1', '')]).toEqual([true, false, true]);
});
