// Where else in the comparison the subject of a row is: links that the page can make by itself.

import type { Comparison, Table } from '../contract/wire';
import { type Tab, ATTRIBUTION, TIMELINES } from '../host/tab';
import type { Change } from '../host/use_address';
import { findingKey } from '../summary/findings';
import { findRow, joinKey } from '../table/rows';

export interface RowLink {
  what: 'attribution' | 'finding' | 'timelines';
  /** what is told beside it: a finding's sentence */
  about: string;
  change: Change;
}

const CATEGORIES: Record<string, string[]> = {
  operators: ['CPU Exec'],
  kernels: ['Kernel', 'Communication'],
  memcpy: ['Memcpy', 'Memset'],
  communication: ['Communication'],
};

/** Between the key columns of a row. */
const BETWEEN = ' › ';

/** What is looked for by name: a search of words must not read it as something else. */
function searchable(name: string): boolean {
  return name !== '' && !/^[-/"]/.test(name);
}

export function rowLinks(comparison: Comparison, tabs: Tab[], attribution: Table, table: string, row: string): RowLink[] {
  const links: RowLink[] = [];
  const [name = ''] = row.split(BETWEEN);
  for (const category of CATEGORIES[table] ?? []) {
    const key = joinKey([name, category]);
    if (findRow(attribution, key) >= 0) links.push({ what: 'attribution', about: category, change: { tab: ATTRIBUTION, min: 0, row: key } });
  }
  const entries = new Set((CATEGORIES[table] ?? []).map((category) => `${category} / ${name}`));
  for (const finding of comparison.findings) {
    const names = finding.evidence.some((one) => (one.table === table && one.row === row) || (one.table === 'ledger' && one.row !== undefined && entries.has(one.row)));
    if (names) links.push({ what: 'finding', about: finding.sentence, change: { tab: '', row: findingKey(finding) } });
  }
  const timelines = tabs.some((tab) => tab.id === TIMELINES && tab.absent === '');
  if (timelines && searchable(name) && SEARCHED.has(table)) links.push({ what: 'timelines', about: name, change: { tab: TIMELINES, q: name } });
  return links;
}

/** Tables whose rows are events of a step by their names. */
const SEARCHED = new Set(['operators', 'kernels', 'memcpy', 'communication', 'kernels_by_operator']);

