// The tabs of a comparison: the summary and its tables, in views. Absent tables are listed with the reason.

import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Comparison, Table } from './contract/wire';
import { ATTRIBUTION, STRICT, SUMMARY, TIMELINES, type Tab } from './host/tab';
import { withArticle } from './pair/selection';
import { isSplit } from './summary/ledger';
import { Fold } from './ui/controls/fold';
import { Menu } from './ui/controls/menu';
import { Segments } from './ui/controls/segments';
import { Select } from './ui/controls/select';
import { Toolbar } from './ui/controls/toolbar';
import { Lazy } from './ui/lazy';
import { sentence, text } from './ui/strings';
import { useWidth } from './ui/use_width';
import { firstOf, groupOf, reasonOf, viewOf, type View } from './views';

/** Formats that the strict report supports: those with functions in cycles or steps. */
const STRICT_FORMATS = ['perf_data', 'torch_profiler_trace'];

/** The only format with timestamped events, which the step timelines need. */
const TIMED_FORMAT = 'torch_profiler_trace';
const FUNCTIONS = 'functions';

/** Tabs for the server's tables and for the table that a link names, absent ones last. views.ts orders them. */
export function tabsOf(comparison: Comparison, linked = ''): Tab[] {
  const given = Object.keys(comparison.tables);
  const present: Tab[] = Object.entries(comparison.tables).map(([name, table]) => ({
    id: name, label: (name === 'steps' && text.tabs.steps[comparison.headline.metric]) || table.title, title: table.title, absent: '',
  }));
  const reasons = absentReasons(comparison, given);
  const refused = reasons.get(STRICT) ?? strictReason(comparison);
  const strict: Tab = { id: STRICT, label: text.tabs.strict, absent: reasonText(refused) };
  reasons.delete(STRICT);
  const traces = [comparison.baseline, comparison.candidate].every((side) => side.format === TIMED_FORMAT);
  // the server leaves this table out without a note
  if (traces && !given.includes(FUNCTIONS) && !reasons.has(FUNCTIONS)) reasons.set(FUNCTIONS, [text.tabs.noFunctions]);
  const absent: Tab[] = [...reasons].map(([name, reason]) => ({ id: name, label: name, absent: reasonText(reason) }));
  const entries = comparison.ledger.rows.filter((row) => row.path.length === 2).length;
  const attribution: Tab[] = entries > 0 && isSplit(comparison.ledger) ? [{ id: ATTRIBUTION, label: text.tabs.attribution, absent: '' }] : [];
  const views = [{ id: SUMMARY, label: text.tabs.summary, absent: '' }, ...attribution, ...present];
  const like = [STRICT, TIMELINES, ...reasons.keys(), ...views.map(({ id }) => id)].includes(linked) ? undefined : reasonOf(linked);
  if (like !== undefined) absent.push({ id: linked, label: linked, absent: reasonText(absentReasons(comparison, []).get(like) ?? [text.tabs.absentReason]) });
  const untimed = [comparison.baseline, comparison.candidate].find((side) => side.format !== TIMED_FORMAT);
  const timelines: Tab = { id: TIMELINES, label: text.tabs.timelines, absent: untimed ? text.tabs.untimed(withArticle(untimed.format)) : '' };
  if (!untimed) views.splice(1 + attribution.length, 0, timelines);
  const missing = untimed ? [...absent, timelines] : absent;
  return strict.absent === '' ? [...views, strict, ...missing] : [...views, ...missing, strict];
}

/** Table -> why each side lacks it, from the server's notes; one note may name several tables. */
function absentReasons(comparison: Comparison, given: string[]): Map<string, string[]> {
  const reasons = new Map<string, string[]>();
  for (const note of comparison.notes) {
    const names = note.where.replace(' (one side only)', '').split(', ');
    if (note.code !== 'table_absent' || !names.every((name) => /^\w+$/.test(name))) continue;
    for (const name of names) if (!given.includes(name)) reasons.set(name, [...(reasons.get(name) ?? []), note.message]);
  }
  return reasons;
}

/** Why this pair has no strict report; [] if it has one. */
function strictReason({ baseline, candidate }: Comparison): string[] {
  const refused = [baseline.format, candidate.format].find((format) => !STRICT_FORMATS.includes(format));
  return refused === undefined ? [] : [text.strict.refused[refused] ?? text.strict.notFor(withArticle(refused))];
}

/** Joins the sides' reasons: one that both give is written once, one that only one side gives names that side. */
function reasonText(messages: string[]): string {
  const plain = messages.map((message) => message.replace(/^(baseline|candidate): /, ''));
  if (messages.length > 1 && new Set(plain).size === 1) return plain[0]!;
  return messages.join('; ').replace(/^(baseline|candidate):/, (side) => `${side[0]!.toUpperCase()}${side.slice(1)}`);
}

interface Props {
  views: View[];
  current: string;
  /** the table that is shown, with metric and sort order as in the address */
  table: Table | undefined;
  metric: string;
  sort: string;
  onChoose: (id: string) => void;
  onMetric: (metric: string) => void;
}

/** A tab list with one tab stop, followed by the view's choices; arrow keys, Home and End move and select. */
export function Tabs({ views, current, table, metric, sort, onChoose, onMetric }: Props) {
  const [list, width] = useWidth();
  const last = useRef<Record<string, string>>({});
  const shown = viewOf(views, current);
  if (shown.rows.some((rows) => rows.tabs.some(({ id }) => id === current))) last.current[shown.id] = current;
  useLayoutEffect(() => {
    // if the tabs are one scrolling row, scrolls the selected one into view
    const [bar, chosen] = [list.current, list.current?.querySelector<HTMLElement>('[aria-selected=true]')];
    if (bar && chosen && bar.scrollWidth > bar.clientWidth) bar.scrollLeft = chosen.offsetLeft - bar.offsetLeft - (bar.clientWidth - chosen.offsetWidth) / 2;
  }, [shown.id, width]);
  const choose = (view: View): void => {
    const before = last.current[view.id];
    const there = view.rows.some((rows) => rows.tabs.some(({ id }) => id === before));
    onChoose(there && before !== undefined ? before : firstOf(view));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = views.indexOf(shown);
    const moves: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: views.length - 1 };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const place = (next + views.length) % views.length;
    choose(views[place]!);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[place]?.focus();
  };
  return (
    <div class="tab-bar wrap">
      <div class="tabs" role="tablist" aria-label={text.views.region} ref={list} onKeyDown={onKeyDown}>
        {views.map((view) => (
          <button
            key={view.id}
            type="button"
            role="tab"
            id={view.id}
            aria-selected={view === shown}
            aria-controls="view"
            tabIndex={view === shown ? 0 : -1}
            class={`tab hover inset${view.rows.length > 0 ? '' : ' tab-empty'}`}
            onClick={() => choose(view)}
          >
            {view.label}
          </button>
        ))}
      </div>
      <Choices view={shown} current={current} onChoose={onChoose}>
        {table && <Lazy load={loadMetrics} height={0} props={{ id: current, table, metric, sort, onMetric }} />}
      </Choices>
    </div>
  );
}

/** Choices of the rows that a view shows and of their grouping; nothing if there is no choice. */
function Choices({ view, current, onChoose, children }: { view: View; current: string; onChoose: (id: string) => void; children: preact.ComponentChildren }) {
  const kind = view.rows.find((rows) => rows.tabs.some((tab) => tab.id === current));
  // the strict report is opened from the Export menu, so listed here only while it is shown
  const kinds = view.rows.filter((rows) => rows.tabs[0]!.id !== STRICT || rows === kind || view.rows.length === 1);
  if (kinds.length < 2 && (kind?.tabs.length ?? 0) < 2 && !children && (view.absent.length === 0 || view.rows.length === 0)) return null;
  const shown = kind?.tabs.find((tab) => tab.id === current);
  return (
    <Toolbar class={`choices wrap${kinds.length > 3 ? ' choices-row' : ''}`} label={text.views.choices}>
      <Fold label={kind && shown ? (kind.tabs.length > 1 ? text.views.grouped(kind.label, groupOf(shown)) : kind.label) : view.label}>
      {kinds.length > 1 && (
        <Segments label={text.views.rowsRegion} all={kinds} chosen={(rows) => rows === kind} name={(rows) => rows.label} title={(rows) => rows.tabs[0]!.title} onChoose={(rows) => onChoose(rows.tabs[0]!.id)} />
      )}
      {kind && kind.tabs.length > 1 && (
        <label class="group-by line muted">
          {text.views.groupBy}
          <Select value={current} options={kind.tabs.map((tab) => [tab.id, groupOf(tab)])} onChoose={onChoose} />
        </label>
      )}
      {children}
      </Fold>
      {view.absent.length > 0 && view.rows.length > 0 && <Absent tabs={view.absent} />}
    </Toolbar>
  );
}

const loadMetrics = () => import('./metric_menu').then((part) => part.MetricMenu);

/** A menu of the tables that these files lack, with the reasons. */
function Absent({ tabs }: { tabs: Tab[] }) {
  return (
    <Menu class="absent-tabs" label={text.tabs.absentCount(tabs.length)} align="right">
      {() => (
        <ul class="absent-list stack pop-note">
          {[...new Set(tabs.map((tab) => tab.absent))].map((reason) => (
            <li key={reason}>
              <span class="absent-name strong muted">
                {tabs
                  .filter((tab) => tab.absent === reason)
                  .map((tab) => tab.label)
                  .join(', ')}
              </span>
              <p class="muted">{sentence(reason)}</p>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  );
}
