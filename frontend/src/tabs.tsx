// The views of a comparison: the summary, and one tab per table. A table that is absent stays, with the reason.

import { useRef } from 'preact/hooks';
import { text } from './strings';
import type { Comparison } from './wire';

export interface Tab {
  id: string;
  label: string;
  /** rows of the table, null where there is none to count */
  count: number | null;
  /** why it cannot be shown, "" if it can */
  absent: string;
}

export const SUMMARY = 'summary';
export const ATTRIBUTION = 'attribution';

const ORDER = [
  'categories', 'operators', 'operators_by_shape', 'kernels', 'modules', 'communication', 'memory', 'memcpy', 'counters',
  'steps', 'device', 'environment', 'recommendations',
];

/** What the server gives, in a fixed order; then unknown tables; absent ones last. */
export function tabsOf(comparison: Comparison): Tab[] {
  const given = Object.keys(comparison.tables);
  const named = [...ORDER.filter((name) => given.includes(name)), ...given.filter((name) => !ORDER.includes(name))];
  const present: Tab[] = named.map((name) => {
    const table = comparison.tables[name]!;
    return { id: name, label: text.tabs.names[name] ?? table.title, count: table.rows.length, absent: '' };
  });
  const reasons = new Map<string, string>();
  for (const note of comparison.notes)
    if (note.code === 'table_absent' && note.where !== '' && !given.includes(note.where) && !reasons.has(note.where))
      reasons.set(note.where, note.message);
  const absent: Tab[] = [...reasons].map(([name, reason]) => ({ id: name, label: text.tabs.names[name] ?? name, count: null, absent: reason }));
  const entries = comparison.ledger.rows.filter((row) => row.path.length === 2).length;
  const attribution: Tab[] = entries > 0 ? [{ id: ATTRIBUTION, label: text.tabs.attribution, count: entries, absent: '' }] : [];
  return [{ id: SUMMARY, label: text.tabs.summary, count: null, absent: '' }, ...attribution, ...present, ...absent];
}

interface Props {
  tabs: Tab[];
  current: string;
  onChoose: (id: string) => void;
}

/** A tab list with one tab stop; arrow keys, Home and End move and choose. */
export function Tabs({ tabs, current, onChoose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === current);
    const moves: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const place = (next + tabs.length) % tabs.length;
    onChoose(tabs[place]!.id);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[place]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={text.tabs.region} ref={list} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={`tab-${tab.id}`}
          aria-selected={tab.id === current}
          aria-controls="view"
          tabIndex={tab.id === current ? 0 : -1}
          class={tab.absent ? 'tab absent' : 'tab'}
          title={tab.absent}
          onClick={() => onChoose(tab.id)}
        >
          {tab.label}
          {tab.absent ? <span class="count">–</span> : tab.count !== null && <span class="count">{tab.count.toLocaleString()}</span>}
        </button>
      ))}
    </div>
  );
}
