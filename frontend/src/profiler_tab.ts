// Opens the PyTorch Profiler tab on a given run, as well as its page lets us: it has no links of its own, so its
// drop-downs are operated as a reader would. Best effort with a time limit; the caller says the names if it fails.

import { openTab } from './host';

const PLUGIN = 'pytorch_profiler';
const LIMIT_MS = 15_000;
const PAUSE_MS = 100;

export interface ProfilerPlace {
  run: string;
  worker: string;
  span: string;
  /** the worker has no other span: the page then shows no choice of spans */
  onlySpan: boolean;
}

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

async function choose(page: () => Document | null, label: string, value: string, deadline: number): Promise<boolean> {
  const button = await until(deadline, () => {
    const document = page();
    return document && dropDown(document, label);
  });
  if (!button) return false;
  if (button.textContent?.trim() === value) return true;
  button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, button: 0 }));
  const option = await until(deadline, () =>
    [...button.ownerDocument.querySelectorAll<HTMLElement>('[role="listbox"] li')].find((item) => item.dataset['value'] === value),
  );
  if (!option) return false;
  option.click();
  const shown = await until(deadline, () => (page() && dropDown(page()!, label)?.textContent?.trim() === value ? true : null));
  return shown === true;
}

/** True if the tab now shows run, worker and span. */
export async function openProfilerTab(place: ProfilerPlace): Promise<boolean> {
  const page = openTab(PLUGIN);
  if (!page) return false;
  const deadline = Date.now() + LIMIT_MS;
  const choices: [string, string][] = [['Runs', place.run], ['Workers', place.worker]];
  if (!place.onlySpan) choices.push(['Spans', place.span]);
  for (const [label, value] of choices) if (!(await choose(page, label, value, deadline))) return false;
  return true;
}
