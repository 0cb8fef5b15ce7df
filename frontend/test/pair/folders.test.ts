import { expect, test } from 'vitest';
import { foldersAround, folderTree, isBelow, unfolded } from '../../src/pair/folders';

const RUNS = ['top', 'a/x/1', 'a/x/2', 'a/y/3', 'deep/er/only/4', 'deep/er/only/5', 'a/x10/6', 'a/x2/7'];
const shown = (...open: string[]): [string, number, number][] => unfolded(folderTree(RUNS), new Set(open)).map(({ name, depth, runs }) => [name, depth, runs]);

test('a collapsed tree shows the top, with the runs in and below each folder; chains are one entry', () => {
  expect(shown()).toEqual([
    ['a', 0, 5],
    ['deep/er/only', 0, 2],
  ]);
});

test('an expanded folder shows those in it, numbers in their order', () => {
  expect(shown('a')).toEqual([
    ['a', 0, 5],
    ['x', 1, 2],
    ['x2', 1, 1],
    ['x10', 1, 1],
    ['y', 1, 1],
    ['deep/er/only', 0, 2],
  ]);
});

test('what is expanded in a collapsed folder stays out of sight', () => {
  expect(unfolded(folderTree(['p/q/r/1', 'p/q/s/2', 'p/t/3', 'u/4']), new Set(['p/q'])).map(({ path }) => path)).toEqual(['p', 'u']);
});

test('one folder of everything tells nothing apart unless it has folders', () => {
  expect(folderTree(['a/1', 'a/2'])).toEqual([]);
  expect(folderTree(['1', '2'])).toEqual([]);
  expect(folderTree(['a/b/1', 'a/c/2'])[0]!.folders.map(({ path }) => path)).toEqual(['a/b', 'a/c']);
});

test('a run is in the folders around it, and in none whose name it only begins with', () => {
  expect(foldersAround('a/x/1')).toEqual(['a', 'a/x']);
  expect([isBelow('a/1', 'a'), isBelow('ab/1', 'a'), isBelow('ab/1', '')]).toEqual([true, false, true]);
});
