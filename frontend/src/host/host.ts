// Access to the surrounding TensorBoard page. Only this file touches `parent`.

import { withPlugin } from './url_state';

/** Longest wait for a tab's frame, which TensorBoard creates when the tab is first shown. */
const APPEARS_MS = 5000;
const HASH_LISTENERS = ['hashchange', 'popstate'] as const;

/** Window whose address and theme the page follows: TensorBoard's, or its own if the parent is not accessible. */
function host(): Window {
  try {
    void window.parent.location.hash; // throws for another origin
    return window.parent;
  } catch {
    return window;
  }
}

export function currentHash(): string {
  return host().location.hash;
}

/** Changes the hash without navigating. `push` adds a history entry, so that Back undoes the change. */
export function setHash(hash: string, push: boolean): void {
  const target = host();
  if (target.location.hash === hash || (hash === '#' && target.location.hash === '')) return;
  const url = target.location.pathname + target.location.search + hash;
  if (push) target.history.pushState(target.history.state, '', url);
  else target.history.replaceState(target.history.state, '', url);
}

/** Address of this tab with another hash, for links to share. */
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

/** TensorBoard hides the frame by setting its height to zero; there is no other signal. */
export function isVisible(): boolean {
  return window.innerHeight > 0;
}

/** Calls back whenever the frame is shown after being hidden. */
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

/** Elements of TensorBoard's own page that take typed text. */
const TYPED = 'input, textarea, select, [contenteditable]';

/** Moves the keyboard focus to the frame, unless the reader is typing in TensorBoard's own page. */
export function takeFocus(): void {
  let active = host().document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  if (isVisible() && !active?.matches(TYPED)) window.focus();
}

/** Follows TensorBoard's theme (a class on its body), or the system's outside TensorBoard. */
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

/** Copies text to the clipboard and returns whether that worked. The fallback is for pages without HTTPS, which have
 *  no Clipboard API. */
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

/** Downloads text generated in the page as a file. */
export function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Frame of another tab, found by its attributes, because the tab's page may have navigated elsewhere. */
function frameOf(target: Window, plugin: string): HTMLIFrameElement | null {
  return [...target.document.querySelectorAll('iframe')].find((frame) => frame.src.includes(`name=${plugin}`) || frame.getAttribute('data-plugin') === plugin) ?? null;
}

/** Switches to another TensorBoard tab and returns a getter of its document; null outside TensorBoard. Some tabs
 *  redirect from their first page to another (`page`, an address in that plugin). The redirect adds a history entry,
 *  and Back would return to the first page, which redirects again, trapping the reader. So a new frame is sent to
 *  `page` at once, replacing its first page. */
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
