// What could settle a verdict: choices with their results, and how much more to record.

import { render } from 'preact';
import { expect, it } from 'vitest';
import type { Alternative } from '../../src/contract/wire';
import { Alternatives } from '../../src/summary/alternatives';
import { comparison } from '../samples';

const MORE: Alternative = {
  rule: 'record_more', what: 'record 5 more captures per side', arguments: '', side: null, workers: null, spans: null, baseline_steps: null, candidate_steps: null, step_window: null, more: [5, 5],
  unit: 'captures', verdict: null, sentence: '', delta: null, ratio: null, n: null,
};
const CHOICE: Alternative = { ...MORE, rule: 'other_window', what: 'each step ends at the next marker', more: null, unit: '', verdict: 'slower' };

const shown = (...alternatives: Alternative[]): string => {
  const base = comparison();
  render(<Alternatives comparison={{ ...base, headline: { ...base.headline, alternatives } }} onChoose={() => undefined} />, document.body);
  return document.body.textContent ?? '';
};

it('names a choice that leaves the verdict open only next to one that settles it', () => {
  const open: Alternative = { ...CHOICE, rule: 'after_warm_up', what: 'without the first step of each side', arguments: '--steps 2-9', verdict: 'inconclusive' };
  expect(shown(open, { ...CHOICE, arguments: '--step-window marker' }, MORE)).toMatch(/^What could settle itEach step ends at the next markerB is slower.*Still inconclusive: without the first step of each side\./);
  expect(shown(open, MORE)).toBe('What could settle itRecord 5 more captures per side.');
  expect(shown(open)).toBe('');
});

it('shows how captures of one side differ, whatever the verdict on them', () => {
  expect(shown({ ...CHOICE, rule: 'captures_apart', what: "the baseline's span 2 against its span 1", verdict: 'inconclusive' })).toContain('span 2');
});

it('warns of picking a verdict only where there is one to pick', () => {
  expect(shown(CHOICE, MORE)).toContain('Choosing a verdict proves nothing');
  expect(shown(MORE)).toBe('What could settle itRecord 5 more captures per side.');
});
