// Everything about the TensorBoard around us. The only file that touches `parent`.

import { withPlugin } from './url_state';

/** TensorBoard makes a tab's frame when it is first shown. */
const APPEARS_MS = 5000;
const HASH_LISTENERS = ['hashchange', 'popstate'] as const;

/** The window whose address and theme we follow: TensorBoard's, or our own where it cannot be reached. */
function host(): Window {
  try {
    void window.parent.location.hash; // throws across origins
    return window.parent;
  } catch {
    return window;
  }
}

export function currentHash(): string {
  return host().location.hash;
}

/** Changes the hash without navigating. `push` makes a step that Back undoes. */
export function setHash(hash: string, push: boolean): void {
  const target = host();
  if (target.location.hash === hash || (hash === '#' && target.location.hash === '')) return;
  const url = target.location.pathname + target.location.search + hash;
  if (push) target.history.pushState(target.history.state, '', url);
  else target.history.replaceState(target.history.state, '', url);
}

/** The address of this tab with another hash, for a link to send. */
export function addressWith(hash: string): string {
  const { origin, pathname, search } = host().location;
  return origin + pathname + search + hash;
}

export function onHashChange(listener: () => void): () => void {
  const target = host();
  for (const kind of HASH_LISTENERS) target.addEventListener(kind, listener);
  return () => {
    for (const kind of HASH_LISTENERS) target.removeEventListener(kind, listener);
  };
}

/** TensorBoard hides our frame by giving it no height; nothing else tells. */
export function isVisible(): boolean {
  return window.innerHeight > 0;
}

/** Calls back whenever our frame is shown after it was hidden. */
export function onShown(listener: () => void): () => void {
  let visible = isVisible();
  const onResize = (): void => {
    const now = isVisible();
    if (now && !visible) listener();
    visible = now;
  };
  window.addEventListener('resize', onResize);
  return () => window.removeEventListener('resize', onResize);
}

/** Fields of TensorBoard's own page that take typed text. */
const TYPED = 'input, textarea, select, [contenteditable]';

/** Keys go to our frame, unless something of TensorBoard's own page is being typed into. */
export function takeFocus(): void {
  let active = host().document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  if (isVisible() && !active?.matches(TYPED)) window.focus();
}

/** Follows TensorBoard's theme (a class on its body), else the system's. */
export function followTheme(apply: (dark: boolean) => void): () => void {
  const query = window.matchMedia('(prefers-color-scheme: dark)');
  const target = host();
  const body = target === window ? null : target.document.body;
  const update = (): void => apply(body ? body.classList.contains('dark-mode') : query.matches);
  update();
  query.addEventListener('change', update);
  const observer = body ? new MutationObserver(update) : null;
  if (body) observer?.observe(body, { attributes: true, attributeFilter: ['class'] });
  return () => {
    query.removeEventListener('change', update);
    observer?.disconnect();
  };
}

interface HostMessage {
  type: string;
  id: number;
  isReply: boolean;
}

/** Calls back when TensorBoard reloads its data (the button, or its timer). */
export function onDataReloaded(listener: () => void): () => void {
  if (window.parent === window) return () => undefined;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = (event: MessageEvent<unknown>) => {
    if (typeof event.data !== 'string') return;
    const message = JSON.parse(event.data) as HostMessage;
    if (message.isReply || message.type !== 'experimental.DataReloaded') return;
    listener();
    port1.postMessage(JSON.stringify({ type: message.type, id: message.id, payload: null, error: null, isReply: true }));
  };
  window.parent.postMessage('experimental.bootstrap', '*', [port2]);
  return () => port1.close();
}

/** Text to the clipboard; pages that are not served securely have only the old way. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('readonly', '');
    area.className = 'sr';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/** A file made in the page. */
export function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** The frame of another tab; the tab's own page may have navigated on, so the attribute is asked, not the location. */
function frameOf(target: Window, plugin: string): HTMLIFrameElement | null {
  return [...target.document.querySelectorAll('iframe')].find((frame) => frame.src.includes(`name=${plugin}`) || frame.getAttribute('data-plugin') === plugin) ?? null;
}

/**
 * Shows another tab of TensorBoard; ours keeps its state in the address. Returns its frame's finder.
 *
 * A tab whose first page goes on to another one (`page`, its address in that plugin) by itself makes a step of its own in
 * the browser's history, and Back would lead to the first page, which goes on again, for ever. So a new frame is sent to
 * that page at once, in place of the first one.
 */
export function openTab(plugin: string, page: string | null): (() => Document | null) | null {
  const target = host();
  if (target === window) return null;
  if (page !== null && frameOf(target, plugin) === null) {
    const observer = new MutationObserver(() => {
      const frame = frameOf(target, plugin);
      if (!frame) return;
      observer.disconnect();
      frame.contentWindow?.location.replace(new URL(`plugin/${plugin}/${page}`, new URL(frame.src, target.document.baseURI)).href);
    });
    observer.observe(target.document.body, { childList: true, subtree: true });
    setTimeout(() => observer.disconnect(), APPEARS_MS);
  }
  target.location.hash = withPlugin(target.location.hash, plugin);
  return () => {
    try {
      return frameOf(target, plugin)?.contentDocument ?? null;
    } catch {
      return null;
    }
  };
}
