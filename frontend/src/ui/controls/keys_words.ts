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
    ['p', 'pin the row, or free it'],
    ['[  ]', 'previous and next row in the details'],
    ['Esc', 'close what is open, else clear the part filter, then the ranges of steps'],
    ['?', 'this list'],
  ] as [string, string][],
  about: (version: string, reader: string) => `tb_perfcompare ${version}${reader === '' ? '' : `; traces are read by the ${reader} reader`}`,
};
