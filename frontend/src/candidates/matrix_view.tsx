// Draws the matrix of candidates: how much each part of the step, or each kernel, changed. A cell opens its pair at its row.

import { useRef, useState } from 'preact/hooks';
import type { Side } from '../contract/wire';
import type { Change } from '../host/use_address';
import { Segments } from '../ui/controls/segments';
import { formatPercent, formatSetting, formatTime, NOT_MEASURED } from '../ui/format';
import { shortOf, type ShortNames } from '../ui/names';
import { runLabels } from '../ui/run_names';
import { sideText } from '../ui/pair_lines';
import { text } from '../ui/strings';
import { type Against, changeOf, deltaOf, levelOf, LEVELS, matrixRows, rowTable } from './matrix';
import type { Row, RowTimes } from './wire';
import { words } from './words';
import { Swatch } from '../ui/controls/swatch';

interface Props {
  candidates: Side[];
  rows: (Row | undefined)[];
  /** comma-separated: `rows` shows table rows instead of parts, `step` shows changes as fractions of the step */
  options: string;
  onOptions: (options: string) => void;
  /** opens a candidate's pair at the chosen row */
  onOpen: (candidate: Side, at: Change) => void;
}

const TURNS: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export function MatrixView({ candidates, rows, options, onOptions, onOpen }: Props) {
  const [at, setAt] = useState<[number, number]>([0, 0]);
  const body = useRef<HTMLTableSectionElement>(null);
  const parts = options.split(',');
  const other = rowTable(rows);
  const table = parts.includes('rows') ? other : '';
  const against: Against = parts.includes('step') ? 'step' : 'row';
  const shown = matrixRows(rows, candidates.length, table);
  const places = candidates.map((_, place) => place).filter((place) => rows[place]?.result);
  const labels = runLabels(candidates.map(sideText));
  const short: ShortNames = Object.assign({}, ...rows.map((row) => row?.result?.short_names));
  const names = shown.map(({ name }) => shortOf(short, name));
  const step = (place: number): number | null => rows[place]!.result!.headline.baseline;
  const whole = places.map((place) => {
    const { baseline, candidate } = rows[place]!.result!.headline;
    return { place, times: { name: '', baseline_us: baseline, candidate_us: candidate } };
  });
  const say = (nextTable: boolean, next: Against): void => onOptions([nextTable ? 'rows' : '', next === 'step' ? 'step' : ''].filter(Boolean).join(','));
  const open = (place: number, name: string): void =>
    onOpen(candidates[place]!, name === '' ? {} : table === '' ? { category: name } : { tab: table, row: name });

  /** Arrow keys move between cells; Tab leaves the matrix. */
  const turn = (event: KeyboardEvent): void => {
    const way = TURNS[event.key];
    const cell = (event.target as HTMLElement).closest('td');
    if (!way || !cell) return;
    event.preventDefault();
    const lines = [...body.current!.children];
    const line = cell.parentElement!;
    // a row's first cell is its name and has no button
    const next = lines[lines.indexOf(line) + way[0]]?.children[[...line.children].indexOf(cell) + way[1]];
    next?.querySelector('button')?.focus();
  };

  const cell = (row: number, column: number, place: number, name: string, times: RowTimes | null): preact.JSX.Element => {
    const level = times ? levelOf(times, against, step(place)) : 0;
    return (
      <td key={place} class="mx-cell" style={{ background: colorOf(level) }}>
        <button type="button" tabIndex={at[0] === row && at[1] === column ? 0 : -1} title={times ? aboutOf(name, labels[place]!, times) : (table === '' ? words.matrix.notRecorded : words.matrix.notListed)(name, labels[place]!)} onFocus={() => setAt([row, column])} onClick={() => open(place, name)}>
          {times ? changeText(times, against, step(place)) : NOT_MEASURED}
        </button>
      </td>
    );
  };

  return (
    <section class="panel mx apart" aria-label={words.matrix.title}>
      <header>
        <h2>{words.matrix.title}</h2>
        {other !== '' && (
          <Segments label={words.matrix.rows} all={['', other]} chosen={(one) => one === table} name={(one) => words.matrix.of[one] ?? one} onChoose={(one) => say(one !== '', against)} />
        )}
        <Segments label={words.matrix.against} all={['row', 'step'] as const} chosen={(one) => one === against} name={(one) => words.matrix.share[one]} onChoose={(one) => say(table !== '', one)} />
      </header>
      <div class="mx-scroll below">
        <table aria-label={words.matrix.label(words.matrix.share[against])}>
          <thead>
            <tr>
              <th scope="col">{words.matrix.of[table] ?? table}</th>
              {places.map((place) => (
                <th key={place} scope="col" class="mx-run clip" title={sideText(candidates[place]!)}>
                  {labels[place]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body} onKeyDown={turn}>
            <tr class="strong">
              <th scope="row">{words.matrix.whole}</th>
              {whole.map(({ place, times }, column) => cell(0, column, place, '', times))}
            </tr>
            {shown.map((row, index) => (
              <tr key={row.name}>
                <th scope="row" class="clip" title={row.name}>
                  {names[index]}
                </th>
                {places.map((place, column) => cell(index + 1, column, place, row.name, row.cells[place] ?? null))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="legend small soft">
        {LEVELS[against].map((least, index) => (
          <span key={least} class="mx-key inline">
            <Swatch fill={colorOf(index + 1)} />
            <Swatch fill={colorOf(-index - 1)} />
            {words.matrix.from(formatSetting(least))}
          </span>
        ))}
        <span class="muted">{words.matrix.hint}</span>
      </p>
    </section>
  );
}

/** Share of the color mixed in at each level. */
const PERCENTS = ['0%', '12%', '26%', '42%', '60%'];

const colorOf = (level: number): string | undefined => (level === 0 ? undefined : `color-mix(in srgb, var(--${level > 0 ? 'more' : 'less'}-fill) ${PERCENTS[Math.abs(level)]}, var(--panel))`);

function changeText(times: RowTimes, against: Against, step_us: number | null): string {
  const change = changeOf(times, against, step_us);
  if (change === null) return text.table.chips['added']?.word ?? NOT_MEASURED;
  if (times.candidate_us === null && against === 'row') return text.table.chips['removed']?.word ?? NOT_MEASURED;
  return change === 0 ? '0' : formatPercent(change, true);
}

function aboutOf(name: string, run: string, times: RowTimes): string {
  return words.matrix.about(name || words.matrix.whole, run, formatTime(times.baseline_us), formatTime(times.candidate_us), formatTime(deltaOf(times), true));
}
