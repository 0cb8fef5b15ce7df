import { expect, it } from 'vitest';
import { foldProgress } from '../../src/api/use_answer';

it('folds progress into one entry per file', () => {
  const at = (path: string, phase: string, done: number) => ({ phase, path, done_bytes: done, total_bytes: 10, events: 0, elapsed_s: 0 });
  let files = foldProgress([], at('', 'listing', 0));
  for (const line of [at('a', 'reading', 1), at('b', 'reading', 2), at('a', 'reading', 9)]) files = foldProgress(files, line);
  expect(files.map((file) => [file.path, file.done_bytes])).toEqual([['a', 9], ['b', 2]]);
  expect(foldProgress(files, at('', 'comparing', 0)).every((file) => file.finished)).toBe(true);
});
