// The views of a comparison and the tables in each, by kind of row and grouping.

import { MADE_OF, VIEWS } from './contract/constants';
import { roleAt, type Table } from './contract/wire';
import { SUMMARY, type Tab } from './host/tab';
import { text } from './ui/strings';

/** A kind of row, and the tabs that group such rows in different ways. */
export interface Rows {
  label: string;
  tabs: Tab[];
}

export interface View {
  /** the id of its tab's element */
  id: string;
  label: string;
  /** kinds of rows that can be shown; [] if the view has nothing to show */
  rows: Rows[];
  /** tabs that cannot be shown, each with its reason */
  absent: Tab[];
}

/** Tables that have no tab of their own but are drawn above another and exported, with the tab that a link to them opens. */
export const DRAWN: Record<string, string> = { memory_curves: 'memory' };
const MATCHED = 'alignment';

/** [view, [kind of row, its tables]]; any other table is a further kind of row in the breakdown. */
const PLACES = Object.entries(VIEWS).map(([view, kinds]): [string, [string, string[]][]] => [view, Object.entries(kinds).map(([rows, tables]) => [rows, Object.keys(tables)])]);
const BREAKDOWN = PLACES[1]![0];

/** Table -> what groups its rows, "" for its title. */
const GROUPS: Record<string, string> = Object.assign({}, ...Object.values(VIEWS).flatMap((kinds) => Object.values(kinds)));

/** What groups the rows of a tab's table. */
export const groupOf = (tab: Tab): string => GROUPS[tab.id] || tab.label;

/** Whether fewer than half of the kernels, among the rows sent with the comparison, have the same name on both sides. A table
    by name then lists most of them as new or gone, so the one that matches them by their work comes first. */
export function areRenamed(kernels: Table | undefined): boolean {
  const status = roleAt(kernels, 'status');
  if (!kernels || status < 0) return false;
  return 2 * kernels.rows.filter((cells) => cells[status] === 'both').length < kernels.rows.length;
}

/** The table whose absence explains that of this one; undefined if this is not a table's name. */
export function reasonOf(table: string): string | undefined {
  return kindOf(table) && ((MADE_OF as Record<string, string>)[table] ?? table);
}

/** The [kind of row, its tables] that contains this table. */
function kindOf(table: string): [string, string[]] | undefined {
  return PLACES.flatMap(([, kinds]) => kinds).find(([, ids]) => ids.includes(table));
}

/** The views. If kernels are `renamed`, the table that matches them by their work comes first. */
export function viewsOf(tabs: Tab[], renamed = false): View[] {
  const placed = new Set([...Object.keys(DRAWN), ...PLACES.flatMap(([, kinds]) => kinds.flatMap(([, ids]) => ids))]);
  return PLACES.map(([label, kinds], at) => {
    const own = label === BREAKDOWN ? [...kinds, ...tabs.filter((tab) => !placed.has(tab.id)).map((tab): [string, string[]] => [tab.label, [tab.id]])] : kinds;
    const order = (ids: string[]): string[] => (renamed && ids.includes(MATCHED) ? [MATCHED, ...ids.filter((name) => name !== MATCHED)] : ids);
    const some = own.map(([rows, ids]) => ({ label: rows, tabs: order(ids).flatMap((name) => tabs.filter((tab) => tab.id === name)) }));
    return {
      id: `view-${at}`,
      label,
      rows: some
        .map((rows) => ({ ...rows, tabs: rows.tabs.filter((tab) => tab.absent === '') }))
        .filter((rows) => rows.tabs.length > 0)
        .map((rows) => ({ ...rows, label: rows.label || rows.tabs[0]!.label })),
      absent: some.flatMap((rows) => rows.tabs.flatMap((tab) => (tab.absent === '' ? [] : [{ ...tab, label: chosenBy(tab) }]))),
    };
  });
}

/** Label of an absent table, as the controls would name it: its kind of row, and its grouping unless that is the first. */
export function chosenBy(tab: Tab): string {
  const [rows, ids] = kindOf(tab.id) ?? ['', []];
  return rows === '' ? tab.label : ids[0] === tab.id ? rows : text.views.grouped(rows, groupOf(tab));
}

/** The view that contains a tab, else the first view. */
export function viewOf(views: View[], tab: string): View {
  return views.find((view) => [...view.rows.flatMap((rows) => rows.tabs), ...view.absent].some(({ id }) => id === tab)) ?? views[0]!;
}

/** The tab that a view shows first; if none can be shown, one that says why it is absent. */
export function firstOf(view: View): string {
  return (view.rows[0]?.tabs[0] ?? view.absent[0])?.id ?? SUMMARY;
}
