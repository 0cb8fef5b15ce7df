// Copies a table's rows, or saves them as a file.

import type { Table } from '../contract/wire';
import { saveFile } from '../host/host';
import { useCopy } from '../host/use_copy';
import { Menu, MenuItems, type Item } from '../ui/controls/menu';
import { formatCount } from '../ui/format';
import type { ColumnView } from './data/columns';
import { MAX_COPIED, tableCsv, tableMarkdown, tableTsv } from './data/copied';
import { tableText } from './data/words';
import type { RemoteRows } from './shown_rows/use_remote_rows';

interface Props {
  /** the file's name, without ending */
  name: string;
  table: Table;
  /** the rows that pass the filters, among those held; `remote` fetches the others */
  rows: number[];
  columns: ColumnView[];
  remote: RemoteRows;
}

/** Copies the rows and columns shown, or saves the rows with all columns. */
export function CopyRows({ name, table, rows, columns, remote }: Props) {
  const [done, copy] = useCopy();
  /** all rows that pass the filters, with their table */
  const chosen = async (): Promise<[Table, number[]]> => {
    if (!remote.shown) return [table, rows];
    const every = await remote.all();
    return [every, [...every.rows.keys()]];
  };
  const written = async (write: typeof tableTsv): Promise<string> => write(...(await chosen()), columns.filter((view) => view.index >= 0 || view.derive));
  const item = (label: string, write: typeof tableTsv): Item => ({ label, title: tableText.copyAbout(formatCount(MAX_COPIED)), onChoose: () => copy(written(write)) });
  const save = (): void => void chosen().then((from) => saveFile(`${name}.csv`, tableCsv(...from), 'text/csv;charset=utf-8'));
  const items = [item(tableText.copyMarkdown, tableMarkdown), item(tableText.copyTsv, tableTsv), { label: tableText.csv, onChoose: save }];
  return (
    <Menu label={done ? tableText.copyDone : tableText.copy} icon={done ? 'check' : 'copy'} align="right" disabled={rows.length === 0}>
      {(close) => <MenuItems items={items} close={close} />}
    </Menu>
  );
}
