// Waterfall chart from A to B: one bar per part of the step, each starting where the previous one ends.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { niceTicks } from '../charts/ticks';
import type { Ledger, LedgerRow, Table } from '../contract/wire';
import { Delta } from '../ui/delta';
import { finer, formatCount, formatIn, formatP, formatRound, NOT_MEASURED, type NumberStyle, timeStyle } from '../ui/format';
import { LinkButton } from '../ui/buttons';
import { Icon } from '../ui/icons';
import { NameText } from '../ui/name_text';
import { shortNames } from '../ui/names';
import { Badge } from '../ui/sides';
import { text, type MetricWords } from '../ui/strings';
import { atEqualSpeed, type AtEqualSpeed } from './equal_speed';
import { categories, entities, ledgerUs, partsOf, recorded, restOf, isExactSum, type Amounts } from './ledger';
import { foldedBars, waterfall, type Waterfall } from './waterfall';

const ENTRIES = 8;
/** p up to which a change at equal machine speed is coloured */
const SIGNIFICANT = 0.05;

interface Props {
  ledger: Ledger;
  /** table of the categories, for their changes at equal machine speed */
  table?: Table | undefined;
  words: MetricWords;
  /** omits parts that are zero on both sides */
  omitEmpty: boolean;
  selected: string;
  onSelect: (category: string) => void;
  onAll: () => void;
}

export function WaterfallView({ ledger, table, words, omitEmpty, selected, onSelect, onAll }: Props) {
  const all = categories(ledger).filter((row) => recorded(ledger, row.path[0]!).some(Boolean));
  const rows = omitEmpty ? all.filter((row) => row.baseline !== 0 || row.candidate !== 0) : all;
  const us = (value: number): number => ledgerUs(ledger, value);
  const figure = waterfall(
    us(ledger.baseline),
    us(ledger.candidate),
    rows.map((row) => ({ label: row.path[0] ?? '', delta: us(row.delta) })),
  );
  const [unfolded, setUnfolded] = useState(false);
  const bars = useRef<HTMLDivElement>(null);
  // unfolding removes the focused button, so the focus moves to the first unfolded bar
  useLayoutEffect(() => {
    if (unfolded) bars.current?.querySelectorAll<HTMLElement>('.fall[aria-expanded]')[foldedBars(figure.bars, selected)[0].length]?.focus();
  }, [unfolded]);
  const [shown, folded] = unfolded ? [figure.bars, []] : foldedBars(figure.bars, selected);
  const style = timeStyle([us(ledger.baseline), us(ledger.candidate)]);
  const withUnit = (value: number, signed = false): string => `${formatIn(signed ? finer(style) : style, value, signed)}\u202f${style.unit}`;
  const scale = (value: number): number => (100 * (value - figure.low)) / (figure.high - figure.low);
  const paced = atEqualSpeed(table);
  const pacedOf = (label: string) => paced.size > 0 && <Paced change={paced.get(label)} withUnit={withUnit} />;
  const [late, later] = ledger.backlog ?? [0, 0];
  const parts = figure.bars.filter((bar) => bar.delta !== 0).map((bar) => `${bar.label} ${withUnit(bar.delta, true)}`);
  return (
    <section class="panel waterfall" aria-label={text.waterfall.region}>
      <header>
        <h2 class="section-title strong">{text.waterfall.title}</h2>
        <p class="muted">{words.parts}</p>
      </header>
      <p class="sr">{text.waterfall.label(words.total, withUnit(us(ledger.baseline)), withUnit(us(ledger.candidate)), parts.join(', ') || text.waterfall.noChange)}</p>
      <div class={`falls${paced.size > 0 ? ' with-paced' : ''}`} ref={bars}>
        <Axis figure={figure} style={style} scale={scale} paced={paced.size > 0} />
        <Total letter="a" name={text.sideA} value={us(ledger.baseline)} shown={withUnit(us(ledger.baseline))} scale={scale} broken={figure.broken} />
        {shown.map((bar) => (
          <div key={bar.label}>
            <button
              type="button"
              class={`fall${selected === bar.label ? ' selected' : ''}${bar.delta === 0 ? ' zero' : ''}`}
              aria-expanded={selected === bar.label}
              title={text.waterfall.expand(bar.label)}
              onClick={() => onSelect(selected === bar.label ? '' : bar.label)}
            >
              <span class="fall-label clip">{bar.label}</span>
              <span class="fall-track" aria-hidden="true">
                <span
                  class={`fall-bar ${bar.delta > 0 ? 'bar-more' : bar.delta < 0 ? 'bar-less' : 'bar-zero'}`}
                  style={{ left: `${scale(Math.min(bar.from, bar.to))}%`, width: `${Math.abs(scale(bar.to) - scale(bar.from))}%` }}
                />
                <span class="fall-join" style={{ left: `${scale(bar.to)}%` }} />
              </span>
              <span class="fall-value">
                <Delta value={bar.delta}>{bar.delta === 0 ? '0' : withUnit(bar.delta, true)}</Delta>
              </span>
              {pacedOf(bar.label)}
            </button>
            {selected === bar.label && <Entries ledger={ledger} words={words} category={bar.label} style={style} onAll={onAll} />}
          </div>
        ))}
        {folded.length > 0 && (
          <button type="button" class="fall zero" aria-expanded={false} title={folded.map((bar) => bar.label).join(', ')} onClick={() => setUnfolded(true)}>
            <span class="fall-label clip">
              <Icon name="chevron" size={12} /> {folded.every((bar) => bar.delta === 0) ? text.waterfall.unchanged(folded.length) : text.waterfall.folded(folded.length)}
            </span>
            <span class="fall-track" aria-hidden="true">
              <span class="fall-join" style={{ left: `${scale(us(ledger.candidate))}%` }} />
            </span>
            <span class="fall-value">{withUnit(folded.reduce((sum, bar) => sum + bar.delta, 0), true)}</span>
          </button>
        )}
        <Total letter="b" name={text.sideB} value={us(ledger.candidate)} shown={withUnit(us(ledger.candidate))} scale={scale} broken={figure.broken}>
          {paced.size > 0 && <Paced change={{ us: [...paced.values()].reduce((sum, { us }) => sum + us, 0), p: null }} withUnit={withUnit} />}
        </Total>
      </div>
      <p class="muted small sum">
        {figure.broken && `${text.waterfall.broken} `}
        {!recorded(ledger, 'Kernel').every(Boolean) && `${text.waterfall.cpuAlone(...ledger.not_recorded)} `}
        {rows.length < all.length && `${text.waterfall.empty(all.length - rows.length)} `}
        {isExactSum(ledger) ? text.waterfall.sum(withUnit(us(ledger.delta), true)) : text.waterfall.notSum}
      </p>
      {(late > 0 || later > 0) && (
        <p class="muted small sum backlog" title={text.backlog.about(words.one)}>
          {text.backlog.means(withUnit(us(late)), withUnit(us(later)), words.one)}
        </p>
      )}
    </section>
  );
}

/** The program's part of a bar: its change at equal machine speed. */
function Paced({ change, withUnit }: { change: AtEqualSpeed | undefined; withUnit: (value: number, signed: boolean) => string }) {
  if (!change) return <span class="fall-value" />;
  return (
    <span class="fall-value" title={typeof change.p === 'number' ? text.waterfall.atEqualSpeedP(formatP(change.p)) : text.waterfall.atEqualSpeedAbout}>
      {change.p !== null && change.p <= SIGNIFICANT ? <Delta value={change.us}>{withUnit(change.us, true)}</Delta> : withUnit(change.us, true)}
    </span>
  );
}

function Axis({ figure, style, scale, paced }: { figure: Waterfall; style: NumberStyle; scale: (value: number) => number; paced: boolean }) {
  const ticks = niceTicks(figure.low / style.scale, figure.high / style.scale, 5);
  return (
    <div class="fall-axis muted" aria-hidden="true">
      <span class="fall-label clip">{style.unit}</span>
      <span class="fall-track">
        {ticks.map((tick) => (
          <span key={tick} class="tick" style={{ left: `${scale(tick * style.scale)}%` }}>
            {formatRound(tick)}
          </span>
        ))}
      </span>
      <span class="fall-value">{paced && text.waterfall.asRecorded}</span>
      {paced && (
        <span class="fall-value" title={text.waterfall.atEqualSpeedAbout}>
          {text.waterfall.atEqualSpeed}
        </span>
      )}
    </div>
  );
}

interface TotalProps {
  letter: 'a' | 'b';
  name: string;
  value: number;
  shown: string;
  scale: (value: number) => number;
  broken: boolean;
  children?: ComponentChildren;
}

function Total({ letter, name, value, shown, scale, broken, children }: TotalProps) {
  return (
    <div class={`fall total total-${letter}`}>
      <span class="fall-label clip">
        <Badge side={letter} /> {name}
      </span>
      <span class="fall-track" aria-hidden="true">
        <span class={`fall-bar bar-${letter}`} style={{ left: '0%', width: `${scale(value)}%` }} />
        {broken && <span class="break" />}
        {letter === 'a' && <span class="fall-join" style={{ left: `${scale(value)}%` }} />}
      </span>
      <span class="fall-value">{shown}</span>
      {children}
    </div>
  );
}

function Entries({ ledger, words, category, style, onAll }: { ledger: Ledger; words: MetricWords; category: string; style: NumberStyle; onAll: () => void }) {
  const rows = entities(ledger, category);
  if (rows.length === 0) return <p class="entries muted">{text.waterfall.noEntries}</p>;
  const listed = rows.slice(0, ENTRIES);
  const names = shortNames(listed.map((row) => row.path[1] ?? ''));
  const own = timeStyle(listed.flatMap((row) => [ledgerUs(ledger, row.delta), ledgerUs(ledger, row.baseline)]));
  const show = own.scale < style.scale ? own : finer(style);
  const time = (value: number, signed: boolean): string => formatIn(show, ledgerUs(ledger, value), signed);
  const rest = rows.length > ENTRIES ? restOf(rows.slice(ENTRIES)) : null;
  return (
    <div class="entries">
      <table>
        <thead>
          <tr>
            <th scope="col">{text.waterfall.entry}</th>
            <th scope="col" class="num">{text.letterA} {show.unit}</th>
            <th scope="col" class="num">{text.letterB} {show.unit}</th>
            <th scope="col" class="num">Δ {show.unit}</th>
            <th scope="col" class="num" title={text.waterfall.callsAbout(words.each)}>{text.waterfall.calls}</th>
            <th scope="col" class="num" title={text.waterfall.countAbout}>{text.waterfall.countEffect}</th>
            <th scope="col" class="num" title={text.waterfall.rateAbout}>{text.waterfall.rateEffect}</th>
          </tr>
        </thead>
        <tbody>
          {listed.map((row, index) => (
            <Entry key={row.path[1]} row={row} name={names[index] ?? ''} parts={partsOf(ledger, row)} time={time} />
          ))}
          {rest && <EntryRow row={rest} name={text.waterfall.rest(rest.count)} time={time} look="muted" />}
        </tbody>
      </table>
      <LinkButton onClick={onAll}>{text.waterfall.all(rows.length)}</LinkButton>
    </div>
  );
}

/** An entry of the ledger; a click unfolds its parts. */
function Entry({ row, name, parts, time }: { row: LedgerRow; name: string; parts: LedgerRow[]; time: (value: number, signed: boolean) => string }) {
  const [open, setOpen] = useState(false);
  if (parts.length === 0) return <EntryRow row={row} name={<NameText name={name} />} time={time} />;
  const toggle = (
    <button type="button" class="entry-open" aria-expanded={open} title={text.waterfall.parts(row.path[1] ?? '')} onClick={() => setOpen(!open)}>
      <Icon name="chevron" size={12} />
      <NameText name={name} />
    </button>
  );
  return (
    <>
      <EntryRow row={row} name={toggle} time={time} />
      {open && parts.map((part) => <EntryRow key={part.path[2]} row={part} name={<span class="part-name">{part.path[2]}</span>} time={time} look="part soft" />)}
    </>
  );
}

interface EntryRowProps {
  /** a row of the ledger, or the sum of several */
  row: Amounts & Partial<LedgerRow>;
  name: ComponentChildren;
  time: (value: number, signed: boolean) => string;
  look?: string;
}

function EntryRow({ row, name, time, look }: EntryRowProps) {
  const chip = text.table.chips[row.status ?? ''];
  return (
    <tr class={look}>
      <td class={row.path && 'entry-name'} title={row.path?.at(-1)}>
        {name}
        {chip && <span class={`chip chip-${chip.look}`}>{chip.word}</span>}
      </td>
      <td class="num">{row.status === 'added' ? NOT_MEASURED : time(row.baseline, false)}</td>
      <td class="num">{row.status === 'removed' ? NOT_MEASURED : time(row.candidate, false)}</td>
      <td class="num">
        <Delta value={row.delta}>{time(row.delta, true)}</Delta>
      </td>
      <td class="num">{row.calls && <>{formatCount(row.calls[0])} → {formatCount(row.calls[1])}</>}</td>
      <td class="num">{time(row.count_effect, true)}</td>
      <td class="num">{time(row.rate_effect, true)}</td>
    </tr>
  );
}
