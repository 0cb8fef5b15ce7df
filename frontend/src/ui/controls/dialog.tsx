// A modal dialog with a title and a close button; Escape closes it too.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from '../buttons';
import { text } from '../strings';

interface Props {
  title: string;
  class?: string;
  onClose: () => void;
  children: (close: () => void) => preact.ComponentChildren;
}

/** A dialog, open while it is rendered. `children` receives the function that closes it. */
export function Dialog({ title, class: extra = '', onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = (): void => dialog.current?.close();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class={`dialog ${extra}`} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <IconButton icon="close" label={text.panel.close} onClick={close} />
      </header>
      {children(close)}
    </dialog>
  );
}
