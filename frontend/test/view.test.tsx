// What is in the document for a given comparison. Looks are tested in a browser (tests/browser).

import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checked, SchemaError, type Cell, type Finding, type VerdictWord } from '../src/contract/wire';
import { withArticle } from '../src/pair/selection';
import { Caveats } from '../src/summary/caveats';
import { Findings } from '../src/summary/findings';
import { Verdict } from '../src/summary/verdict';
import { Entries } from '../src/summary/waterfall_entries';
import { WaterfallView } from '../src/summary/waterfall_view';
import { columnViews, visibleColumns } from '../src/table/data/columns';
import { Grid } from '../src/table/grid';
import { RowPanel } from '../src/table/row_panel';
import { tabsOf } from '../src/tabs';
import { timeStyle } from '../src/ui/format';
import { metricWords, text } from '../src/ui/strings';
import { PLAIN, column, comparison, kernels, ledger, ledgerRow } from './samples';

let root: HTMLElement;
beforeEach(() => {
  root = document.createElement('div');
  document.body.append(root);
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 600 });
  vi.stubGlobal('ResizeObserver', class {
    observe(): void {}
    disconnect(): void {}
  });
});
afterEach(() => {
  render(null, root);
  root.remove();
});
const shown = (): string => (root.textContent ?? '').replaceAll('\u202f', ' ').replaceAll('\u2212', '-');

describe('the verdict', () => {
  it.each(Object.entries(text.verdict.word))('%s has its words', (verdict, words) => {
    const base = comparison();
    render(<Verdict comparison={{ ...base, headline: { ...base.headline, verdict: verdict as VerdictWord } }} />, root);
    expect(root.querySelector('h2')?.textContent).toContain(words);
  });
  it('gives the effect with its interval, the steps and p', () => {
    render(<Verdict comparison={comparison()} />, root);
    for (const part of ['by 25.0 ms per step (25.0 %)', '100.0 → 125.0 ms', '+20.0 % … +30.0 % at 95 %', '10 vs 12', '<0.001']) expect(shown()).toContain(part);
  });
  it('says the size of a direction without its sign, and a thousandfold change as a multiple', () => {
    const base = comparison();
    const faster = { ...base.headline, baseline: 125_000, candidate: 10_000, delta: -115_000, ratio: 0.08, verdict: 'faster' as const };
    render(<Verdict comparison={{ ...base, headline: faster }} />, root);
    expect(shown()).toContain('B is faster by 115.0 ms per step (92.0 %)');
    render(<Verdict comparison={{ ...base, headline: { ...base.headline, ratio: 46_099.37 } }} />, root);
    expect(shown()).toContain('(×46,099)');
  });
  it('says nothing of figures that were not measured', () => {
    const base = comparison();
    const headline = { ...base.headline, baseline: null, candidate: null, delta: null, ratio: null, shift: null, p: null, verdict: 'withheld' as const };
    render(<Verdict comparison={{ ...base, headline }} />, root);
    expect(shown()).toContain(text.verdict.word.withheld);
    expect(shown()).not.toMatch(/NaN|null|undefined|Infinity/);
    expect(shown()).not.toContain('typical shift');
  });
});

describe('the waterfall', () => {
  it('has a row for every part, those without change too', () => {
    render(<WaterfallView ledger={ledger([ledgerRow(['Kernel'], 100_000_000, 125_000_000), ledgerRow(['Other'], 1, 1)])} words={metricWords('step_time')} selected="" onSelect={() => undefined} onAll={() => undefined} />, root);
    expect([...root.querySelectorAll('button.fall .fall-label')].map((label) => label.textContent)).toEqual(['Kernel', 'Other']);
  });
  it('leaves out parts that a listing cannot have', () => {
    render(<WaterfallView ledger={comparison().ledger} words={metricWords('kernel_time')} selected="" onSelect={() => undefined} onAll={() => undefined} />, root);
    expect([...root.querySelectorAll('button.fall .fall-label')].map((label) => label.textContent)).toEqual(['Kernel']);
  });
  it('says which parts a recording of the CPU alone cannot have, and does not count them as zero', () => {
    const books = { ...ledger([ledgerRow(['Kernel'], 0, 0), ledgerRow(['Other'], 1, 2)]), not_recorded: [['Kernel'], ['Kernel']] as [string[], string[]] };
    render(<WaterfallView ledger={books} words={metricWords('step_time')} selected="" onSelect={() => undefined} onAll={() => undefined} />, root);
    expect(shown()).toContain('Both sides recorded the CPU alone: Kernel not measured.');
  });
  it('puts the change at equal machine speed next to the change as recorded, where it is known', () => {
    const books = ledger([ledgerRow(['CPU Exec'], 80_000_000, 90_000_000), ledgerRow(['Other'], 20_000_000, 40_000_000)]);
    const table = {
      ...PLAIN, title: 'Step time by category',
      columns: [column('category', 'key', 'text'), column('paced_delta_us', 'delta', 'time_us'), column('paced_p', 'plain', 'number')],
      rows: [['CPU Exec', -500, 0.86], ['Other', 15_500, 0.049]] as Cell[][],
    };
    const values = (): string[][] => [...root.querySelectorAll('.fall, .fall-axis')].map((row) => [...row.querySelectorAll(':scope > .fall-value')].map((cell) => cell.textContent?.replace(/[▲▼]/, '') ?? ''));
    render(<WaterfallView ledger={books} table={table} words={metricWords('step_time')} selected="" onSelect={() => undefined} onAll={() => undefined} />, root);
    expect(values().map((row) => row[1])).toEqual(['at equal speed', '', '+15.50\u202fms', '−0.50\u202fms', '+15.00\u202fms']);
    expect(root.querySelector('button.fall > [title*="0.049"]')?.textContent).toBe('▲+15.50\u202fms');
    render(<WaterfallView ledger={books} words={metricWords('step_time')} selected="" onSelect={() => undefined} onAll={() => undefined} />, root);
    expect(values().every((row) => row.length === 1)).toBe(true);
  });
  it('keeps the focus on the first part that it unfolds', () => {
    const parts = ['Kernel', 'Memcpy', 'Memset', 'Other'].map((name, at) => ledgerRow([name], 1000, at === 0 ? 900_000 : 1000 + at));
    act(() => render(<WaterfallView ledger={ledger(parts)} words={metricWords('step_time')} selected="" onSelect={() => undefined} onAll={() => undefined} />, root));
    const labels = (): (string | null)[] => [...root.querySelectorAll('button.fall .fall-label')].map((label) => label.textContent);
    expect(labels()).toEqual(['Kernel', ' 3 other parts']);
    act(() => root.querySelector<HTMLElement>('button.fall.zero')!.click());
    expect(labels()).toEqual(['Kernel', 'Other', 'Memset', 'Memcpy']);
    expect(document.activeElement?.textContent).toContain('Other');
  });
  it('opens a part with its largest entries and an exact rest', () => {
    const entries = Array.from({ length: 12 }, (_, i) => ledgerRow(['Kernel', `k${i}`], 0, (12 - i) * 1000_000));
    const books = ledger([ledgerRow(['Kernel'], 0, 78_000_000), ...entries]);
    render(<Entries ledger={books} words={metricWords('step_time')} category="Kernel" style={timeStyle([78_000])} onAll={() => undefined} />, root);
    const rows = [...root.querySelectorAll('.entries tbody tr')];
    expect(rows.length).toBe(9);
    expect(rows.at(-1)?.textContent).toContain('4 further entries');
    expect(rows.at(-1)?.textContent).toContain('+10.00');
  });
  it('opens an entry with who called it and with which shape; one that is a single thing does not open', () => {
    const books = ledger([
      ledgerRow(['Kernel'], 0, 9), ledgerRow(['Kernel', 'gemm'], 0, 6), ledgerRow(['Kernel', 'gemm', 'aten::mm [[2, 3]]'], 0, 4),
      ledgerRow(['Kernel', 'gemm', '(2 others)'], 0, 2), ledgerRow(['Kernel', 'relu'], 0, 3),
    ]);
    render(<Entries ledger={books} words={metricWords('step_time')} category="Kernel" style={timeStyle([78_000])} onAll={() => undefined} />, root);
    const opener = [...root.querySelectorAll<HTMLButtonElement>('button.entry-open')];
    expect(opener.map((button) => button.textContent)).toEqual(['gemm']);
    act(() => opener[0]!.click());
    expect([...root.querySelectorAll('.entries tr.part td:first-child')].map((cell) => cell.textContent)).toEqual(['aten::mm [[2, 3]]', '(2 others)']);
  });
});

it('links a finding to its evidence, once per table', () => {
  const seen = vi.fn();
  const finding: Finding = {
    rule: 'kernel_time', subject: 'gemm', category: 'Kernel', delta_us: 5, share: 0.5, sentence: 'Kernels take more.', confidence: 'sure', look_at: '',
    evidence: [['kernels', 'gemm'], ['kernels', 'relu'], ['absent', 'x']].map(([table, row]) => ({ table: table!, row: row! })),
  };
  render(<Findings comparison={comparison({ findings: [finding], tables: { kernels: kernels([]) } })} onEvidence={seen} />, root);
  const links = root.querySelectorAll<HTMLButtonElement>('.cause-item .link-button');
  expect(links.length).toBe(1);
  links[0]!.click();
  expect(seen).toHaveBeenCalledWith('kernels', 'gemm');
});

it('opens the caveats when a check failed, and keeps single files within their note', () => {
  const note = (where: string, covered: number) => ({ code: 'iterations', message: `9 steps, ${covered} % of the recording`, where });
  const notes = [note('baseline: a, candidate: b', 90), note('baseline: c', 95)];
  const caveats = [
    { status: 'fail' as const, code: 'step_marker', name: 'step marker', message: 'no markers', weakens: 'the verdict', where: '', notes: [] },
    { status: 'note' as const, code: 'iterations', name: 'iterations', message: '9 steps, 90–95 % of the recording', weakens: '', where: '3 files', notes: [0, 1] },
  ];
  render(<Caveats comparison={comparison({ caveats, notes })} />, root);
  expect(root.querySelector('details')?.open).toBe(true);
  expect([...root.querySelectorAll('.caveats > details > ul > li')].map((item) => item.textContent)).toEqual([
    'failed: step markerNo markers. Less certain: the verdict.',
    'iterations9 steps, 90–95 % of the recording. 3 filesbaseline: a, candidate: b: 9 steps, 90 % of the recording.baseline: c: 9 steps, 95 % of the recording.',
  ]);
});

it('keeps the figures of a row apart from its long texts', () => {
  const [name, a, b] = kernels([]).columns;
  const long = 'sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n';
  const table = { ...kernels([]), columns: [name!, a!, b!, column('baseline_names', 'text', 'text', { label: 'Names A' }), column('candidate_names', 'text', 'text', { label: 'Names B' })], rows: [['mm', 691, 5367, long, 'short']] };
  const nothing = () => undefined;
  render(<RowPanel width={null} leading="" table={table} views={columnViews(table)} row={0} onMove={nothing} onClose={nothing} isPinned={false} onPin={nothing} picture={null}>{null}</RowPanel>, root);
  expect([...root.querySelectorAll('tbody th')].map((line) => line.textContent)).toEqual(['Time']);
  expect([...root.querySelectorAll('.facts-list > div')].map((line) => line.textContent)).toEqual([`Names A${long}`, 'Names Bshort']);
});

it('lists absent tables with their reason after those that are there', () => {
  const notes = [{ code: 'table_absent', message: 'baseline: no stacks', where: 'modules' }, { code: 'table_absent', message: 'candidate: no stacks', where: 'modules' }];
  const tabs = tabsOf(comparison({ tables: { kernels: kernels([]) }, notes }));
  expect(tabs.map((tab) => [tab.id, tab.absent])).toEqual([['summary', ''], ['timelines', ''], ['kernels', ''], ['strict', ''], ['modules', 'no stacks'], ['functions', text.tabs.noFunctions]]);
});

it.each([
  ['kernels_by_launch', 'kernels', 'Baseline: no device events'],
  ['kernels_by_launch', 'kernels (one side only)', 'Baseline: no device events'],
  ['call_tree', 'modules', text.tabs.absentReason],
  ['no_table', 'kernels', undefined],
])('a link to %s of files without %s says why it is absent', (linked, where, reason) => {
  const notes = [{ code: 'table_absent', message: 'baseline: no device events', where }];
  expect(tabsOf(comparison({ notes }), linked).find(({ id }) => id === linked)?.absent).toBe(reason);
});

it('a link to what is there finds it there', () => {
  const books = ledger([ledgerRow(['Kernel'], 0, 1), ledgerRow(['Kernel', 'gemm'], 0, 1), ledgerRow(['Other'], 0, 0)]);
  expect(tabsOf(comparison({ ledger: books }), 'attribution').filter(({ id }) => id === 'attribution').map(({ absent }) => absent)).toEqual(['']);
});

it('names the tables of one note one by one, and the formats that have no strict report', () => {
  const notes = [{ code: 'table_absent', message: 'a listing holds launches only', where: 'operators, modules' }];
  const listing = { ...comparison().baseline, format: 'kernel_listing' };
  const tabs = tabsOf(comparison({ notes, baseline: listing, candidate: listing }));
  expect(tabs.map((tab) => [tab.id, tab.absent])).toEqual([
    ['summary', ''],
    ['operators', 'a listing holds launches only'],
    ['modules', 'a listing holds launches only'],
    ['timelines', text.tabs.untimed(withArticle('kernel_listing'))],
    ['strict', text.strict.refused['kernel_listing']],
  ]);
});

it.each([
  ['step_time', 'per step', 'steps compared', 'Steps'],
  ['cycle_time', 'per cycle', 'cycles compared', 'Cycles'],
  ['kernel_time', 'of kernel time', 'recordings compared', 'Recordings'],
])('a headline of %s is told in its own words', (metric, per, compared, tab) => {
  const base = comparison({ tables: { steps: { ...kernels([]), title: 'Steps' } } });
  const own = { ...base, headline: { ...base.headline, metric } };
  render(<Verdict comparison={own} />, root);
  expect(root.querySelector('h2')?.textContent).toContain(per);
  expect(shown()).toContain(compared);
  expect(tabsOf(own).find(({ id }) => id === 'steps')?.label).toBe(tab);
});

describe('a table of fifty thousand rows', () => {
  const table = kernels(Array.from({ length: 50_001 }, (_, i) => [`kernel_${i}`, i, i + 1, 1, i % 2 ? 'both' : 'added']));
  const views = columnViews(table);
  const rows = table.rows.map((_, index) => index);
  const draw = (selected: number): void =>
    render(
      <Grid table={table} rows={rows} columns={visibleColumns(views, '')} sort={[]} selected={selected} onSort={() => undefined} onSelect={() => undefined} onOpen={() => undefined} />,
      root,
    );
  it('is drawn once where the grid before had the same room', async () => {
    const height = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
    const count = (): number => root.querySelectorAll('.grid-body .row').length;
    draw(-1);
    await vi.waitFor(() => expect(count()).toBeGreaterThan(30));
    const all = count();
    render(null, root);
    draw(-1);
    expect(count()).toBe(all); // before anything was measured
    height.mockReturnValue(0);
    render(null, root);
    draw(-1); // what the grids of other tests have
    height.mockRestore();
  });
  it('marks new rows with a word', () => {
    draw(-1);
    expect(root.querySelector('.grid-body .row .chip-new')?.textContent).toBe('new');
  });
});

it('refuses an answer of another schema', () => {
  expect(() => checked({ schema: 'tb_perfcompare.comparison/2' }, 'tb_perfcompare.comparison/1')).toThrow(SchemaError);
  expect(() => checked(null, 'tb_perfcompare.comparison/1')).toThrow(SchemaError);
});
