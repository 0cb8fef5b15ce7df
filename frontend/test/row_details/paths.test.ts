import { expect, test } from 'vitest';
import type { Comparison, Table } from '../../src/contract/wire';
import { profilerView } from '../../src/host/profiler_views';
import { rowLinks, timelineName } from '../../src/row_details/links';
import { drawn, frameText, labels, informativeFrames, differenceOf } from '../../src/row_details/paths';
import type { RowPaths, PathSplit } from '../../src/contract/sent';

const python = (name: string): RowPaths['frames'][number] => ['python', name, ''];

test('figures are per step; a side without the path has none, and counts as none in the difference', () => {
  expect(differenceOf([6000, 9000], 3, 1000)).toEqual({ a: 2, b: 3, delta: 1 });
  expect(differenceOf([null, 9000], 3, 1000)).toEqual({ a: null, b: 3, delta: 3 });
  expect(differenceOf(undefined, 3, 1000)).toEqual({ a: null, b: null, delta: 0 });
});

test('a Python function is told with the last part of its file', () => {
  expect(frameText(python('/opt/conda/lib/torch/nn/module.py(1130): forward'))).toMatchObject({ text: 'forward', place: 'module.py:1130' });
  expect(frameText(python('C:\\work\\train.py(3): <module>'))).toMatchObject({ text: '<module>', place: 'train.py:3' });
  expect(frameText(python('nn.Module: Linear_0'))).toMatchObject({ text: 'Linear_0', place: '' });
  expect(frameText(['operator', 'odd.py(3): f', 'operators'])).toMatchObject({ text: 'odd.py(3): f', place: '', table: 'operators' });
});

test('the innermost functions of the program tell a stack from others, not those of torch', () => {
  const frames = ['train.py(1): <module>', 'net/model.py(7): forward', 'torch/nn/linear.py(9): forward', '<built-in function linear>'].map((name) => frameText(python(name)));
  expect(informativeFrames(frames).map(({ text }) => text)).toEqual(['<module>', 'forward']);
  expect(informativeFrames(frames.slice(2)).map(({ text }) => text)).toEqual(['forward', '<built-in function linear>']);
  expect(informativeFrames([])).toEqual([]);
});

test('paths that read the same are told apart by the innermost function in which they differ', () => {
  const paths = [['a.py(1): train', 'net.py(7): forward', 'torch/x.py(1): f'], ['a.py(9): test', 'net.py(7): forward', 'torch/x.py(1): f'], ['a.py(1): train', 'other.py(2): g']];
  const found = labels(paths.map((path) => path.map((name) => frameText(python(name)))));
  expect(found.map((frames) => frames.map(({ text }) => text))).toEqual([['train', 'forward'], ['test', 'forward'], ['train', 'g']]);
  const deep = ['one', 'two'].map((last) => [`a.py(1): ${last}`, 'b.py(1): b', 'c.py(1): c', 'd.py(1): d'].map((name) => frameText(python(name))));
  expect(labels(deep).map((frames) => frames.map(({ text }) => text))).toEqual([['one', 'c', 'd'], ['two', 'c', 'd']]);
});

const WAY: PathSplit = {
  way: 'python',
  absent: { baseline: null, candidate: null },
  paths: [
    { frames: [0], calls: [1, 1], times: { '': [1000, 1500], device: [1000, 9000] } },
    { frames: [0, 1], candidate_frames: [0, 2], calls: [1, 1], times: { '': [1000, 3000], device: [0, 0] } },
  ],
  rest: { calls: [0, 0], times: { '': [0, 0], device: [0, 0] }, paths: 0 },
};
const FOUND: RowPaths = {
  schema: 'tb_perfcompare.row_paths/1', version: '0', table: 'kernels', row: 'gemm', denominator: 1,
  measures: [{ name: '', label: 'Operators' }],
  total: { calls: [2, 2], times: {} },
  frames: [python('a.py(1): f'), python('b.py(2): g'), python('b.py(5): g')],
  ways: [WAY],
  related: [],
  call_tree: null, callees: null, durations: null, short_names: {},
};

test('paths are in the order of the shown time, and say where the other side differs', () => {
  const paths = drawn(FOUND, WAY, '').paths;
  expect(paths.map(({ time }) => time.delta)).toEqual([2, 0.5]);
  expect([...paths[0]!.others]).toEqual([[1, 'b.py:5']]);
  expect(drawn(FOUND, WAY, 'device').paths.map(({ time }) => time.delta)).toEqual([8, 0]);
});

test('a rest is drawn where there is one: time, calls or paths', () => {
  expect(drawn(FOUND, WAY, '').rest).toBeNull();
  expect(drawn(FOUND, { ...WAY, rest: { ...WAY.rest, calls: [0, 3] } }, '').rest?.calls.b).toBe(3);
  expect(drawn(FOUND, { ...WAY, rest: { ...WAY.rest, paths: 2 } }, '').rest?.paths).toBe(2);
});

const COMPARISON = {
  tables: { kernels: { categories: ['Kernel', 'Communication'] } },
  findings: [
    { rule: 'entity', subject: 'gemm', sentence: 'gemm is slower.', evidence: [{ table: 'kernels', row: 'gemm' }] },
    { rule: 'other', subject: 'x', sentence: 'x is slower.', evidence: [{ table: 'kernels', row: 'x' }] },
    { rule: 'part', subject: 'y', sentence: 'The part is slower.', evidence: [{ table: 'ledger', row: 'Kernel / gemm' }] },
  ],
} as unknown as Comparison;
const column = (name: string) => ({ name, label: name, unit: '', better: 'none', description: '', role: 'key', kind: 'text', shown: true });
const ATTRIBUTION = { title: '', columns: [column('entry'), column('part')], rows: [['gemm', 'Kernel']], notes: [] } as unknown as Table;
const TABS = [{ id: 'timelines', label: '', absent: '', count: null }] as unknown as Parameters<typeof rowLinks>[1];

test('links lead only to what is there', () => {
  const found = rowLinks(COMPARISON, TABS, ATTRIBUTION, 'kernels', 'gemm');
  expect(found.map(({ what, change }) => [what, change.tab, change.row ?? change.q])).toEqual([
    ['attribution', 'attribution', 'gemm › Kernel'],
    ['finding', '', 'entity › gemm'],
    ['finding', '', 'part › y'],
    ['timelines', 'timelines', 'gemm'],
  ]);
  expect(rowLinks(COMPARISON, [], ATTRIBUTION, 'kernels', 'other')).toEqual([]);
  // a name that the search would read as something else is not searched for
  expect(rowLinks(COMPARISON, TABS, ATTRIBUTION, 'kernels', '-x')).toEqual([]);
});

test('a finding leads to the events that its evidence names', () => {
  const names = COMPARISON.findings.map((finding) => timelineName(COMPARISON, finding));
  expect(names).toEqual(['gemm', 'x', 'gemm']);
  const about = (table: string, row: string) => timelineName(COMPARISON, { ...COMPARISON.findings[0]!, evidence: [{ table, row }] });
  expect([about('steps', '3'), about('kernels', '-x'), about('ledger', 'Other / (not covered)')]).toEqual(['', '', '']);
});

test('a row is looked for in the view of the PyTorch Profiler tab that has such rows', () => {
  expect(profilerView({ table: 'kernels_by_operator', row: 'gemm › aten::mm' })).toEqual({
    value: 'Kernel',
    label: 'GPU Kernel',
    search: [{ field: 'Search by Kernel Name', name: 'gemm' }, { field: 'Search by Operator Name', name: 'aten::mm' }],
  });
  expect(profilerView({ table: 'operators_by_shape', row: 'aten::mm › [[1]]' })?.search).toEqual([{ field: 'Search by Name', name: 'aten::mm' }]);
  expect(profilerView({ table: 'modules', row: 'Net_0' })?.search).toEqual([]);
  expect(profilerView({ table: 'counters', row: 'x' })).toBeNull();
});
