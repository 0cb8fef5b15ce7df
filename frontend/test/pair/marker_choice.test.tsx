import { describe, expect, it } from 'vitest';
import type { Comparison, StepMarker } from '../../src/contract/wire';
import { candidatesOf, kindsOf } from '../../src/pair/marker_choice';

const marker = (name: string): StepMarker => ({ step_marker: name, origin: 'annotation', name, count: 9, coverage: 1, mean_us: 10, alike: null });

function compared(a: string[] | null, b: string[]): Comparison {
  const side = (names: string[] | null) => ({ steps: { by: names && { ...marker(names[0]!), candidates: names.map(marker) } } });
  return { baseline: side(a), candidate: side(b) } as unknown as Comparison;
}

describe('what may delimit steps', () => {
  it('is each candidate once, with the number of sides that have it', () => {
    const found = candidatesOf(compared(['step[*', 'whole'], ['profiler', 'step[*', 'whole']));
    expect(found.map(({ marker: one, sides }) => [one.step_marker, sides])).toEqual([['step[*', 2], ['whole', 2], ['profiler', 1]]);
  });
  it('is nothing of a source without markers', () => {
    expect(candidatesOf(compared(null, ['whole'])).map(({ sides }) => sides)).toEqual([1]);
    expect(candidatesOf(null)).toEqual([]);
  });
});

describe('kinds of iterations', () => {
  const rows = ['decode', 'prefill', '(rarer kinds)'].map((name) => [name, 1]);
  const kinds = { tables: { iteration_kinds: { columns: [{ name: 'kind' }, { name: 'n' }], rows } } } as unknown as Comparison;
  it('are the rows of their table that stand for one kind', () => {
    expect(kindsOf(kinds, '')).toEqual(['decode', 'prefill']);
  });
  it('are the one that is compared alone', () => {
    expect(kindsOf({ tables: {} } as unknown as Comparison, 'decode')).toEqual(['decode']);
    expect(kindsOf(null, '')).toEqual([]);
  });
});
