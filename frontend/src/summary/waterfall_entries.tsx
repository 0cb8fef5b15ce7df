// Entries of a part of the waterfall, its largest changes first; loaded when one is opened.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Ledger, LedgerRow } from '../contract/wire';
import { LinkButton } from '../ui/buttons';
import { Delta } from '../ui/delta';
import { finer, formatCount, formatIn, NOT_MEASURED, type NumberStyle, timeStyle } from '../ui/format';
import { Icon } from '../ui/icons';
import { NameText } from '../ui/name_text';
import { shortOf } from '../ui/names';
import { text, type MetricWords } from '../ui/strings';
import { entities, ledgerUs, partsOf, restOf, type Amounts } from './ledger';

const ENTRIES = 8;

export function Entries({ ledger, words, category, style, onAll }: { ledger: Ledger; words: MetricWords; category: string; style: NumberStyle; onAll: () => void }) {
  const rows = entities(ledger, category);
  if (rows.length === 0) return <p class="entries muted">{text.waterfall.noEntries}</p>;
  const listed = rows.slice(0, ENTRIES);
  const own = timeStyle(listed.flatMap((row) => [ledgerUs(ledger, row.delta), ledgerUs(ledger, row.baseline)]));
  const show = own.scale < style.scale ? own : finer(style);
  const time = (value: number, signed: boolean): string => formatIn(show, ledgerUs(ledger, value), signed);
  const rest = rows.length > ENTRIES ? restOf(rows.slice(ENTRIES)) : null;
  return (
    <div class="entries">
      <table class="small-table wide">
        <thead>
          <tr>
            <th scope="col">{text.waterfall.entry}</th>
            <th scope="col" class="num">{text.letterA} {show.unit}</th>
            <th scope="col" class="num">{text.letterB} {show.unit}</th>
            <th scope="col" class="num">Δ {show.unit}</th>
            <th scope="col" class="num" title={text.waterfall.callsAbout(words.each)}>{text.waterfall.calls}</th>
          </tr>
        </thead>
        <tbody>
          {listed.map((row) => (
            <Entry key={row.path[1]} row={row} name={shortOf(ledger.short_names, row.path[1] ?? '')} parts={partsOf(ledger, row)} time={time} />
          ))}
          {rest && <EntryRow row={rest} name={text.waterfall.rest(rest.count)} time={time} classes="muted" />}
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
    <button type="button" class="entry-open turns" aria-expanded={open} title={text.waterfall.parts(row.path[1] ?? '')} onClick={() => setOpen(!open)}>
      <Icon name="chevron" size={12} />
      <NameText name={name} />
    </button>
  );
  return (
    <>
      <EntryRow row={row} name={toggle} time={time} />
      {open && parts.map((part) => <EntryRow key={part.path[2]} row={part} name={<span class="part-name three-lines">{part.path[2]}</span>} time={time} classes="part soft" />)}
    </>
  );
}

interface EntryRowProps {
  /** a row of the ledger, or the sum of several */
  row: Amounts & Partial<LedgerRow>;
  name: ComponentChildren;
  time: (value: number, signed: boolean) => string;
  classes?: string;
}

function EntryRow({ row, name, time, classes }: EntryRowProps) {
  const chip = text.table.chips[row.status ?? ''];
  return (
    <tr class={classes}>
      <td class={row.path && 'entry-name'} title={row.path?.at(-1)}>
        {name}
        {chip && <span class={`chip chip-${chip.style}`}>{chip.word}</span>}
      </td>
      <td class="num">{row.status === 'added' ? NOT_MEASURED : time(row.baseline, false)}</td>
      <td class="num">{row.status === 'removed' ? NOT_MEASURED : time(row.candidate, false)}</td>
      <td class="num">
        <Delta value={row.delta}>{time(row.delta, true)}</Delta>
      </td>
      <td class="num">{row.calls && [...new Set(row.calls)].map((calls) => formatCount(calls)).join(' → ')}</td>
    </tr>
  );
}
