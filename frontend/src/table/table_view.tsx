// One table with its search, filters, columns and sums.

import { useCallback, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { RowSource } from '../api/api';
import type { Column, Table } from '../contract/wire';
import { copyText, saveFile } from '../host/host';
import type { Address } from '../host/url_state';
import type { Change } from '../host/use_address';
import { failureText } from '../states/failed';
import { formatCount, formatIn, formatPercent, formatSetting } from '../ui/format';
import { Button, LinkButton } from '../ui/buttons';
import { Icon } from '../ui/icons';
import { PHONE } from '../ui/controls/fold';
import { Menu, MenuItem } from '../ui/controls/menu';
import { ShortNames } from '../ui/names';
import { togglePin } from '../ui/pins';
import { isRegex } from '../ui/search';
import { Segments } from '../ui/controls/segments';
import { sentence, text, type MetricWords } from '../ui/strings';
import { useMatches } from '../ui/use_matches';
import { useSearch } from '../ui/use_search';
import { useWidth } from '../ui/use_width';
import { cellText, columnViews, figuresFirst, visibleColumns, type ColumnView } from './columns';
import { MAX_COPIED, tableCsv, tableMarkdown, tableTsv } from './copied';
import { Grid, leastWidth } from './grid';
import { readWidths, withWidth } from './layout/kept_layout';
import { metricOf } from './metric_choice';
import { metricColumns, textsWithin } from './metrics';
import { nextSort, ownOrder, parseSort, writeSort, type SortKey } from './order';
import { RowPanel } from './row_panel';
import { deltaIndexes, findRow, hasNamedRows, isCut, nameIndex, rowKey, defaultThreshold } from './rows';
import { askedOf, localRows, type ShownRows } from './shown_rows';
import { drawnMeasure, STEP_COLUMN, STEP_COLUMN_ROOM, stepColumn, useStepLines } from './step_column';
import { Toolbar } from './toolbar';
import { usePinnedRows } from './fetched/use_pinned_rows';
import { useRemoteRows } from './fetched/use_remote_rows';
import { useAllRows } from './fetched/use_all_rows';
import { tableText } from './words';

/** Columns hidden in this order while a row's details, which repeat them, leave too little room. */
const MIN_NEEDED = ['per_call', 'calls', 'step_percent'];
/** Details beside a table: their share of its width, limits and gap in pixels. */
const PANEL = { share: 0.32, least: 340, most: 416, gap: 10 };
/** In less width (pixels) the details go below the table, so that its name, A, B and difference stay in view. */
const MIN_BESIDE = 880;
/** The last table's width, the first guess for the next one. */
const lastTable = { width: 0 };
/** How long the button says "Copied". */
const COPIED_MS = 2000;

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

/** A picture of all rows: its name, and whether it is shown in their place. */
export interface WholePicture {
  name: string;
  shown: boolean;
  onShow: (shown: boolean) => void;
  draw: (rows: FigureRows) => preact.ComponentChildren;
}

export function TableView({ name, table: first, source = null, stepped = '', address, stepTime, words, sums = true, onChange, figure, choice, whole: picture, group, detail, extra }: Props) {
  const [open, setOpen] = useState(address.row !== '');
  const [grid, width] = useWidth(lastTable);
  // the server does not search by regular expression: all rows are fetched
  const { words: looked, query, error } = useSearch(address.q);
  const regex = isRegex(looked) && isCut(first) && source !== null;
  const whole = useAllRows(regex ? source : null, first, []);
  const base = (regex ? whole.table : null) ?? first;
  const views = useMemo(() => columnViews(base), [base]);
  const metric = useMemo(() => (group ? null : metricOf(first, address.metric, address.sort)), [first, group, address.metric, address.sort]);
  const measure = drawnMeasure(base, metric?.name ?? '');
  const every = useMemo(() => {
    const steps = stepped === '' ? null : stepColumn(views, measure, metric?.name ?? '', words);
    if (!metric) return views;
    return metricColumns(views, base, metric, stepTime, words, steps);
  }, [views, metric, stepped, measure, words, stepTime]);
  const widths = useMemo(() => readWidths(address.widths), [address.widths]);
  // the step column is the first to be hidden
  const usualOnes = visibleColumns(every, address.columns).filter(({ column }) => column.name !== STEP_COLUMN);
  const stacked = width > 0 && width < MIN_BESIDE;
  const panelWidth = Math.round(Math.min(PANEL.most, Math.max(PANEL.least, PANEL.share * width)));
  const room = width - (open && address.row !== '' && !stacked ? panelWidth + PANEL.gap : 0);
  const fits = room >= leastWidth(usualOnes, widths) + STEP_COLUMN_ROOM;
  const choices = useMemo(() => {
    if (fits) return every;
    const others = every.map((view) => (view.column.name === STEP_COLUMN ? { ...view, column: { ...view.column, shown: false } } : view));
    return metric ? textsWithin(others, (shown) => room >= leastWidth(visibleColumns(shown, ''), widths)) : others;
  }, [every, fits, metric, room, widths]);
  const chosen = visibleColumns(choices, address.columns);
  const gives = open && address.row !== '' && address.columns === '' ? MIN_NEEDED : [];
  const fitting = gives.reduce((left, name) => (room < leastWidth(left, widths) ? left.filter(({ column }) => column.name !== name) : left), chosen);
  const columns = useMatches(PHONE) ? figuresFirst(fitting, nameIndex(first), first.rows) : fitting;
  const deltaName = first.columns[metric?.delta ?? deltaIndexes(first)[0] ?? -1]?.name ?? '';
  const own = useMemo(() => (metric ? [] : ownOrder(base, visibleColumns(views, '').map(({ column }) => column))), [base, views, metric]);
  const bySize: SortKey[] = deltaName !== '' && own.length === 0 && !group && hasNamedRows(first) ? [{ column: deltaName, descending: true, size: true }] : [];
  const asked = parseSort(address.sort).map((key): SortKey => {
    const view = every.find(({ column }) => column.name === key.column);
    return { ...key, of: view?.order, asks: view?.asks };
  });
  const sort = address.sort === '' ? bySize : asked;
  const summed = views.find(({ column }) => column.name === deltaName);
  const hasDelta = stepTime !== null && deltaName !== '';
  // a search must find rows however little they changed
  const looking = address.q !== '' || address.status !== 'all';
  // 0 for single launches: each is short, and their order matters
  const usual = looking ? 0 : defaultThreshold(first);
  const minimum = hasDelta ? (address.min ?? usual) : 0;
  const category = address.category === '' ? null : address.category;
  const least = minimum * (stepTime ?? 0);
  const local = useMemo(
    () => localRows(base, { query, category, status: address.status, minDelta: least, clear: address.clear }, sort, (address.min ?? 0) * (stepTime ?? 0)),
    [base, address.min, query, category, address.status, address.clear, least, writeSort(sort)],
  );
  const remote = useRemoteRows(isCut(first) && !regex ? source : null, first, askedOf({ q: looked, status: address.status, category, clear: address.clear, least, sort }), address.row);
  const shown = remote.shown ?? local;
  const { rows } = shown;
  const { table, pinned } = usePinnedRows(isCut(first) ? source : null, shown.table, address.pins);
  const known = useMemo(() => new ShortNames(), [first]);
  const names = useMemo(() => addNames(known, table), [known, table]);
  const lines = useStepLines(columns.some(({ column }) => column.name === STEP_COLUMN) ? source : null, stepped, measure, { ...shown, table });
  const onView = useCallback(
    (from: number, end: number): void => {
      remote.onView(from, end);
      lines.onView(from, end);
    },
    [remote.onView, lines.onView],
  );
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
  const filtered = looking || address.clear || category !== null || minimum > 0;
  const everything: Change = { q: '', status: 'all', category: '', clear: false, min: hasDelta ? 0 : null };
  const clear = (): void => onChange(everything);
  /** Opens a row's details; clears the filters if they hide the row. */
  const openRow = (key: string): void => {
    onChange({ ...(rows.includes(findRow(table, key)) ? {} : everything), row: key });
    setOpen(true);
  };
  const figured: FigureRows = { key: address.row, open: openRow };
  const [copied, setCopied] = useState(false);
  const copy = async (draw: (from: Table, numbers: number[], columns: ColumnView[]) => string): Promise<void> => {
    const every = remote.shown ? await remote.all() : table;
    setCopied(await copyText(draw(every, remote.shown ? [...every.rows.keys()] : rows, columns.filter((view) => view.index >= 0 || view.derive))));
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  const save = (from: Table, numbers: number[]): void => saveFile(`${name}.csv`, tableCsv(from, numbers), 'text/csv;charset=utf-8');

  return (
    <div class="table-view stack" ref={grid} aria-busy={waiting}>
      {figure?.(figured)}
      <Toolbar table={first} withStatus={shown.withStatus} views={choices} address={address} minimum={hasDelta ? minimum : null} error={error} whole={words.whole} onChange={onChange}>
        {choice}
        {picture && <FormChoice picture={picture} />}
        <Menu label={copied ? tableText.copyDone : tableText.copy} icon={copied ? 'check' : 'copy'} align="right" disabled={rows.length === 0}>
          {(close) =>
            (
              [
                [tableText.copyMarkdown, tableMarkdown],
                [tableText.copyTsv, tableTsv],
              ] as const
            ).map(([label, draw]) => (
              <MenuItem key={label} title={tableText.copyAbout(formatCount(MAX_COPIED))} close={close} onChoose={() => void copy(draw)}>
                {label}
              </MenuItem>
            ))
          }
        </Menu>
        <Button
          title={text.actions.shownCsv}
          onClick={() => (remote.shown ? void remote.all().then((every) => save(every, [...every.rows.keys()])) : save(table, rows))}
        >
          <Icon name="export" />
          <span class="button-text">{tableText.csv}</span>
        </Button>
      </Toolbar>
      {failure && (
        <p class="table-notes error-text small" role="alert">
          {sentence(failureText(failure).message)} {sentence(failureText(failure).hint)}
        </p>
      )}
      {regex && whole.table && isCut(whole.table) && <p class="table-notes muted small">{tableText.searched(whole.table.rows.length)}</p>}
      <Notes notes={table.notes} />
      <div class={`table-body${stacked ? ' stacked' : ''}`}>
        {picture?.shown ? (
          picture.draw(figured)
        ) : rows.length > 0 ? (
          <Grid
            table={table}
            rows={rows}
            columns={columns}
            names={names}
            sort={sort.length > 0 ? sort : own}
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
            <p>{waiting ? text.lazy.loading : name === 'recommendations' ? tableText.noAdvice : nothingText(shown, minimum, words)}</p>
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
      <Footer shown={shown} view={sums ? summed : undefined} sides={sums ? sidesOf(views, summed) : []} minimum={minimum} words={words} onShow={() => onChange({ min: 0 })} />
    </div>
  );
}

/** The A and B columns of a time difference; [] unless both exist. */
function sidesOf(views: ColumnView[], delta: ColumnView | undefined): ColumnView[] {
  const found = (['baseline', 'candidate'] as const).flatMap((role) => views.filter(({ column }) => column.role === role && column.kind === 'time_us' && column.measure === delta?.column.measure).slice(0, 1));
  return found.length === 2 ? found : [];
}

/** Adds the names of the rows held; null if the table's rows have no names. */
function addNames(names: ShortNames, table: Table): ShortNames | null {
  const named = nameIndex(table);
  if (named < 0) return null;
  const here: string[] = [];
  table.rows.forEach((cells) => here.push(String(cells[named] ?? ''))); // rows not fetched yet are holes
  names.add(here);
  return names;
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
  const total = (at: number): string => (style && typeof totals[at] === 'number' ? `${formatIn(style, totals[at])}\u202f${style.unit}` : '');
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
