// Opens the PyTorch Profiler tab on a given run, as well as its page lets us: it has no links of its own, so its
// drop-downs are operated as a reader would. Best effort with a time limit; the caller says the names if it fails.

import { apiUrl } from '../api/api';
import { openTab } from './host';
import type { ProfilerView } from './profiler_views';

const PLUGIN = 'pytorch_profiler';
const LIMIT_MS = 15_000;
const PAUSE_MS = 100;
/** A list that is open has all of its entries. */
const OPENING_MS = 1500;
/** What was chosen shows by then, or the page has gone back to something else. */
const TAKES_MS = 1000;
/** What shows for so long is no longer taken back by an answer that was on its way. */
const LASTS_MS = 1000;
const VIEWS = 'Views';

export interface ProfilerPlace {
  run: string;
  worker: string;
  span: string;
  /** the worker has no other span: the page then shows no choice of spans */
  onlySpan: boolean;
  /** null: whichever is shown there */
  view: ProfilerView | null;
}

/** What became of it: `no view` shows the run, but not the view that was meant. */
export type Opened = 'done' | 'no view' | 'failed';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until<T>(deadline: number, find: () => T | null | undefined): Promise<T | null> {
  for (;;) {
    const found = find();
    if (found) return found;
    if (Date.now() > deadline) return null;
    await pause(PAUSE_MS);
  }
}

/** The drop-down that follows a label, while the page shows one. */
function dropDown(page: Document, label: string): HTMLElement | null {
  const labels = [...page.querySelectorAll<HTMLElement>('.MuiListSubheader-root, li, label')];
  const heading = labels.find((element) => element.textContent?.trim() === label);
  for (let next = heading?.nextElementSibling; next; next = next.nextElementSibling) {
    const button = next.querySelector<HTMLElement>('[aria-haspopup="listbox"]');
    if (button) return button;
  }
  return null;
}

type Chosen = 'chosen' | 'not listed' | 'not shown';

/** Chooses an entry of a drop-down. Views that are not in an open list are not awaited, as lists are complete. */
async function choose(page: () => Document | null, label: string, value: string, deadline: number): Promise<Chosen> {
  // a list that is still on its way shows nothing
  const button = await until(deadline, () => {
    const document = page();
    const found = document && dropDown(document, label);
    return chosen(found) ? found : null;
  });
  if (!button) return 'not shown';
  if (chosen(button) === value) return 'chosen';
  button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, button: 0 }));
  const option = await until(label === VIEWS ? Math.min(deadline, Date.now() + OPENING_MS) : deadline, () =>
    [...button.ownerDocument.querySelectorAll<HTMLElement>('[role="listbox"] li')].find((item) => item.dataset['value'] === value),
  );
  if (!option) {
    button.ownerDocument.querySelector<HTMLElement>('[role="presentation"] > [aria-hidden="true"]')?.click(); // closes the list
    return 'not listed';
  }
  option.click();
  const shown = await until(Math.min(deadline, Date.now() + TAKES_MS), () => (shows(page(), label, value) ? true : null));
  return shown ? 'chosen' : 'not shown';
}

function shows(page: Document | null, label: string, value: string): boolean {
  return page !== null && chosen(dropDown(page, label)) === value;
}

/** The value of a drop-down, which may be shown under another name. */
function chosen(button: HTMLElement | null): string | undefined {
  return button?.parentElement?.querySelector('input')?.value ?? button?.textContent?.trim();
}

/** Types into a field as a reader would: the page learns of it by the event. */
function type(field: HTMLInputElement, value: string): void {
  const view = field.ownerDocument.defaultView as (Window & typeof globalThis) | null;
  const setter = view && Object.getOwnPropertyDescriptor(view.HTMLInputElement.prototype, 'value')?.set;
  setter?.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

function field(page: Document, label: string): HTMLInputElement | null {
  const found = [...page.querySelectorAll('label')].find((one) => one.textContent?.trim() === label);
  return found?.parentElement?.querySelector('input') ?? null;
}

/** The page that the tab's first page goes on to, null where it does not. */
async function secondPage(): Promise<string | null> {
  try {
    const answer = await fetch(new URL(`../../${PLUGIN}/index.js`, apiUrl('runs', new URLSearchParams())));
    return answer.ok ? (/location\.href\s*=\s*['"]([\w.]+)['"]/.exec(await answer.text())?.[1] ?? null) : null;
  } catch {
    return null;
  }
}

/** Whether the page holds what is searched for; types it where it does not. What stands beside the first field is there
 * with it, or not at all. */
function searched(page: Document | null, search: ProfilerView['search']): boolean {
  let held = true;
  for (const [index, { field: label, name }] of search.entries()) {
    const found = page && field(page, label);
    if (!found && index > 0) continue;
    if (found && found.value !== name) {
      type(found, name);
      found.scrollIntoView({ block: 'start' }); // below pictures
    }
    held &&= found?.value === name;
  }
  return held;
}

/** The page as it is now, and whether a reader has begun to use it, by pointer or keys. */
function watched(page: () => Document | null): [() => Document | null, () => boolean] {
  let acted = false;
  let known: Document | null = null;
  const act = (event: Event): void => {
    acted ||= event.isTrusted;
  };
  const now = (): Document | null => {
    const document = page();
    if (document && document !== known) for (const kind of ['pointerdown', 'keydown']) document.addEventListener(kind, act, true);
    return (known = document);
  };
  return [now, () => acted];
}

/** Shows run, view, worker and span there, and the row by that tab's own search. Over a slow connection that page still
 * gets answers to what was chosen before and goes back to it, so everything is chosen again until it lasts. */
export async function openProfilerTab(place: ProfilerPlace): Promise<Opened> {
  const opened = openTab(PLUGIN, await secondPage());
  if (!opened) return 'failed';
  const [page, acted] = watched(opened);
  const deadline = Date.now() + LIMIT_MS;
  let view = place.view;
  const wrong = (): [string, string] | undefined => {
    // choosing a view chooses the first worker and span; the view of all workers lets none be chosen
    const inside: [string, string][] = view?.value === 'Distributed' ? [] : place.onlySpan ? [['Workers', place.worker]] : [['Workers', place.worker], ['Spans', place.span]];
    const wanted: [string, string][] = [['Runs', place.run], ...(view ? [[VIEWS, view.value] as [string, string]] : []), ...inside];
    return wanted.find(([label, value]) => !shows(page(), label, value));
  };
  const result = (): Opened => (view === place.view ? 'done' : 'no view');
  let rightSince = Infinity;
  while (Date.now() < deadline) {
    if (acted()) return result(); // who uses the page is left alone
    const next = wrong();
    if (next || !searched(page(), view?.search ?? [])) {
      rightSince = Infinity;
      if (!next) await pause(PAUSE_MS);
      else if ((await choose(page, ...next, deadline)) === 'not listed' && next[0] === VIEWS) view = null;
    } else {
      rightSince = Math.min(rightSince, Date.now());
      if (Date.now() - rightSince >= LASTS_MS) return result();
      await pause(PAUSE_MS);
    }
  }
  return wrong() ? 'failed' : result();
}
