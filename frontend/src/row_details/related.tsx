// Rows of other tables related to a row, its callees, and links to other places that show it.

import type { Change } from '../host/use_address';
import { LinkButton } from '../ui/buttons';
import { Delta } from '../ui/delta';
import { formatCount, formatTime } from '../ui/format';
import { shortOf } from '../ui/names';
import type { RowLink } from './links';
import { differenceOf, type Difference } from './paths';
import type { RelatedRow, RowPaths } from '../contract/sent';
import { words } from './words';

type Go = (change: Change) => void;

interface RelatedProps {
  found: RowPaths;
  what: string;
  rows: RelatedRow[];
  others: number;
  onGo: Go;
}

export function Related({ found, what, rows, others, onGo }: RelatedProps) {
  return (
    <section class="row-related apart" aria-label={words.related[what] ?? what}>
      <h3>{words.related[what] ?? what}</h3>
      <ul>
        {rows.map((row) => {
          const time = differenceOf(row.time, found.denominator, 1000);
          return (
            <li key={`${row.table} ${row.row} ${row.name}`}>
              <LinkButton title={row.name} onClick={() => onGo({ tab: row.table, min: 0, row: row.row })}>
                {row.name === '' ? words.noShape : shortOf(found.short_names, row.name)}
              </LinkButton>
              <Delta value={time.delta}>{formatTime(time.delta, true)}</Delta>
            </li>
          );
        })}
        {others > 0 && <li class="muted">{words.others(others)}</li>}
      </ul>
    </section>
  );
}

/** Times of A, B and their difference, and calls if known. */
export function Numbers({ time, calls }: { time: Difference; calls?: Difference }) {
  return (
    <span class="path-numbers small">
      <span class="text-a">{formatTime(time.a)}</span>
      <span class="text-b">{formatTime(time.b)}</span>
      <Delta value={time.delta}>{formatTime(time.delta, true)}</Delta>
      {calls && (
        <span class="muted" title={`${words.calls} ${words.per}`}>
          {calls.a === calls.b ? '' : `${formatCount(calls.a)} → `}
          {formatCount(calls.b)} ×
        </span>
      )}
    </span>
  );
}

/** The lower half of the sandwich view: self time, then the callees, on one scale. */
export function Callees({ found, callees, onGo }: { found: RowPaths; callees: NonNullable<RowPaths['callees']>; onGo: Go }) {
  const lines = [
    { name: words.own, full: '', table: '', time: callees.own },
    ...callees.rows.map(({ name, table, time }) => ({ name: shortOf(found.short_names, name), full: name, table, time })),
    ...(callees.rest.callees > 0 ? [{ name: words.others(callees.rest.callees), full: '', table: '', time: callees.rest.time }] : []),
  ];
  const longest = Math.max(...lines.flatMap(({ time }) => time.map((one) => one ?? 0)), 1);
  const bar = (side: 'a' | 'b', time: number | null) => <span class={`callee-bar text-${side}`} style={{ width: `${(100 * (time ?? 0)) / longest}%` }} />;
  return (
    <section class="row-related callees apart" aria-label={words.callees}>
      <h3 title={words.calleesAbout}>{words.callees}</h3>
      <ul>
        {lines.map(({ name, full, table, time }) => {
          const figures = differenceOf(time, found.denominator, 1000);
          return (
            <li key={`${table} ${full} ${name}`}>
              {table === '' ? (
                <span class="muted" title={full}>
                  {name}
                </span>
              ) : (
                <LinkButton title={full} onClick={() => onGo({ tab: table, min: 0, row: full })}>{name}</LinkButton>
              )}
              <Numbers time={figures} />
              <span class="callee-bars" aria-hidden="true">
                {bar('a', time[0])}
                {bar('b', time[1])}
              </span>
            </li>
          );
        })}
      </ul>
      <p class="muted small path-sum">{words.calleesSum}</p>
    </section>
  );
}

export function Links({ links, tree, name, onGo }: { links: RowLink[]; tree: RowPaths['call_tree']; name: string; onGo: Go }) {
  if (links.length === 0 && !tree) return null;
  return (
    <section class="row-links apart" aria-label={words.links}>
      <h3>{words.links}</h3>
      <ul>
        {tree && (
          <li>
            <LinkButton onClick={() => onGo({ tab: 'call_tree', min: 0, row: tree.row, zoom: tree.row })}>{words.flame(tree.frames)}</LinkButton>
            {tree.frames > 1 && (
              <LinkButton onClick={() => onGo({ tab: 'call_tree', min: 0, q: name })}>{words.flameAll}</LinkButton>
            )}
          </li>
        )}
        {links.map((link, index) => (
          <li key={index}>
            <LinkButton onClick={() => onGo(link.change)}>
              {link.what === 'attribution' ? words.attribution(link.about) : link.what === 'timelines' ? words.timelines : words.finding}
            </LinkButton>
            {link.what === 'finding' && <span class="muted">{link.about}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
