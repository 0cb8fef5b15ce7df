// Links from a row to other places in the comparison that show the same subject; needs no request.

import type { Comparison, Finding, Table } from '../contract/wire';
import { type Tab, ATTRIBUTION, TIMELINES } from '../host/tab';
import type { Change } from '../host/use_address';
import { findingKey } from '../summary/findings';
import { findRow, joinKey } from '../table/data/rows';

export interface RowLink {
  what: 'attribution' | 'finding' | 'timelines';
  /** text of the link: a finding's sentence */
  about: string;
  change: Change;
}

/** Separates the key columns in a row's key. */
const BETWEEN = ' › ';

/** Whether a name can be searched for: the search must not read it as an exclusion, regular expression or quotation. */
function searchable(name: string): boolean {
  return name !== '' && !/^[-/"]/.test(name);
}

export function rowLinks(comparison: Comparison, tabs: Tab[], attribution: Table, table: string, row: string): RowLink[] {
  const links: RowLink[] = [];
  const [name = ''] = row.split(BETWEEN);
  const categories = comparison.tables[table]?.categories ?? [];
  for (const category of categories) {
    const key = joinKey([name, category]);
    if (findRow(attribution, key) >= 0) links.push({ what: 'attribution', about: category, change: { tab: ATTRIBUTION, min: 0, row: key } });
  }
  const entries = new Set(categories.map((category) => `${category} / ${name}`));
  for (const finding of comparison.findings) {
    const names = finding.evidence.some((one) => (one.table === table && one.row === row) || (one.table === 'ledger' && entries.has(one.row)));
    if (names) links.push({ what: 'finding', about: finding.sentence, change: { tab: '', row: findingKey(finding) } });
  }
  const timelines = tabs.some((tab) => tab.id === TIMELINES && tab.absent === '');
  if (timelines && searchable(name) && categories.length > 0) links.push({ what: 'timelines', about: name, change: { tab: TIMELINES, q: name } });
  return links;
}

/** Name of the events in the step timelines that a finding is about; "" if its evidence names none. */
export function timelineName(comparison: Comparison, finding: Finding): string {
  for (const { table, row } of finding.evidence) {
    const isEvent = table === 'ledger' || (comparison.tables[table ?? '']?.categories.length ?? 0) > 0;
    const name = table === 'ledger' ? row.slice(row.indexOf(' / ') + 3) : row.split(BETWEEN)[0]!;
    if (isEvent && !name.startsWith('(') && searchable(name)) return name;
  }
  return '';
}
