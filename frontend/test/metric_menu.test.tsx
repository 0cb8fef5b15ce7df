import { render } from 'preact';
import { afterEach, expect, test } from 'vitest';
import type { Column, Table } from '../src/contract/wire';
import { MetricMenu } from '../src/metric_menu';
import { column, PLAIN } from './samples';

const root = document.createElement('div');
afterEach(() => render(null, root));

const times = (of: string, label: string): Column[] => [
  column(`baseline_${of}us`, 'baseline', 'time_us', { label: `${label} A` }), column(`candidate_${of}us`, 'candidate', 'time_us', { label: `${label} B` }), column(`${of}delta_us`, 'delta', 'time_us'),
];
const table = (...columns: Column[]): Table => ({ ...PLAIN, title: '', columns: [column('name', 'key', 'text'), column('baseline_calls', 'plain', 'count'), column('candidate_calls', 'plain', 'count'), ...columns], rows: [['x', 1, 1, ...columns.map(() => 5)]] });

const options = (id: string, shown: Table): string[] => {
  render(<MetricMenu id={id} table={shown} metric="" sort="" onMetric={() => {}} />, root);
  return [...root.querySelectorAll('option')].map((option) => `${option.textContent}${option.disabled ? ' (cannot be chosen)' : ''}`);
};

test('a table with exposed time offers it first', () => {
  expect(options('operators', table(...times('', 'Host self'), ...times('exposed_', 'Exposed')))).toEqual(['Exposed', 'Host self']);
});

test('a table that could have it says why it has none, even where there is no other choice', () => {
  expect(options('kernels_by_launch', table(...times('', 'Time')))).toEqual(['Time', 'Exposed: not known by launch configuration, only by kernel and operator (cannot be chosen)']);
  expect(options('operators', table(...times('', 'Host self')))[1]).toMatch(/^Exposed: not measured/);
});

test('one time of something that is never exposed is no choice', () => {
  expect(options('critical_path', table(...times('', 'Time')))).toEqual([]);
});

test('the times of frames say that they are exposed', () => {
  expect(options('call_tree', table(...times('', ''), ...times('own_', 'Own')))).toEqual(['Exposed, with frames below', 'Exposed, own']);
});

test('a time that no row has is no choice', () => {
  const both = table(...times('', 'Host self'), ...times('device_', 'Device self'));
  expect(options('functions', { ...both, rows: [['x', 1, 1, 5, 6, 1, 0, null, null]] })).toEqual([]);
});
