// Waterfall chart from A to B: one bar per part of the step, each starting where the previous one ends.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { niceTicks } from '../charts/ticks';
import type { Cell, Ledger, Table } from '../contract/wire';
import { Delta } from '../ui/delta';
import { finer, formatP, formatRound, formatWithUnit, type NumberStyle, timeStyle } from '../ui/format';
import { Icon } from '../ui/icons';
import { Lazy } from '../ui/lazy';
import { Badge } from '../ui/sides';
import { text, type MetricWords } from '../ui/strings';
import { atEqualSpeed, categories, ledgerUs, recorded, isExactSum } from './ledger';
import { foldedBars, waterfall, type Waterfall } from './waterfall';

const loadEntries = () => import('./waterfall_entries').then((part) => part.Entries);
/** p up to which a change at equal machine speed is colored */
const SIGNIFICANT = 0.05;

interface Props {
  ledger: Ledger;
  /** table of the categories, for their changes at equal machine speed */
  table?: Table | undefined;
  words: MetricWords;
  selected: string;
  onSelect: (category: string) => void;
  onAll: () => void;
}

export function WaterfallView({ ledger, table, words, selected, onSelect, onAll }: Props) {
  // parts that are zero or not recorded on both sides are not drawn
  const rows = categories(ledger).filter((row) => (row.baseline !== 0 || row.candidate !== 0) && recorded(ledger, row.path[0]!).some(Boolean));
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
  const withUnit = (value: number, signed = false): string => formatWithUnit(signed ? finer(style) : style, value, signed);
  const scale = (value: number): number => (100 * (value - figure.low)) / (figure.high - figure.low);
  const paced = atEqualSpeed(table);
  const atEqual = (change?: [us: number, p: Cell]) => paced.size > 0 && <Paced change={change} withUnit={withUnit} />;
  const [late, later] = ledger.backlog ?? [0, 0];
  const parts = figure.bars.filter((bar) => bar.delta !== 0).map((bar) => `${bar.label} ${withUnit(bar.delta, true)}`);
  return (
    <section class="panel waterfall" aria-label={text.waterfall.region}>
      <header>
        <h2>{text.waterfall.title}</h2>
        <p class="muted">{words.parts}</p>
      </header>
      <p class="sr">{text.waterfall.label(words.total, withUnit(us(ledger.baseline)), withUnit(us(ledger.candidate)), parts.join(', ') || text.waterfall.noChange)}</p>
      <div class="falls" ref={bars}>
        <Axis figure={figure} style={style} scale={scale} paced={paced.size > 0} />
        <Total letter="a" name={text.sideA} value={us(ledger.baseline)} shown={withUnit(us(ledger.baseline))} scale={scale} broken={figure.broken}>
          {atEqual()}
        </Total>
        {shown.map((bar) => (
          <div key={bar.label}>
            <button
              type="button"
              class={`fall hover${selected === bar.label ? ' selected' : ''}${bar.delta === 0 ? ' zero' : ''}`}
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
              {atEqual(paced.get(bar.label))}
            </button>
            {selected === bar.label && <Lazy load={loadEntries} height={120} props={{ ledger, words, category: bar.label, style, onAll }} />}
          </div>
        ))}
        {folded.length > 0 && (
          <button type="button" class="fall zero hover" aria-expanded={false} title={folded.map((bar) => bar.label).join(', ')} onClick={() => setUnfolded(true)}>
            <span class="fall-label clip">
              <Icon name="chevron" size={12} /> {folded.every((bar) => bar.delta === 0) ? text.waterfall.unchanged(folded.length) : text.waterfall.folded(folded.length)}
            </span>
            <span class="fall-track" aria-hidden="true">
              <span class="fall-join" style={{ left: `${scale(us(ledger.candidate))}%` }} />
            </span>
            <span class="fall-value">{withUnit(folded.reduce((sum, bar) => sum + bar.delta, 0), true)}</span>
            {atEqual()}
          </button>
        )}
        <Total letter="b" name={text.sideB} value={us(ledger.candidate)} shown={withUnit(us(ledger.candidate))} scale={scale} broken={figure.broken}>
          {atEqual([[...paced.values()].reduce((sum, [us]) => sum + us, 0), null])}
        </Total>
      </div>
      <p class="muted small sum below">
        {!recorded(ledger, 'Kernel').every(Boolean) && `${text.waterfall.cpuAlone(...ledger.not_recorded)} `}
        {!isExactSum(ledger) && text.waterfall.notSum}
      </p>
      {(late > 0 || later > 0) && (
        <p class="muted small sum backlog below" title={text.backlog.about(words.one)}>
          {text.backlog.means(withUnit(us(late)), withUnit(us(later)), words.one)}
        </p>
      )}
    </section>
  );
}

/** The program's part of a bar: its change at equal machine speed. */
function Paced({ change, withUnit }: { change?: [us: number, p: Cell] | undefined; withUnit: (value: number, signed: boolean) => string }) {
  const [us, p] = change ?? [];
  const shown = us === undefined ? '' : withUnit(us, true);
  return (
    <span class="fall-value" title={text.waterfall.equalSpeed(typeof p === 'number' ? formatP(p) : '')}>
      {typeof p === 'number' && p <= SIGNIFICANT ? <Delta value={us!}>{shown}</Delta> : shown}
    </span>
  );
}

function Axis({ figure, style, scale, paced }: { figure: Waterfall; style: NumberStyle; scale: (value: number) => number; paced: boolean }) {
  const ticks = niceTicks(figure.low / style.scale, figure.high / style.scale, paced ? 3 : 5); // a second column leaves less room
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
      {paced && <span class="fall-value">{text.waterfall.atEqualSpeed}</span>}
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
  children: ComponentChildren;
}

function Total({ letter, name, value, shown, scale, broken, children }: TotalProps) {
  return (
    <div class={`fall total total-${letter}`}>
      <span class="fall-label clip">
        <Badge side={letter} /> {name}
      </span>
      <span class="fall-track" aria-hidden="true">
        <span class={`fall-bar bar-${letter}`} style={{ left: '0%', width: `${scale(value)}%` }} />
        {broken && <span class="break" title={text.waterfall.broken} />}
        {letter === 'a' && <span class="fall-join" style={{ left: `${scale(value)}%` }} />}
      </span>
      <span class="fall-value">{shown}</span>
      {children}
    </div>
  );
}
