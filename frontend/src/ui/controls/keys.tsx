// The list of keyboard shortcuts; below it, the version and the trace reader.

import { Dialog } from './dialog';
import { Facts } from './facts';

const words = {
  title: 'Keys',
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
  return (
    <Dialog class="keys" title={words.title} onClose={onClose}>
      {() => (
        <>
          <Facts class="pairs" facts={words.list.map(([keys, what]) => [<kbd>{keys}</kbd>, what])} />
          <p class="muted">{words.about(version, reader)}</p>
        </>
      )}
    </Dialog>
  );
}
