import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Finding } from '../../src/contract/wire';
import { StepsChoice, typedRange } from '../../src/pair/steps_choice';
import { findingText } from '../../src/summary/finding_text';
import { Findings } from '../../src/summary/findings';
import { metricWords } from '../../src/ui/strings';
import { comparison, kernels, ledger, ledgerRow } from '../samples';

const FINDING: Finding = {
  rule: 'data_loader',
  subject: 'enumerate(DataLoader).__next__',
  category: 'DataLoader',
  delta_us: 17600,
  share: 0.994,
  sentence: 'Waiting for the data loader takes 17.6 ms more per step.',
  evidence: [{ table: 'ledger', row: 'DataLoader' }, { table: 'kernels', row: 'gemm' }],
  confidence: 'differs clearly',
  look_at: 'num_workers',
};

afterEach(() => {
  document.body.innerHTML = '';
});

describe('a finding as text', () => {
  it('is what the card says, its evidence, and the two runs', () => {
    expect(findingText(FINDING, comparison({ tables: { kernels: kernels([]) } }))).toBe(
      [
        'DataLoader +17.6\u202fms (99.4\u202f% of the change): enumerate(DataLoader).__next__',
        'Waiting for the data loader takes 17.6 ms more per step.',
        'Look at: num_workers',
        'differs clearly',
        '- Everything: DataLoader',
        '- Kernels: gemm',
        'A: normal (worker0; span 1; 2 steps)',
        'B: abnormal (worker0; span 1; 2 steps)',
        '',
      ].join('\n'),
    );
  });
  it('leaves out what the finding does not have', () => {
    const lines = findingText({ ...FINDING, delta_us: null, share: null, look_at: '', evidence: [] }, comparison());
    expect(lines.split('\n').slice(0, 3)).toEqual(['DataLoader: enumerate(DataLoader).__next__', FINDING.sentence, FINDING.confidence]);
  });
  it('has a negative share if the part goes the other way', () => {
    expect(findingText({ ...FINDING, share: -0.25 }, comparison())).toContain('(−25.0\u202f% of the change)');
  });
  it('is copied by the button of the card, which says so', async () => {
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', { clipboard: { writeText } });
    await act(() => render(<Findings comparison={{ ...comparison(), findings: [FINDING] }} onEvidence={() => undefined} />, document.body));
    const button = document.querySelector<HTMLButtonElement>('[aria-label^="Copy this finding"]')!;
    await act(async () => {
      button.click();
      await vi.waitFor(() => expect(writeText).toHaveBeenCalled());
    });
    expect(writeText).toHaveBeenCalledWith(findingText(FINDING, comparison()));
    expect(document.querySelector('[role=status]')?.textContent).toBe('Copied');
    vi.unstubAllGlobals();
  });
  it('gives advice once on the page', async () => {
    const findings = [FINDING, { ...FINDING, subject: 'other' }];
    const box = document.createElement('div');
    await act(() => render(<Findings comparison={{ ...comparison(), findings }} onEvidence={() => undefined} />, box));
    expect(box.textContent?.split('Look at: num_workers')).toHaveLength(2);
    expect(box.textContent).not.toContain('Not explained');
  });
  it('is followed by what no finding explains', async () => {
    const box = document.createElement('div');
    const shown = { ...comparison(), ledger: ledger([ledgerRow(['Kernel'], 0, 500_000)], 1), findings: [FINDING], unexplained_us: 200 };
    await act(() => render(<Findings comparison={shown} onEvidence={() => undefined} />, box));
    expect(box.textContent).toContain('Not explained: +200\u202fµs (40.0\u202f% of the change).');
  });
  it('makes way for the sentence of an answer without findings', async () => {
    const box = document.createElement('div');
    await act(() => render(<Findings comparison={{ ...comparison(), no_finding: 'No cause found.' }} onEvidence={() => undefined} />, box));
    expect(box.querySelector('p')?.textContent).toBe('No cause found.');
  });
});

describe('a typed range of steps', () => {
  it.each([
    ['', ''],
    ['5', '5'],
    [' 3 – 10 ', '3-10'],
    ['10-3', '3-10'],
    ['4-4', '4'],
    ['all', null],
    ['3-', null],
    ['-3', null],
    ['1e3', null],
  ])('%j is %j', (typed, range) => expect(typedRange(typed)).toBe(range));

  it('is chosen by Enter, and a wrong one is not', async () => {
    const onSteps = vi.fn();
    await act(() => render(<StepsChoice name="Baseline" steps="" words={metricWords('step_time')} onSteps={onSteps} />, document.body));
    await act(() => document.querySelector<HTMLButtonElement>("[aria-label='Baseline: steps']")!.click());
    const input = document.querySelector('input')!;
    const type = async (value: string): Promise<void> => {
      await act(async () => {
        input.value = value;
        input.dispatchEvent(new Event('input', { bubbles: true }));
      });
      await act(async () => {
        input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
      });
    };
    await type('three');
    expect([input.getAttribute('aria-invalid'), onSteps.mock.calls.length]).toEqual(['true', 0]);
    await type('7-4');
    expect(onSteps).toHaveBeenCalledWith('4-7');
  });
});
