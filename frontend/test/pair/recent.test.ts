// Pairs that were compared before, kept by the browser where it allows that.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Side } from '../../src/contract/wire';
import { recentPairs, remember } from '../../src/pair/recent';
import { run, runs } from '../samples';

const answer = runs([run('a'), run('b'), run('c')]);
const whole = (name: string): Side => ({ run: name, worker: null, span: null });
const listed = (of = answer, a: Side | null = null, b: Side | null = null): string[] => recentPairs(of, a, b).map(({ baseline, candidate }) => `${baseline.run}${candidate.run}`);

beforeEach(() => localStorage.clear());
afterEach(() => vi.unstubAllGlobals());

it('lists the latest first, each once', () => {
  for (const [a, b] of [['a', 'b'], ['b', 'c'], ['a', 'b'], ['c', 'a']] as const) remember(answer, whole(a), whole(b));
  expect(listed()).toEqual(['ca', 'ab', 'bc']);
});

it('leaves out the pair on screen, runs that are gone and other log directories', () => {
  remember(answer, whole('a'), whole('b'));
  remember(answer, whole('a'), whole('gone'));
  remember(runs([run('a'), run('b')], { roots: ['other'] }), whole('b'), whole('a'));
  expect(listed()).toEqual(['ab']);
  expect(listed(answer, whole('a'), whole('b'))).toEqual([]);
});

it('tells parts of runs apart', () => {
  remember(answer, whole('a'), { ...whole('b'), span: '2', steps: '3-10', launches: 'c' });
  expect(recentPairs(answer, whole('a'), whole('b'))[0]?.candidate).toEqual({ run: 'b', worker: null, span: '2', steps: '3-10', launches: 'c' });
});

it('keeps a bounded number', () => {
  const many = runs(Array.from({ length: 60 }, (_, n) => run(`r${n}`)));
  for (let n = 1; n < 60; n += 1) remember(many, whole('r0'), whole(`r${n}`));
  expect(listed(many).length).toBe(5);
  expect((JSON.parse(localStorage.getItem('tb_perfcompare.recent') ?? '[]') as unknown[]).length).toBe(24);
});

it.each(['null', '{', '[1, null, {"roots": "logs"}, {"roots": "logs", "a": {"run": 3}, "b": null}]', '"x"'])('ignores what others wrote there: %s', (text) => {
  localStorage.setItem('tb_perfcompare.recent', text);
  expect(listed()).toEqual([]);
});

it('does without storage', () => {
  vi.stubGlobal('localStorage', undefined);
  remember(answer, whole('a'), whole('b'));
  expect(listed()).toEqual([]);
});
