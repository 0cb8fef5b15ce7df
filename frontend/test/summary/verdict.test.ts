import { expect, it } from 'vitest';
import type { Headline } from '../../src/contract/wire';
import { decidingP, effectText, isBeyondTimes } from '../../src/summary/verdict';

const slower = { metric: 'step_time', verdict: 'probably_slower', baseline: 13050, candidate: 12140, delta: -910, ratio: 0.93 } as Headline;
const program = { estimate: 0.013, low: 0.002, high: 0.08 } as Headline['program'];
const counted = { noun: 'input elements', calls: null, change: 0.5 } as Headline['counted'];

it('the head shows the program where steps as recorded say another direction or size', () => {
  const ofProgram = { ...slower, basis: 'program', program } as Headline;
  expect(isBeyondTimes(ofProgram)).toBe(true);
  expect(isBeyondTimes({ ...ofProgram, delta: 14500, ratio: 2.11 })).toBe(true);
  expect(isBeyondTimes({ ...ofProgram, delta: 910, ratio: 1.07 })).toBe(false);
  expect(isBeyondTimes({ ...ofProgram, basis: 'machine' })).toBe(false);
  expect(isBeyondTimes({ ...ofProgram, program: null })).toBe(false);
});

it('where counted work decides, times are what was measured', () => {
  const longer = { ...slower, candidate: 13960, delta: 910, ratio: 1.07 };
  expect(effectText({ ...longer, program: null, counted: null, sentence: 'Probably slower: ...' })).toMatch(/^by /);
  expect(effectText({ ...longer, program: null, counted, sentence: 'Probably slower: the same operators on 50 % more input.' })).toMatch(/^\+0\.91/);
});

it('p is of what the verdict is about', () => {
  const recorded = { basis: 'recorded', p: 0.37, program: { p: 0.0002 } } as Headline;
  expect(decidingP(recorded)).toEqual([0.37, false]);
  expect(decidingP({ ...recorded, basis: 'program' })).toEqual([0.0002, true]);
  expect(decidingP({ ...recorded, basis: 'program', program: null })).toEqual([0.37, false]);
});
