import { expect, it } from 'vitest';
import type { Headline } from '../../src/contract/wire';
import { effectText, isAgainstTimes } from '../../src/summary/verdict';

const slower = { metric: 'step_time', verdict: 'probably_slower', baseline: 13050, candidate: 12140, delta: -910, ratio: 0.93 } as Headline;
const program = { estimate: 0.013 } as Headline['program'];
const counted = { noun: 'input elements', calls: null, change: 0.5 } as Headline['counted'];

it('the head shows a slower program, not the shorter steps it ran in', () => {
  expect(isAgainstTimes({ ...slower, program, sentence: 'Probably slower: ...' })).toBe(true);
  expect(isAgainstTimes({ ...slower, program, delta: 910 })).toBe(false);
  expect(isAgainstTimes({ ...slower, program: null })).toBe(false);
});

it('where counted work decides, times are what was measured', () => {
  const longer = { ...slower, candidate: 13960, delta: 910, ratio: 1.07 };
  expect(effectText({ ...longer, program: null, counted: null, sentence: 'Probably slower: ...' })).toMatch(/^by /);
  expect(effectText({ ...longer, program: null, counted, sentence: 'Probably slower: the same operators on 50 % more input.' })).toMatch(/^measured /);
});
