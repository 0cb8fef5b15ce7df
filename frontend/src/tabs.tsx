// The views of a comparison: the summary, and one tab per table. A table that is absent is listed with the reason.

import { useRef } from 'preact/hooks';
import { Menu } from './menu';
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
  'categories', 'operators', 'operators_by_shape', 'kernels', 'modules', 'communication', 'memory', 'memcpy', 'bound',
  'counters',
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
  const reasons = new Map<string, string[]>();
  for (const note of comparison.notes)
    if (note.code === 'table_absent' && note.where !== '' && !given.includes(note.where) && !/[ (]/.test(note.where))
      reasons.set(note.where, [...(reasons.get(note.where) ?? []), note.message]);
  const absent: Tab[] = [...reasons].map(([name, told]) => ({
    id: name,
    label: text.tabs.names[name] ?? name,
    count: null,
    absent: reasonText(told),
  }));
  const entries = comparison.ledger.rows.filter((row) => row.path.length === 2).length;
  const attribution: Tab[] = entries > 0 ? [{ id: ATTRIBUTION, label: text.tabs.attribution, count: entries, absent: '' }] : [];
  return [{ id: SUMMARY, label: text.tabs.summary, count: null, absent: '' }, ...attribution, ...present, ...absent];
}

/** What both sides say is said once. */
function reasonText(told: string[]): string {
  const plain = told.map((message) => message.replace(/^(baseline|candidate): /, ''));
  return (new Set(plain).size === 1 ? plain.slice(0, 1) : told).join('; ');
}

interface Props {
  tabs: Tab[];
  current: string;
  onChoose: (id: string) => void;
}

/** A tab list with one tab stop; arrow keys, Home and End move and choose. What is absent is listed behind it. */
export function Tabs({ tabs, current, onChoose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const present = tabs.filter((tab) => tab.absent === '');
  const absent = tabs.filter((tab) => tab.absent !== '');
  const focusable = present.some((tab) => tab.id === current) ? current : SUMMARY;
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = present.findIndex((tab) => tab.id === current);
    const moves: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: present.length - 1 };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const place = (next + present.length) % present.length;
    onChoose(present[place]!.id);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[place]?.focus();
  };
  return (
    <div class="tab-bar">
      <div class="tabs" role="tablist" aria-label={text.tabs.region} ref={list} onKeyDown={onKeyDown}>
        {present.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`tab-${tab.id}`}
            aria-selected={tab.id === current}
            aria-controls="view"
            tabIndex={tab.id === focusable ? 0 : -1}
            class="tab"
            onClick={() => onChoose(tab.id)}
          >
            {tab.label}
            {tab.count !== null && <span class="count">{tab.count.toLocaleString()}</span>}
          </button>
        ))}
      </div>
      {absent.length > 0 && (
        <Menu class="absent-tabs" label={text.tabs.absentCount(absent.length)} align="right">
          {() => (
            <ul class="absent-list">
              {absent.map((tab) => (
                <li key={tab.id}>
                  <span class="absent-name">{tab.label}</span>
                  <p class="muted">{tab.absent}</p>
                </li>
              ))}
            </ul>
          )}
        </Menu>
      )}
    </div>
  );
}
