// Parts of the page that are loaded when first shown.

import { useLayoutEffect, useState } from 'preact/hooks';
import { LinkButton } from './buttons';
import { text } from './strings';

interface Props<P> {
  /** loads the part; its result is cached by this function, so pass the same function each time */
  load: () => Promise<(props: P) => preact.ComponentChild>;
  props: P;
  /** height in pixels reserved while it loads */
  height: number;
}

const loaded = new Map<unknown, (props: never) => preact.ComponentChild>();

export function Lazy<P>({ load, props, height }: Props<P>) {
  const [, setReady] = useState(0);
  const [failed, setFailed] = useState(false);
  const Part = loaded.get(load) as ((props: P) => preact.ComponentChild) | undefined;
  useLayoutEffect(() => {
    if (Part) return;
    setFailed(false);
    load()
      .then((part) => {
        loaded.set(load, part as (props: never) => preact.ComponentChild);
        setReady((n) => n + 1);
      })
      .catch(() => setFailed(true));
  }, [load]);
  if (Part) return <Part {...(props as P & preact.JSX.IntrinsicAttributes)} />;
  return (
    <div class="lazy line" style={{ minHeight: `${height}px` }} role="status">
      {failed ? (
        <p>
          {text.lazy.failed}{' '}
          <LinkButton onClick={() => location.reload()}>{text.banners.reload}</LinkButton>
        </p>
      ) : (
        <p class="muted late">{text.lazy.loading}</p>
      )}
    </div>
  );
}
