// The six views of a comparison and the tables in each, by kind of row and grouping.

import { roleAt, type Table } from './contract/wire';
import { ATTRIBUTION, STRICT, SUMMARY, TIMELINES, type Tab } from './host/tab';
import { text } from './ui/strings';

/** A kind of row, and the tabs that group such rows in different ways. */
export interface Rows {
  id: string;
  label: string;
  tabs: Tab[];
}

export interface View {
  id: string;
  label: string;
  /** kinds of rows that can be shown; [] if the view has nothing to show */
  rows: Rows[];
  /** tabs that cannot be shown, each with its reason */
  absent: Tab[];
}

const BREAKDOWN = 'breakdown';

/** Tables that have no tab of their own but are drawn above another and exported, with the tab that a link to them opens. */
export const DRAWN: Record<string, string> = { memory_curves: 'memory' };
const MATCHED = 'alignment';

/** Tables derived from another one's data, which are absent for the same reason as that one. */
const MADE_OF: Record<string, string> = {
  kernels_by_operator: 'kernels', kernels_by_module: 'kernels', kernels_by_type: 'kernels', kernels_by_launch: 'kernels', alignment: 'kernels', device: 'kernels',
  operators_by_type: 'operators_by_shape', work_by_family: 'operators_by_shape', call_tree: 'operators',
  communication_by_message: 'communication', memory_operators: 'memory',
};

/** [view, [kind of row, its tabs]] in display order; any other table is a further kind of row in the breakdown. */
const PLACES: [string, [string, string[]][]][] = [
  ['summary', [['summary', [SUMMARY]]]],
  [
    BREAKDOWN,
    [
      ['everything', [ATTRIBUTION, 'categories', 'device_timeline', 'critical_path', 'common_work', 'without_interruptions']],
      ['kernels', ['kernels', 'kernels_by_operator', 'kernels_by_module', 'kernels_by_type', 'kernels_by_launch', 'kernel_metrics', 'alignment', 'launches', 'bound']],
      ['operators', ['operators', 'operators_by_shape', 'operators_by_type', 'work_by_family', 'measured_work', 'call_tree']],
      ['modules', ['modules', 'modules_ledger']],
      ['collectives', ['communication', 'communication_by_message']],
      ['copies', ['memcpy']],
      ['functions', ['functions']],
    ],
  ],
  ['timeline', [['timeline', [TIMELINES]]]],
  ['memory', [['memory', ['memory', 'memory_operators']]]],
  ['steps', [['steps', ['steps']], ['ranks', ['ranks']]]],
  ['info', [['environment', ['environment']], ['device', ['device']], ['counters', ['counters']], ['recommendations', ['recommendations']], ['strict', [STRICT]]]],
];

/** Whether fewer than half of the kernels, among the rows sent with the comparison, have the same name on both sides. A table
    by name then lists most of them as new or gone, so the one that matches them by their work comes first. */
export function areRenamed(kernels: Table | undefined): boolean {
  const status = roleAt(kernels, 'status');
  if (!kernels || status < 0) return false;
  return 2 * kernels.rows.filter((cells) => cells[status] === 'both').length < kernels.rows.length;
}

/** The table whose absence explains that of this one; undefined if this is not a table's name. */
export function reasonOf(table: string): string | undefined {
  return kindOf(table) && (MADE_OF[table] ?? table);
}

/** The [kind of row, its tables] that contains this table. */
function kindOf(table: string): [string, string[]] | undefined {
  return PLACES.flatMap(([, kinds]) => kinds).find(([, ids]) => ids.includes(table));
}

/** The six views. If kernels are `renamed`, the table that matches them by their work comes first. */
export function viewsOf(tabs: Tab[], renamed = false): View[] {
  const placed = new Set([...Object.keys(DRAWN), ...PLACES.flatMap(([, kinds]) => kinds.flatMap(([, ids]) => ids))]);
  return PLACES.map(([id, kinds]) => {
    const own: [string, string[]][] = id === BREAKDOWN ? [...kinds, ...tabs.filter((tab) => !placed.has(tab.id)).map((tab): [string, string[]] => [tab.id, [tab.id]])] : kinds;
    const order = (ids: string[]): string[] => (renamed && ids.includes(MATCHED) ? [MATCHED, ...ids.filter((name) => name !== MATCHED)] : ids);
    const some = own.map(([rows, ids]) => ({ id: rows, tabs: order(ids).flatMap((name) => tabs.filter((tab) => tab.id === name)) }));
    return {
      id,
      label: text.views.names[id]!,
      rows: some
        .map((rows) => ({ ...rows, tabs: rows.tabs.filter((tab) => tab.absent === '') }))
        .filter((rows) => rows.tabs.length > 0)
        .map((rows) => ({ ...rows, label: text.views.rows[rows.id] ?? rows.tabs[0]!.label })),
      absent: some.flatMap((rows) => rows.tabs.flatMap((tab) => (tab.absent === '' ? [] : [{ ...tab, label: chosenBy(tab) }]))),
    };
  });
}

/** Label of an absent table, as the controls would name it: its kind of row, and its grouping unless that is by name. */
export function chosenBy(tab: Tab): string {
  const { rows: names, groups, grouped } = text.views;
  const rows = kindOf(tab.id)?.[0] ?? tab.id;
  const [name, group] = [names[rows], groups[tab.id]];
  return name && group && group !== groups['kernels'] ? grouped(name, group) : (name ?? tab.label);
}

/** The view that contains a tab, else the first view. */
export function viewOf(views: View[], tab: string): View {
  return views.find((view) => [...view.rows.flatMap((rows) => rows.tabs), ...view.absent].some(({ id }) => id === tab)) ?? views[0]!;
}

/** The tab that a view shows first; if none can be shown, one that says why it is absent. */
export function firstOf(view: View): string {
  return (view.rows[0]?.tabs[0] ?? view.absent[0])?.id ?? SUMMARY;
}
