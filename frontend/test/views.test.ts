import { expect, test } from 'vitest';
import type { Tab } from '../src/host/tab';
import { areRenamed, viewsOf } from '../src/views';
import { kernels } from './samples';

const tabs: Tab[] = ['kernels', 'alignment'].map((id) => ({ id, label: id, absent: '' }));
const firstOfKernels = (renamed: boolean): string => viewsOf(tabs, renamed)[1]!.rows[0]!.tabs[0]!.id;

test('kernels are renamed when fewer than half have a counterpart of the same name', () => {
  const rows = (both: number, apart: number) =>
    kernels([...Array(both + apart).keys()].map((n) => (n < both ? [`k${n}`, 1, 1, 0, 'both'] : [`k${n}`, 1, null, -1, 'removed'])));
  expect([rows(1, 2), rows(1, 1), rows(0, 0), undefined].map(areRenamed)).toEqual([true, false, false, false]);
});

test('what is only drawn and exported is no table of a view', () => {
  const all: Tab[] = ['memory', 'memory_operators', 'memory_curves', 'environment', 'strict'].map((id) => ({ id, label: id, absent: '' }));
  const views = viewsOf(all);
  expect(views.find(({ label }) => label === 'Memory')!.rows.flatMap(({ tabs: own }) => own.map(({ id }) => id))).toEqual(['memory', 'memory_operators']);
  expect(views.flatMap(({ rows }) => rows.map(({ label }) => label))).not.toContain('memory_curves');
});

test('matched work comes first where kernels are renamed', () => {
  expect([firstOfKernels(false), firstOfKernels(true)]).toEqual(['kernels', 'alignment']);
});

test('what is absent is called as a reader would choose it', () => {
  const all: Tab[] = ['kernels_by_module', 'modules', 'modules_ledger', 'communication', 'memcpy', 'functions'].map((id) => ({ id, label: id, absent: 'no such calls' }));
  expect(viewsOf(all)[1]!.absent.map(({ label }) => label)).toEqual(['Kernels by module', 'Modules', 'Modules by part of the step', 'Collectives', 'Copies', 'Functions']);
});
