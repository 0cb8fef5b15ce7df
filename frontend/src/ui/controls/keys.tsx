// The list of keyboard shortcuts; below it, the version and the trace reader.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from '../buttons';
import { Facts } from './facts';

const words = {
  title: 'Keys',
  close: 'Close',
  list: [
    ['x', 'swap the two sides'],
    ['1 – 6', 'show the first to the sixth view'],
    ['/', 'search the table'],
    ['↑ ↓ PgUp PgDn Home End', 'move in the table'],
    ['Enter', 'open the row'],
    ['p', 'pin or unpin the row'],
    ['[  ]', 'previous and next row in the details'],
    ['w  s  a  d', 'zoom and move in the timeline'],
    ['n', 'next largest difference in the timeline'],
    ['Esc', 'close; or clear the part filter, then the step ranges'],
    ['?', 'this list'],
  ] as [string, string][],
  about: (version: string, reader: string) => `tb_perfcompare ${version}${reader === '' ? '' : `; traces are read by the ${reader} reader`}`,
};

export function Keys({ version, reader, onClose }: { version: string; reader: string; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys-title" onClose={onClose}>
      <header>
        <h2 id="keys-title">{words.title}</h2>
        <IconButton icon="close" label={words.close} onClick={() => dialog.current?.close()} />
      </header>
      <Facts class="pairs" facts={words.list.map(([keys, what]) => [<kbd>{keys}</kbd>, what])} />
      <p class="muted">{words.about(version, reader)}</p>
    </dialog>
  );
}
