import { expect, test } from 'vitest';
import type { RunEntry } from '../../src/contract/wire';
import { runTable } from '../../src/pair/run_table';

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
