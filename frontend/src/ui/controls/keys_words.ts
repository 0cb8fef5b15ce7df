// Words of the list of keys, apart from strings.ts so that they come with it.

export const words = {
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
