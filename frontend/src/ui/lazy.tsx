// Parts of the page that are fetched when they are first shown.

import { useLayoutEffect, useState } from 'preact/hooks';
import { LinkButton } from './buttons';
import { text } from './strings';

interface Props<P> {
  /** fetches the part; called once, its answer is kept */
  load: () => Promise<(props: P) => preact.ComponentChild>;
  props: P;
  /** room kept free while it is on its way, in pixels */
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
