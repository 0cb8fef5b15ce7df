// Buttons that act on the pair: suggestions, step window, link, export, rescan, keys.

import { apiUrl, fetchText } from '../api/api';
import type { Comparison, RunsAnswer, Side } from '../contract/wire';
import { addressWith, copyText, currentHash } from '../host/host';
import { writeHash, type Address, type Page } from '../host/url_state';
import { Icon } from '../ui/icons';
import { Menu } from '../ui/menu';
import { text } from '../ui/strings';
import { MarkerChoice } from './marker_choice';
import { findRun, isTrace, sideQuery } from './selection';
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
  onWindow: (window: Address['window']) => void;
  onMarker: (marker: string) => void;
  onRescan: () => void;
  onKeys: () => void;
  onSay: (message: string) => void;
}

export function Actions(props: Props) {
  const { answer, address, a, b, comparison, onPair, onPage, onWindow, onMarker, onRescan, onKeys, onSay } = props;
  // only traces have host marks and device work to end a step by
  const windowed = [a, b].some((side) => side !== null && isTrace(findRun(answer, side.run)));
  const paired = address.page === '';
  const copyLink = (): void => {
    const link = addressWith(writeHash(currentHash(), paired || address.page === 'verdicts' ? { ...address, a, b } : address));
    void copyText(link).then((done) => onSay(done ? text.actions.copied : text.actions.notCopied));
  };
  return (
    <>
      <div class="action-row">
        <SuggestMenu answer={answer} a={a} b={b} onPair={onPair} />
        <button type="button" class="button" disabled={paired && (!a || !b)} onClick={copyLink}>
          <Icon name="link" />
          <span class="button-text">{text.actions.copyLink}</span>
        </button>
        {paired && a && b && <ExportMenu a={a} b={b} window={address.window} marker={address.marker} table={props.table} comparison={comparison} onSay={onSay} />}
      </div>
      <div class="action-row">
        {paired && (answer.points ?? 0) > 0 && (
          <button type="button" class="button" onClick={() => onPage('history')}>
            <Icon name="history" />
            <span class="button-text">{text.pages.history}</span>
          </button>
        )}
        {!paired && (
          <button type="button" class="button" onClick={() => onPage('')}>
            {text.pages.pair}
          </button>
        )}
        {windowed && address.page !== 'history' && (
          <>
            <span class="muted">{text.actions.windowShort}</span>
            <span class="segments" role="group" aria-label={text.actions.window}>
              {(['device', 'marker'] as const).map((window) => (
                <button
                  key={window}
                  type="button"
                  aria-pressed={address.window === window}
                  title={`${text.actions.window}: ${window === 'device' ? text.actions.deviceAbout : text.actions.markerAbout}`}
                  onClick={() => onWindow(window)}
                >
                  {window === 'device' ? text.actions.device : text.actions.marker}
                </button>
              ))}
            </span>
          </>
        )}
        {windowed && paired && <MarkerChoice marker={address.marker} comparison={comparison} onMarker={onMarker} />}
        <button type="button" class="icon-button" title={text.actions.rescan} aria-label={text.actions.rescan} onClick={onRescan}>
          <Icon name="refresh" />
        </button>
        <button type="button" class="icon-button" title={`${text.actions.help} (?)`} aria-label={text.actions.help} onClick={onKeys}>
          <Icon name="help" />
        </button>
      </div>
    </>
  );
}

interface ExportProps {
  a: Side;
  b: Side;
  window: string;
  marker: string;
  table: string;
  comparison: Comparison | null;
  onSay: (message: string) => void;
}

/** Files are made by the server, so that the command line gives the same ones. */
function ExportMenu({ a, b, window, marker, table, comparison, onSay }: ExportProps) {
  const url = (format: string, name = ''): string => {
    const query = sideQuery(a, b, window, marker);
    query.set('format', format);
    if (name !== '') query.set('table', name);
    return apiUrl('report', query);
  };
  const shown = comparison?.tables[table] ? table : 'kernels' in (comparison?.tables ?? {}) ? 'kernels' : 'categories';
  const copyReport = (): void => {
    fetchText(url('md'))
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
  ];
  return (
    <Menu label={text.actions.export} icon="export" align="right" disabled={!comparison}>
      {(close) => (
        <ul class="pop-list">
          {links.map(([label, href]) => (
            <li key={label}>
              <a class="pop-item" href={href} download="" referrerpolicy="no-referrer" onClick={close}>
                {label}
              </a>
            </li>
          ))}
          <li>
            <button
              type="button"
              class="pop-item"
              onClick={() => {
                copyReport();
                close();
              }}
            >
              {text.actions.copyMd}
            </button>
          </li>
        </ul>
      )}
    </Menu>
  );
}
