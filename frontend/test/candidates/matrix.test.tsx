// The matrix of candidates: which rows, in which order, how strong a change is, and how to go through it.

import { render } from 'preact';
import { afterEach, describe, expect, it } from 'vitest';
import { changeOf, levelOf, matrixRows, rowTable } from '../../src/candidates/matrix';
import { MatrixView } from '../../src/candidates/matrix_view';
import type { Row, RowTimes } from '../../src/candidates/wire';
import { comparison } from '../samples';

const times = (name: string, baseline_us: number | null, candidate_us: number | null): RowTimes => ({ name, baseline_us, candidate_us });

function row(parts: RowTimes[], rows: RowTimes[] = [], table = 'kernels'): Row {
  const { headline } = comparison();
  const side = { run: 'x', format: 'torch_profiler_trace', device: { kind: 'cpu', word: 'CPU', name: null, count: 0 }, steps: { count: 9, admitted: 8, dropped: [] }, captures: 1 };
  return { error: null, result: { baseline: side, candidate: side, headline: { ...headline, baseline: 1000, candidate: 1100 }, checks: [], cause: null, causes: 0, parts, table, rows, notes: [], short_names: {} } };
}
const failed: Row = { error: { code: 'corrupt', message: 'cut off', hint: '' }, result: null };

describe('rows', () => {
  it('come with the largest change in any candidate first, without those that are zero everywhere', () => {
    const one = row([times('Kernel', 900, 910), times('Memcpy', 10, 10), times('Other', 0, 0)]);
    const two = row([times('Kernel', 900, 890), times('Memcpy', 10, 110), times('Other', 0, 0)]);
    expect(matrixRows([one, failed, two], 3, '').map(({ name, cells }) => [name, ...cells.map((cell) => cell?.candidate_us ?? null)])).toEqual([
      ['Memcpy', 10, null, 110],
      ['Kernel', 910, null, 890],
    ]);
  });
  it('have no cell for a part that one side could not record', () => {
    const cpuAlone = row([times('Kernel', null, 900), times('CPU', 10, 20)]);
    expect(matrixRows([cpuAlone], 1, '').map(({ name }) => name)).toEqual(['CPU']);
  });
  it('of a table are those of any candidate', () => {
    const one = row([], [times('gemm', 100, 150)]);
    const two = row([], [times('gemm', 100, 100), times('relu', null, 80)]);
    expect(matrixRows([one, two], 2, 'kernels').map(({ name, cells }) => [name, cells[0]?.candidate_us ?? null])).toEqual([['relu', null], ['gemm', 150]]);
    expect(rowTable([failed, one])).toBe('kernels');
  });
});

describe('a change', () => {
  it('is a fraction of the row or of the step', () => {
    expect(changeOf(times('a', 100, 150), 'row', 1000)).toBe(0.5);
    expect(changeOf(times('a', 100, 150), 'step', 1000)).toBe(0.05);
  });
  it('from nothing has no size, and nothing stays zero', () => {
    expect(changeOf(times('a', null, 50), 'row', 1000)).toBe(null);
    expect(changeOf(times('a', 0, 0), 'row', 1000)).toBe(0);
    expect(changeOf(times('a', null, 50), 'step', 1000)).toBe(0.05);
  });
  it('swapped has the opposite color', () => {
    expect(levelOf(times('a', 100, 150), 'row', null)).toBe(4);
    expect(levelOf(times('a', 150, 100), 'row', null)).toBe(-3);
    expect([levelOf(times('a', null, 9), 'row', null), levelOf(times('a', 9, null), 'row', null)]).toEqual([4, -4]);
    expect(levelOf(times('a', 100, 100.5), 'row', null)).toBe(0);
  });
});

describe('the view', () => {
  const place = document.createElement('div');
  document.body.append(place);
  afterEach(() => render(null, place));
  const opened: unknown[] = [];
  const side = (run: string) => ({ run, worker: null, span: null });
  const show = (options: string): void => {
    const rows = [row([times('Kernel', 900, 990)], [times('gemm', 100, 150), times('old', 9, null)]), failed, row([times('Kernel', 900, 900)], [times('gemm', 100, 100)])];
    render(<MatrixView candidates={[side('one'), side('torn'), side('two')]} rows={rows} options={options} onOptions={() => undefined} onOpen={(candidate, at) => opened.push([candidate.run, at])} />, place);
  };
  const cells = (): string[][] => [...place.querySelectorAll('tbody tr')].map((line) => [...line.children].map((cell) => cell.textContent ?? ''));

  it('has a column for each candidate that was compared, and the mean above', () => {
    show('');
    expect(cells()).toEqual([['Mean', '+10.0\u202f%', '+10.0\u202f%'], ['Kernel', '+10.0\u202f%', '0']]);
  });
  it('says what is gone and what is not listed', () => {
    show('rows');
    expect(cells().slice(1)).toEqual([['gemm', '+50.0\u202f%', '0'], ['old', 'gone', '–']]);
  });
  it('is one stop for Tab, arrow keys go on, and Enter opens the pair at the row', () => {
    show('rows');
    expect(place.querySelectorAll('tbody [tabindex="0"]').length).toBe(1);
    place.querySelector<HTMLElement>('tbody button')!.focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight'])
      document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    (document.activeElement as HTMLElement).click();
    expect(opened.at(-1)).toEqual(['two', { tab: 'kernels', row: 'gemm' }]);
  });
});
