import { render } from 'preact';
import { expect, test } from 'vitest';
import type { Headline, Part } from '../../src/contract/wire';
import { Parts, scaleOf } from '../../src/summary/verdict';

const part = (low: number, estimate: number, high: number): Part => ({
  estimate, low, high, p: null, verdict: 'slower', rows: 9, kept: 8, coverage: 0.8, tau: 0.01, captures_needed: null, mean: null, same_work: 0,
});

test('zero and every interval lie inside the scale', () => {
  const [low, high] = scaleOf([part(0.1, 0.2, 0.3), part(-0.4, -0.2, 0.1)]);
  expect(low).toBeLessThan(-0.4);
  expect(high).toBeGreaterThan(0.3);
});

test('program and machine are said with their intervals, and nothing where they are not known', () => {
  const box = document.createElement('div');
  const headline = { machine: part(-0.1, 0, 0.1), program: part(0.15, 0.18, 0.21) } as Headline;
  render(<Parts headline={headline} />, box);
  expect([...box.querySelectorAll('dt')].map((one) => one.textContent)).toEqual(['Program', 'Machine']);
  expect(box.querySelector('dd')?.textContent).toContain('+18');
  render(<Parts headline={{ ...headline, program: { ...headline.program!, low: null } }} />, box);
  expect(box.querySelectorAll('.part-interval').length).toBe(1); // an end that is not known is not drawn
  const amount = { estimate: 0.9, low: 0.5, high: 1.3 } as Headline['amount'];
  render(<Parts headline={{ ...headline, amount }} />, box);
  expect([...box.querySelectorAll('dt')].map((one) => one.textContent)).toEqual(['Program', 'Machine', 'Work']);
  const none = document.createElement('div');
  render(<Parts headline={{ ...headline, machine: null }} />, none);
  expect(none.innerHTML).toBe('');
});
