// The list of keys, and below it which program answers.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from '../buttons';
import { words } from './keys_words';

interface Props {
  version: string;
  reader: string;
  onClose: () => void;
}

export function Keys({ version, reader, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys-title" onClose={onClose}>
      <header>
        <h2 id="keys-title">{words.title}</h2>
        <IconButton icon="close" label={words.close} onClick={() => dialog.current?.close()} />
      </header>
      <dl>
        {words.list.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">{words.about(version, reader)}</p>
    </dialog>
  );
}
