// What is asked before anything is drawn is asked once.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { requestEarly, comparisonOf, firstRuns } from '../src/early';
import { setHash } from '../src/host/host';
import type { Progress } from '../src/contract/wire';

const asked: { url: URL; signal: AbortSignal | undefined }[] = [];
const LINES: Record<string, object[]> = {
  runs: [{ schema: 'tb_perfcompare.runs/1', runs: [] }],
  comparison: [{ progress: { phase: 'reading' } }, { result: { schema: 'tb_perfcompare.comparison/1', version: 'x' } }],
};
const routes = (): (string | undefined)[] => asked.map(({ url }) => url.pathname.split('/').pop());
const ask = (query: string, onProgress: (progress: Progress) => void = () => undefined) => comparisonOf(new URLSearchParams(query), onProgress, new AbortController().signal);

beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal('fetch', (url: string, { signal }: RequestInit) => {
    const route = new URL(url).pathname.split('/').pop()!;
    asked.push({ url: new URL(url), signal: signal ?? undefined });
    return Promise.resolve(new Response(LINES[route]!.map((line) => `${JSON.stringify(line)}\n`).join('')));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  setHash('#', false);
});

it('the list of runs and the pair that the address names, at once, and both once', async () => {
  setHash('#tb_perfcompare&p.tb_perfcompare.a=one&p.tb_perfcompare.b=two', false);
  requestEarly();
  expect(routes()).toEqual(['runs', 'comparison']);
  const reports: Progress[] = [];
  const runs = await firstRuns();
  const answer = await ask('baseline=one&candidate=two', (progress) => reports.push(progress));
  expect([runs.runs, answer.version, reports.map(({ phase }) => phase)]).toEqual([[], 'x', ['reading']]);
  expect(routes()).toEqual(['runs', 'comparison']);
  await ask('baseline=one&candidate=two');
  await firstRuns();
  expect(routes()).toEqual(['runs', 'comparison', 'comparison', 'runs']);
});

it('another pair is asked for instead, and the early one given up', async () => {
  setHash('#tb_perfcompare&p.tb_perfcompare.a=one&p.tb_perfcompare.b=two', false);
  requestEarly();
  await ask('baseline=two&candidate=one');
  expect(asked.map(({ signal }) => signal?.aborted)).toEqual([undefined, true, false]);
});

it('no pair where the address names none, or another page', () => {
  for (const hash of ['#tb_perfcompare', '#tb_perfcompare&p.tb_perfcompare.a=one', '#tb_perfcompare&p.tb_perfcompare.a=one&p.tb_perfcompare.b=two&p.tb_perfcompare.page=history']) {
    setHash(hash, false);
    requestEarly();
    void firstRuns();
  }
  expect(routes()).toEqual(['runs', 'runs', 'runs']);
});
