// Buttons for the pair: suggestions, link, export, keyboard shortcuts.

import { apiUrl, queryWith, request } from '../api/api';
import type { Comparison, RunsAnswer, Side } from '../contract/wire';
import { addressWith, copyText, currentHash } from '../host/host';
import { writeHash, type Address, type Page } from '../host/url_state';
import { Button, IconButton } from '../ui/buttons';
import { Icon } from '../ui/icons';
import { Menu, MenuItem } from '../ui/controls/menu';
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
  onSay: (message: string) => void;
}

export function Actions(props: Props) {
  const { answer, address, a, b, onPair, onPage, onKeys, onSay } = props;
  const paired = address.page === '';
  const copyLink = (): void => {
    const link = addressWith(writeHash(currentHash(), paired || address.page === 'verdicts' ? { ...address, a, b } : address));
    void copyText(link).then((done) => onSay(done ? text.actions.copied : text.actions.notCopied));
  };
  return (
    <>
        <SuggestMenu answer={answer} a={a} b={b} onPair={onPair} />
        <Button disabled={paired && (!a || !b)} onClick={copyLink}>
          <Icon name="link" />
          <span class="button-text">{text.actions.copyLink}</span>
        </Button>
        {paired && a && b && <ExportMenu {...props} a={a} b={b} />}
        {!paired && (
          <Button onClick={() => onPage('')}>{text.pages.pair}</Button>
        )}
        <IconButton class="keys-button" icon="help" size={16} label={text.actions.help} title={`${text.actions.help} (?)`} onClick={onKeys} />
    </>
  );
}

/** The server makes the exported files, so that they equal those of the command line. */
function ExportMenu({ a, b, address: { window, marker, kind }, table, comparison, onStrict, onSay }: Omit<Props, 'a' | 'b'> & Record<Letter, Side>) {
  const url = (format: string, name = ''): string => apiUrl('report', queryWith(sideQuery(a, b, window, marker, kind), { format, table: name }));
  const shown = comparison?.tables[table] ? table : 'kernels' in (comparison?.tables ?? {}) ? 'kernels' : 'categories';
  const copyReport = (): void => {
    request(url('md'))
      .then((response) => response.text())
      .then(copyText)
      .then((done) => onSay(done ? text.actions.copiedMd : text.actions.notCopied))
      .catch((error: unknown) => onSay(error instanceof Error ? error.message : String(error)));
  };
  const links: [string, string][] = [
    [text.actions.reportMd, url('md')],
    [text.actions.reportHtml, url('html')],
    [text.actions.reportText, url('text')],
    [text.actions.reportJson, url('json')],
    [text.actions.reportCsv(text.tabs.names[shown] ?? shown), url('csv', shown)],
    ...(comparison?.tables['memory_curves'] ? [[text.actions.memoryCsv, url('csv', 'memory_curves')] as [string, string]] : []),
  ];
  const actions: [string, () => void][] = [[text.actions.copyMd, copyReport]];
  if (onStrict) actions.push([text.views.rows['strict']!, onStrict]);
  return (
    <Menu label={text.actions.export} icon="export" align="right" disabled={!comparison}>
      {(close) => (
        <ul class="pop-list">
          {links.map(([label, href]) => (
            <li key={label}>
              <MenuItem href={href} close={close}>{label}</MenuItem>
            </li>
          ))}
          {actions.map(([label, act]) => (
            <li key={label}>
              <MenuItem onChoose={act} close={close}>{label}</MenuItem>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  );
}
