// One table with its search, filters, columns and sums.

import { useCallback, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { RowSource } from '../api/api';
import type { Column, Table } from '../contract/wire';
import type { Address } from '../host/url_state';
import type { Change } from '../host/use_address';
import { failureLine } from '../states/failed';
import { formatPercent, formatSetting, formatWithUnit } from '../ui/format';
import { Button, LinkButton } from '../ui/buttons';
import { PHONE } from '../ui/controls/fold';
import { togglePin } from '../ui/pins';
import { Segments } from '../ui/controls/segments';
import { sentence, text, type MetricWords } from '../ui/strings';
import { useMatches } from '../ui/use_matches';
import { isRegex, useSearch } from '../ui/search';
import { useWidth } from '../ui/use_width';
import { cellText, type ColumnView } from './data/columns';
import { CopyRows } from './copy_rows';
import { Grid } from './grid';
import { withWidth } from './data/column_tracks';
import { nextSort, writeSort } from './data/order';
import { RowPanel } from './row_panel';
import { findRow, isCut, isSmall, rowKey } from './data/rows';
import type { ShownRows } from './shown_rows/shown_rows';
import { useAllRows } from './shown_rows/use_all_rows';
import { useChosenRows } from './shown_rows/use_chosen_rows';
import { usePinnedRows } from './shown_rows/use_pinned_rows';
import { STEP_COLUMN, useStepLines } from './step_column';
import { TableTools } from './toolbar';
import { useColumns } from './use_columns';
import { tableText } from './data/words';

/** Details beside a table: their share of its width, limits and gap in pixels. */
const PANEL = { share: 0.32, least: 340, most: 416, gap: 10 };
/** In less width (pixels) the details go below the table, so that its name, A, B and difference stay in view. */
const MIN_BESIDE = 880;
/** The last table's width, the first guess for the next one. */
const lastTable = { width: 0 };

interface Props {
  name: string;
  /** only the first rows of a long table */
  table: Table;
  /** where the other rows are fetched from; null if there are no others */
  source?: RowSource | null;
  /** identifies the comparison, if rows have times of several steps; else "" */
  stepped?: string;
  address: Address;
  /** step time of the shorter side in microseconds, like the delta columns; null if unknown or if the deltas are not of steps */
  stepTime: number | null;
  words: MetricWords;
  /** whether rows add up: false if several rows hold the same time */
  sums?: boolean;
  onChange: (change: Change) => void;
  /** a picture above the rows; `rows.open` shows the details of a row */
  figure?: ((rows: FigureRows) => preact.ComponentChildren) | undefined;
  /** a further control for the toolbar */
  choice?: preact.ComponentChildren;
  /** a picture of all rows, shown in their place if chosen */
  whole?: WholePicture | undefined;
  /** heading above a group of columns, "" for none */
  group?: ((column: Column) => string) | undefined;
  /** content of the details of the row with this key, such as its steps */
  detail?: ((key: string) => preact.ComponentChildren) | undefined;
  /** extra content of the details of the row with this key, such as links */
  extra: (key: string) => preact.ComponentChildren;
}

/** Key of the row whose details are open, "" for none; and the callback that opens another row. */
export interface FigureRows {
  key: string;
  open: (key: string) => void;
}

/** A picture of all rows: its name, whether the status filters it, and whether it is shown in their place. */
export interface WholePicture {
  name: string;
  withStates: boolean;
  shown: boolean;
  onShow: (shown: boolean) => void;
  draw: (rows: FigureRows) => preact.ComponentChildren;
}

export function TableView({ name, table: first, source = null, stepped = '', address, stepTime, words, sums = true, onChange, figure, choice, whole: picture, group, detail, extra }: Props) {
  const [open, setOpen] = useState(address.row !== '');
  const [grid, width] = useWidth(lastTable);
  // the server does not search by regular expression: all rows are fetched
  const { words: searched, query, error } = useSearch(address.q);
  const regex = isRegex(searched) && isCut(first) && source !== null;
  const whole = useAllRows(regex ? source : null, first, []);
  const base = (regex ? whole.table : null) ?? first;
  const stacked = width > 0 && width < MIN_BESIDE;
  const panelWidth = Math.round(Math.min(PANEL.most, Math.max(PANEL.least, PANEL.share * width)));
  const details = open && address.row !== '';
  const room = width - (details && !stacked ? panelWidth + PANEL.gap : 0);
  const grouped = group !== undefined;
  const { views, every, choices, columns, widths, metric, measure } = useColumns(first, base, { address, grouped, stepped: stepped !== '', stepTime, words, room, details });
  const { shown, remote, sort, named, summed, minimum, filtered } = useChosenRows(first, base, regex ? null : source, { address, words: searched, query, views, every, metric, grouped, stepTime });
  const { rows } = shown;
  const { table, pinned } = usePinnedRows(isCut(first) ? source : null, shown.table, address.pins);
  const lines = useStepLines(columns.some(({ column }) => column.name === STEP_COLUMN) ? source : null, stepped, measure, { ...shown, table });
  const onView = useCallback(
    (from: number, end: number): void => {
      remote.onView(from, end);
      lines.onView(from, end);
    },
    [remote.onView, lines.onView],
  );
  const listed = !picture?.shown;
  const failure = remote.failure ?? whole.failure;
  const waiting = remote.waiting || (regex && whole.table === null && failure === null);
  const selectedRow = useMemo(() => (address.row === '' ? -1 : findRow(table, address.row)), [table, address.row]);
  const pin = (key: string): void => onChange({ pins: togglePin(address.pins, key) });
  const selected = selectedRow < 0 ? -1 : rows.indexOf(selectedRow);

  useLayoutEffect(() => {
    if (address.row !== '') setOpen(true);
  }, [name]);

  const focusGrid = (): void => grid.current?.querySelector<HTMLElement>('.grid')?.focus();
  const select = (place: number): void => {
    if (table.rows[rows[place] ?? -1]) onChange({ row: rowKey(table, rows[place]!) }); // others are being fetched
  };
  const close = (): void => {
    setOpen(false);
    onChange({ row: '' });
    focusGrid();
  };
  const everything: Change = { q: '', status: 'all', category: '', clear: false, min: minimum === null ? null : 0 };
  const clear = (): void => onChange(everything);
  /** Opens a row's details; clears the filters if they hide the row. */
  const openRow = (key: string): void => {
    onChange({ ...(rows.includes(findRow(table, key)) ? {} : everything), row: key });
    setOpen(true);
  };
  const figured: FigureRows = { key: address.row, open: openRow };
  return (
    <div class="table-view stack" ref={grid} aria-busy={waiting}>
      {figure?.(figured)}
      <TableTools table={first} withStatus={shown.withStatus} views={choices} address={address} minimum={listed && ((address.min ?? 0) > 0 || !isSmall(first)) ? minimum : null} error={error} whole={words.whole} listed={listed} withStates={listed || picture!.withStates} onChange={onChange}>
        {choice}
        {picture && <FormChoice picture={picture} />}
        {listed && <CopyRows name={name} table={table} rows={rows} columns={columns} remote={remote} />}
      </TableTools>
      {failure && (
        <p class="table-notes error-text small" role="alert">
          {failureLine(failure)}
        </p>
      )}
      {regex && whole.table && isCut(whole.table) && <p class="table-notes muted small">{tableText.searched(whole.table.rows.length)}</p>}
      {listed && <Notes notes={table.notes} />}
      <div class={`table-body${stacked ? ' stacked' : ''}`}>
        {!listed ? (
          picture!.draw(figured)
        ) : rows.length > 0 ? (
          <Grid
            table={table}
            rows={rows}
            columns={columns}
            sort={named}
            group={group}
            selected={selected}
            onSort={(column, add) => {
              const view = every.find((one) => one.column.name === column);
              onChange({ sort: writeSort(nextSort(sort, column, view?.numeric ?? false, add)) });
            }}
            onSelect={select}
            pinned={pinned}
            onPin={(place) => table.rows[rows[place]!] && pin(rowKey(table, rows[place]!))}
            widths={widths}
            onWidth={(column, width) => onChange({ widths: withWidth(address.widths, column, width) })}
            picture={lines.picture}
            onView={onView}
            onOpen={(place) => {
              select(place);
              setOpen(true);
            }}
          />
        ) : (
          <div class="nothing stack soft" role="status">
            <p>{waiting ? text.lazy.loading : name === 'recommendations' ? tableText.noAdvice : nothingText(shown, minimum ?? 0, words)}</p>
            {shown.total > 0 && filtered && (
              <Button onClick={clear}>{tableText.clearFilters}</Button>
            )}
          </div>
        )}
        {open && selectedRow >= 0 && table.rows[selectedRow] && (
          <RowPanel
            width={stacked ? null : panelWidth}
            leading={metric?.name ?? ''}
            table={table}
            views={views}
            row={selectedRow}
            onMove={(step) => {
              const next = selected + step;
              if (next >= 0 && next < rows.length && table.rows[rows[next]!]) select(next);
            }}
            onClose={close}
            isPinned={pinned.includes(selectedRow)}
            onPin={() => pin(rowKey(table, selectedRow))}
            picture={detail?.(rowKey(table, selectedRow))}
          >
            {extra(rowKey(table, selectedRow))}
          </RowPanel>
        )}
      </div>
      {listed && <Footer shown={shown} view={sums ? summed : undefined} sides={sums ? sidesOf(views, summed) : []} minimum={minimum ?? 0} words={words} onShow={() => onChange({ min: 0 })} />}
    </div>
  );
}

/** The A and B columns of a time difference; [] unless both exist. */
function sidesOf(views: ColumnView[], delta: ColumnView | undefined): ColumnView[] {
  const found = (['baseline', 'candidate'] as const).flatMap((role) => views.filter(({ column }) => column.role === role && column.kind === 'time_us' && column.measure === delta?.column.measure).slice(0, 1));
  return found.length === 2 ? found : [];
}

function nothingText({ total, hidden }: ShownRows, minimum: number, words: MetricWords): string {
  if (total === 0) return tableText.empty;
  if (hidden > 0) return tableText.hiddenAll(formatPercent(minimum), words.the);
  return tableText.nothing;
}

/** Start of a note meant for reports; nearly every table has it, so the page leaves it out. */
const READING = 'Corrected reading (';

function Notes({ notes }: { notes: string[] }) {
  const narrow = useMatches(PHONE); // phones show one line, the rest on a tap
  const [first, ...rest] = notes.filter((note) => !note.startsWith(READING)).map(sentence);
  if (first === undefined) return null;
  if (rest.length === 0 && !narrow) return <p class="table-notes muted small">{first}</p>;
  return (
    <details class="table-notes muted small">
      <summary>{first}</summary>
      {rest.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </details>
  );
}

function FormChoice({ picture: { name, shown, onShow } }: { picture: WholePicture }) {
  return <Segments label={tableText.form} all={[false, true]} chosen={(drawn) => shown === drawn} name={(drawn) => (drawn ? name : tableText.rowsForm)} onChoose={onShow} />;
}

interface FooterProps {
  shown: ShownRows;
  /** the column that is summed; undefined for none */
  view: ColumnView | undefined;
  /** its A and B columns, [] if the table lacks them */
  sides: ColumnView[];
  minimum: number;
  words: MetricWords;
  onShow: () => void;
}

function Footer({ shown, view, sides, minimum, words, onShow }: FooterProps) {
  const { style } = view ?? { style: null };
  const sums = useMemo(() => (style ? shown.sums(view!.column.name) : null), [shown, view]);
  const totals = useMemo(() => sides.map((side) => shown.sums(side.column.name).shown), [shown, sides.map((side) => side.column.name).join()]);
  const total = (at: number): string => (style && typeof totals[at] === 'number' ? formatWithUnit(style, totals[at]) : '');
  const sum = (of: number | null | undefined): string => (style ? `${cellText(view!, of)}\u202f${style.unit}` : '');
  return (
    <footer class="table-footer wrap small soft">
      <span role="status">{tableText.rows(shown.rows.length, shown.total)}</span>
      {sums && shown.rows.length > 0 && <span>{tableText.sumShown(sum(sums.shown), total(0), total(1))}</span>}
      {sums && shown.rows.length < shown.total && <span>{tableText.sumAll(sum(sums.all))}</span>}
      {shown.hidden > 0 && (
        <span>
          {tableText.hidden(shown.hidden, formatSetting(minimum), words.the, sum(sums?.hidden))}{' '}
          <LinkButton onClick={onShow}>{tableText.show}</LinkButton>
        </span>
      )}
    </footer>
  );
}
