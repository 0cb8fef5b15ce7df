// Opens the PyTorch Profiler tab on a given run. That tab has no deep links, so its drop-downs are operated as a reader
// would. Best effort with a time limit; if it fails, the caller names what to choose.

import { apiUrl } from '../api/api';
import { openTab } from './host';
import type { ProfilerView } from './profiler_views';

const PLUGIN = 'pytorch_profiler';
const LIMIT_MS = 15_000;
const PAUSE_MS = 100;
/** Longest wait for a view in an opened list; an open list is complete. */
const OPENING_MS = 1500;
/** Longest wait until a choice shows; after that, the page has reverted it. */
const TAKES_MS = 1000;
/** A choice that shows for this long is final: no late response reverts it any more. */
const LASTS_MS = 1000;
const VIEWS = 'Views';

export interface ProfilerPlace {
  run: string;
  worker: string;
  span: string;
  /** the worker has no other span, so that page shows no span drop-down */
  onlySpan: boolean;
  /** null: whichever view is shown there */
  view: ProfilerView | null;
}

/** Outcome. `no view`: the run is shown, but the requested view is missing there. */
type Opened = 'done' | 'no view' | 'failed';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until<T>(deadline: number, find: () => T | null | undefined): Promise<T | null> {
  for (;;) {
    const found = find();
    if (found) return found;
    if (Date.now() > deadline) return null;
    await pause(PAUSE_MS);
  }
}

/** The drop-down after a label, null while the page does not show one. */
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

/** Chooses an entry of a drop-down. A view missing from an open list is not waited for, because lists are complete. */
async function choose(page: () => Document | null, label: string, value: string, deadline: number): Promise<Chosen> {
  // a list that is still loading has no value
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

/** Value of a drop-down; its visible text may differ. */
function chosen(button: HTMLElement | null): string | undefined {
  return button?.parentElement?.querySelector('input')?.value ?? button?.textContent?.trim();
}

/** Types into a field with the native setter and an input event, which that page's framework listens for. */
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

/** Page to which the tab's first page redirects, null if it does not. */
async function secondPage(): Promise<string | null> {
  try {
    const answer = await fetch(new URL(`../../${PLUGIN}/index.js`, apiUrl('runs', new URLSearchParams())));
    return answer.ok ? (/location\.href\s*=\s*['"]([\w.]+)['"]/.exec(await answer.text())?.[1] ?? null) : null;
  } catch {
    return null;
  }
}

/** Whether the search fields hold the wanted texts; types them if not. Further fields are optional: that page shows
 *  them together with the first one or never. */
function searched(page: Document | null, search: ProfilerView['search']): boolean {
  let held = true;
  for (const [index, { field: label, name }] of search.entries()) {
    const found = page && field(page, label);
    if (!found && index > 0) continue;
    if (found && found.value !== name) {
      type(found, name);
      found.scrollIntoView({ block: 'start' }); // below the charts
    }
    held &&= found?.value === name;
  }
  return held;
}

/** Returns a getter of the page's current document, and a check whether the reader has used the page by pointer or
 *  keys. */
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

/** Selects run, view, worker and span in that tab, and searches for the row. On a slow connection, late responses to
 *  earlier choices can revert the page, so choices are repeated until they last. */
export async function openProfilerTab(place: ProfilerPlace): Promise<Opened> {
  const opened = openTab(PLUGIN, await secondPage());
  if (!opened) return 'failed';
  const [page, acted] = watched(opened);
  const deadline = Date.now() + LIMIT_MS;
  let view = place.view;
  const wrong = (): [string, string] | undefined => {
    // choosing a view resets worker and span to the first; the Distributed view has no worker to choose
    const inside: [string, string][] = view?.value === 'Distributed' ? [] : place.onlySpan ? [['Workers', place.worker]] : [['Workers', place.worker], ['Spans', place.span]];
    const wanted: [string, string][] = [['Runs', place.run], ...(view ? [[VIEWS, view.value] as [string, string]] : []), ...inside];
    return wanted.find(([label, value]) => !shows(page(), label, value));
  };
  const result = (): Opened => (view === place.view ? 'done' : 'no view');
  let rightSince = Infinity;
  while (Date.now() < deadline) {
    if (acted()) return result(); // stops once the reader uses the page
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
