// Buttons for the pair: suggestions, link, export, keyboard shortcuts.

import { apiUrl, queryWith, request } from '../api/api';
import type { Comparison, RunsAnswer, Side } from '../contract/wire';
import { copyIcon, CopyStatus } from '../host/copy_name';
import { addressWith, currentHash } from '../host/host';
import { writeHash, type Address, type Page } from '../host/url_state';
import { useCopy } from '../host/use_copy';
import { Button, IconButton } from '../ui/buttons';
import { Icon } from '../ui/icons';
import { Menu, MenuItems, type Item } from '../ui/controls/menu';
import type { Letter } from '../ui/sides';
import { text } from '../ui/strings';
import { sideQuery } from './selection';
import { SuggestMenu } from './suggest_menu';

interface Props {
  answer: RunsAnswer;
  address: Address;
  a: Side | null;
  b: Side | null;
  comparison: Comparison | null;
  /** the table in view, "" for none */
  table: string;
  onPair: (a: Side, b: Side) => void;
  onPage: (page: Page) => void;
  /** shows the strict report; null if there is none */
  onStrict: (() => void) | null;
  onKeys: () => void;
}

export function Actions(props: Props) {
  const { answer, address, a, b, onPair, onPage, onKeys } = props;
  const paired = address.page === '';
  const [done, copy] = useCopy();
  const copyLink = (): void => copy(addressWith(writeHash(currentHash(), paired || address.page === 'verdicts' ? { ...address, a, b } : address)));
  return (
    <>
        <SuggestMenu answer={answer} a={a} b={b} onPair={onPair} />
        <Button title={text.actions.copyLink} disabled={paired && (!a || !b)} onClick={copyLink}>
          <Icon name={copyIcon(done, 'link')} />
          <span class="button-text">{text.actions.copyLink}</span>
        </Button>
        <CopyStatus done={done} />
        {paired && a && b && <ExportMenu {...props} a={a} b={b} />}
        {!paired && (
          <Button onClick={() => onPage('')}>{text.pages.pair}</Button>
        )}
        <IconButton class="keys-button" icon="help" size={16} label={text.actions.help} title={`${text.actions.help} (?)`} onClick={onKeys} />
    </>
  );
}

/** The server makes the exported files, so that they equal those of the command line. */
function ExportMenu({ a, b, address: { window, marker, kind }, table, comparison, onStrict }: Omit<Props, 'a' | 'b'> & Record<Letter, Side>) {
  const url = (format: string, name = ''): string => apiUrl('report', queryWith(sideQuery(a, b, window, marker, kind), { format, table: name }));
  const shown = comparison?.tables[table] ? table : 'kernels' in (comparison?.tables ?? {}) ? 'kernels' : 'categories';
  const [done, copy] = useCopy();
  const items: Item[] = [
    { label: text.actions.reportHtml, note: text.actions.reportHtmlAbout, href: url('html') },
    { label: text.actions.copyMd, note: text.actions.copyMdAbout, onChoose: () => copy(request(url('md')).then((response) => response.text())) },
    { label: text.actions.reportMd, href: url('md') },
    { label: text.actions.reportText, href: url('text') },
    { label: text.actions.reportJson, href: url('json') },
    { label: text.actions.reportCsv(comparison?.tables[shown]?.title ?? shown), href: url('csv', shown) },
    ...(comparison?.tables['memory_curves'] ? [{ label: text.actions.memoryCsv, href: url('csv', 'memory_curves') }] : []),
    ...(onStrict ? [{ label: text.actions.strict, onChoose: onStrict }] : []),
  ];
  return (
    <>
      <Menu label={text.actions.export} icon={copyIcon(done, 'export')} align="right" disabled={!comparison}>
        {(close) => <MenuItems items={items} close={close} />}
      </Menu>
      <CopyStatus done={done} />
    </>
  );
}
