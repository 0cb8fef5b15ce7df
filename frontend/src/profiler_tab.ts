// Opens the PyTorch Profiler tab on a given run, as well as its page lets us: it has no links of its own, so its
// drop-downs are operated as a reader would. Best effort with a time limit; the caller says the names if it fails.

import { apiUrl } from './api';
import { openTab } from './host';
import type { ProfilerView } from './profiler_views';

const PLUGIN = 'pytorch_profiler';
const LIMIT_MS = 15_000;
const PAUSE_MS = 100;
/** A list that is open has all of its entries. */
const OPENING_MS = 1500;

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

async function choose(page: () => Document | null, label: string, value: string, deadline: number, needed = true): Promise<boolean> {
  // a list that is still on its way shows nothing
  const button = await until(deadline, () => {
    const document = page();
    const found = document && dropDown(document, label);
    return chosen(found) ? found : null;
  });
  if (!button) return false;
  if (chosen(button) === value) return true;
  button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, button: 0 }));
  const option = await until(needed ? deadline : Math.min(deadline, Date.now() + OPENING_MS), () =>
    [...button.ownerDocument.querySelectorAll<HTMLElement>('[role="listbox"] li')].find((item) => item.dataset['value'] === value),
  );
  if (!option) {
    button.ownerDocument.querySelector<HTMLElement>('[role="presentation"] > [aria-hidden="true"]')?.click(); // closes the list
    return false;
  }
  option.click();
  const shown = await until(deadline, () => (page() && chosen(dropDown(page()!, label)) === value ? true : null));
  return shown === true;
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

/** Shows run, view, worker and span there, and the row by that tab's own search. */
export async function openProfilerTab(place: ProfilerPlace): Promise<Opened> {
  const page = openTab(PLUGIN, await secondPage());
  if (!page) return 'failed';
  const deadline = Date.now() + LIMIT_MS;
  const { view } = place;
  if (!(await choose(page, 'Runs', place.run, deadline))) return 'failed';
  // choosing a view chooses the first worker and span
  const viewed = !view || (await choose(page, 'Views', view.value, deadline, false));
  const places: [string, string][] = place.onlySpan ? [['Workers', place.worker]] : [['Workers', place.worker], ['Spans', place.span]];
  for (const [label, value] of view?.value === 'Distributed' && viewed ? [] : places) if (!(await choose(page, label, value, deadline))) return 'failed';
  for (const [index, { field: label, name }] of (viewed && view ? view.search : []).entries()) {
    // what stands beside the first field is there with it, or not at all
    const found = await until(index === 0 ? deadline : Date.now(), () => page() && field(page()!, label));
    if (!found) continue;
    type(found, name);
    found.scrollIntoView({ block: 'start' }); // below pictures
  }
  return viewed ? 'done' : 'no view';
}
