// Several candidates: one scale, their order, what is asked, and what a row says.

import { render } from 'preact';
import { afterEach, describe, expect, it } from 'vitest';
import { ScaleHead, VerdictRow } from '../../src/candidates/row';
import { orderOf, reachOf, scaleOf } from '../../src/candidates/scale';
import { sameFolderRuns } from '../../src/candidates/verdicts_view';
import { verdictsQuery, type Adjusted, type Row } from '../../src/candidates/wire';
import { words } from '../../src/candidates/words';
import type { Side, VerdictWord } from '../../src/contract/wire';
import { comparison, run, runs, shift } from '../samples';

const whole = (name: string): Side => ({ run: name, worker: null, span: null });

function row(low: number, estimate: number, high: number, verdict: VerdictWord = 'slower'): Row {
  const { headline } = comparison();
  const side = { run: 'x', format: 'torch_profiler_trace', device: { kind: 'cpu', word: 'CPU', name: null, count: 0 }, steps: { count: 9, admitted: 8, dropped: [{ reason: 'warm-up', steps: 1 }] }, captures: 1 };
  return {
    error: null,
    result: { baseline: side, candidate: side, headline: { ...headline, verdict, margin: 0.01, shift: shift(estimate, low, high) }, checks: [], cause: null, causes: 0, parts: [], table: '', rows: [], notes: [], short_names: {} },
  };
}
const failed: Row = { error: { code: 'corrupt', message: 'cut off', hint: 'record it again' }, result: null };

describe('the scale', () => {
  it('has its ends in three digits', () => {
    const box = document.createElement('div');
    render(<ScaleHead scale={{ low: -0.720039, high: 1.50904 }} />, box);
    expect([...box.querySelectorAll('.vs-axis > span')].map((one) => one.textContent!.replaceAll('\u202f', ' '))).toEqual(['\u221272.0 %', '0', '+151 %']);
  });
  it('holds every interval, zero and the margin', () => {
    const scale = scaleOf([row(0.02, 0.03, 0.04), row(-0.05, -0.01, 0.02), failed, undefined]);
    expect(scale.low).toBeLessThan(-0.05);
    expect(scale.high).toBeGreaterThan(0.04);
    const unbounded = row(0, 0.03, 0.04);
    expect(scaleOf([{ ...unbounded, result: { ...unbounded.result!, headline: { ...unbounded.result!.headline, shift: shift(9, null, 9) } } }])).toEqual(scaleOf([]));
    const nothing = scaleOf([]);
    expect(nothing.low).toBeLessThan(-0.01);
    expect(nothing.high).toBeGreaterThan(0.01);
  });
  it('does not let one far candidate flatten the others', () => {
    const scale = scaleOf([row(0.01, 0.02, 0.03), row(0.01, 0.02, 0.03), row(0.01, 0.02, 0.03), row(40, 50, 60)]);
    expect(scale.high).toBeLessThan(2);
  });
});

it('shows the change that the verdict is about', () => {
  const recorded = row(-0.67, 1.35, 10.5);
  const { headline } = recorded.result!;
  const about = (over: object): Row => ({ ...recorded, result: { ...recorded.result!, headline: { ...headline, ...over } } });
  const program = { estimate: 0.23, low: 0.1, high: 0.31 };
  expect(reachOf(about({ basis: 'program', program }))).toEqual(program);
  expect(reachOf(about({ basis: 'recorded', program }))).toEqual({ estimate: 1.35, low: -0.67, high: 10.5 });
});

it('orders by the shift, candidates without one last, equal ones as listed', () => {
  const rows = [row(0, 0.01, 0), failed, row(0, 0.05, 0), row(0, 0.01, 0), undefined];
  expect(orderOf(rows, 5, '')).toEqual([0, 1, 2, 3, 4]);
  expect(orderOf(rows, 5, '-shift')).toEqual([2, 0, 3, 1, 4]);
  expect(orderOf(rows, 5, 'shift')).toEqual([0, 3, 2, 1, 4]);
});

it('asks for each candidate under its number, twenty at most', () => {
  const query = verdictsQuery(whole('base'), [{ run: 'a', worker: 'w', span: '2', steps: '3-9' }, whole('b')], 'marker');
  expect(Object.fromEntries(query)).toEqual({
    baseline: 'base', candidate_1: 'a', candidate_1_worker: 'w', candidate_1_span: '2', candidate_1_steps: '3-9', candidate_2: 'b', step_window: 'marker',
  });
  const many = Array.from({ length: 30 }, (_, n) => whole(`r${n}`));
  expect([...verdictsQuery(whole('base'), many, 'device').keys()].length).toBe(21);
});

it('offers the runs beside the baseline that are like it', () => {
  const other = { ...run('sweep/list.txt'), format: 'kernel_listing' };
  const answer = runs([run('sweep/a'), run('sweep/b'), run('sweep/deep/c'), run('elsewhere'), other]);
  expect(sameFolderRuns(answer, whole('sweep/a'), [])).toEqual(['sweep/b']);
  expect(sameFolderRuns(answer, whole('sweep/a'), [whole('sweep/b')])).toEqual([]);
  expect(sameFolderRuns(answer, whole('elsewhere'), [])).toEqual([]);
});

describe('a row', () => {
  const root = document.createElement('tbody');
  afterEach(() => render(null, root));
  const shown = (one: Row | undefined, adjusted: Adjusted | null = null, compared = 1): string => {
    render(
      <VerdictRow side={whole('cand')} row={one} adjusted={adjusted} compared={compared} progress={null} scale={{ low: -1, high: 1 }} style={{ scale: 1000, decimals: 1, unit: 'ms' }} onOpen={() => undefined} onRemove={() => undefined} />,
      root,
    );
    return (root.textContent ?? '').replaceAll('\u202f', ' ').replaceAll('\u2212', '-');
  };
  it('says verdict, mean, interval and the steps left out', () => {
    const text = shown(row(0.2, 0.24, 0.3));
    for (const part of ['Slower', '125.0', '+25.0', '+24.0 %', '+20.0 % … +30.0 %', '8 of 9 steps', '1 step not compared: warm-up']) expect(text).toContain(part);
  });
  it('takes a verdict back that does not stand, in words and not in color alone', () => {
    expect(shown(row(0.01, 0.02, 0.03), { p: 0.2, stands: false }, 6)).toContain(words.falls(6));
    expect(root.querySelector('.tone-unsure')).not.toBeNull();
    expect(shown(row(0.01, 0.02, 0.03), { p: 0.01, stands: true }, 6)).toContain(words.stands(6));
    expect(root.querySelector('.tone-more')).not.toBeNull();
  });
  it('says nothing of an adjustment to a verdict that claims no difference', () => {
    expect(shown(row(0, 0, 0, 'same'), { p: 1, stands: null }, 6)).not.toMatch(/hold/);
  });
  it('says why there is no comparison, or that it is not there yet', () => {
    expect(shown(failed)).toContain('not compared: Cut off. Record it again.');
    expect(shown(undefined)).toContain(words.waiting);
  });
});
