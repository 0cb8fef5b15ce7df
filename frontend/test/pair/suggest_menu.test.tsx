import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, expect, test, vi } from 'vitest';
import type { RunsAnswer } from '../../src/contract/wire';
import { SuggestMenu } from '../../src/pair/suggest_menu';

const root = document.createElement('div');
afterEach(() => render(null, root));

const side = (run: string) => ({ run, worker: null, span: null });
const answer = (pairs: number): RunsAnswer =>
  ({ roots: [], runs: [], problems: [], pairs: Array.from({ length: pairs }, (_, n) => ({ baseline: side('w0'), candidate: side(`w${n + 1}`), reason: '' })) }) as unknown as RunsAnswer;

async function opened(pairs: number): Promise<[number, string]> {
  vi.stubGlobal('ResizeObserver', class {
    observe(): void {}
    disconnect(): void {}
  });
  await act(() => render(<SuggestMenu answer={answer(pairs)} a={null} b={null} onPair={() => {}} />, root));
  await act(() => root.querySelector('button')!.click());
  return [root.querySelectorAll('li').length, root.querySelector('.pop-note')?.textContent ?? ''];
}

test('a list of pairs is short, and says how many more there are', async () => {
  expect(await opened(40)).toEqual([40, '']);
  render(null, root);
  expect(await opened(45)).toEqual([40, '5 more pairs: search the runs']);
});
