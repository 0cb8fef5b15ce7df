// Points of a series as table rows, newest first.

import { useState } from 'preact/hooks';
import { Button, LinkButton } from '../ui/buttons';
import { Delta } from '../ui/delta';
import { formatIn, formatP, formatPercent, NOT_MEASURED, type NumberStyle } from '../ui/format';
import { Listing } from '../ui/controls/listing';
import { letterOf, LETTERS, type Letter } from '../ui/sides';
import { before, kindOf } from './scale';
import type { History } from './wire';
import { when, words } from './words';

const SHOWN = 100;
const LOOKS = { usual: '', outlier: '', change: ' strong', unsure: ' unsure', unmeasured: ' unsure' };

interface Props {
  history: History;
  style: NumberStyle;
  a: number;
  b: number;
  onLetter: (letter: Letter, place: number) => void;
  onCompare: (a: number, b: number) => void;
}

export function HistoryTable({ history, style, a, b, onLetter, onCompare }: Props) {
  const [shown, setShown] = useState(SHOWN);
  const { points } = history;
  const places = points.map((_, place) => points.length - 1 - place).slice(0, shown);
  const changes = new Map(history.changes.map((change) => [change.point, change]));
  const inUnit = (label: string) => [label, ' ', <span class="unit">{style.unit}</span>];
  return (
    <div class="panel listing-panel">
      <Listing
        class="hs-table"
        label={words.table}
        heads={[
          { label: words.head.label },
          { label: words.head.at },
          { label: inUnit(words.head.median), class: 'num' },
          { label: inUnit(words.head.mean), class: 'num hs-wide' },
          { label: words.head.difference, class: 'num', title: words.differenceAbout },
          { label: words.head.verdict },
          { label: words.head.steps, class: 'num hs-wide' },
          { label: words.head.compare },
        ]}
      >
        {places.map((place) => {
          const point = points[place]!;
          const change = changes.get(place);
          const earlier = before(history, place);
          const opens = point.run !== null && point.median_step_us !== null;
          const word = point.verdict === null ? '' : (words.verdict[point.verdict] ?? point.verdict);
          return (
            <tr role="row" key={`${point.at} ${point.label} ${place}`} class={change ? 'hs-turn' : ''}>
              <th scope="row" role="rowheader" class="strong" title={point.recorded_run}>
                {point.label}
              </th>
              <td role="cell" title={point.at}>{when(point.at)}</td>
              <td role="cell" class="num" data-label={`${words.head.median} (${style.unit})`}>
                {formatIn(style, point.median_step_us)}
              </td>
              <td role="cell" class="num hs-wide">{formatIn(style, point.mean_step_us)}</td>
              <td role="cell" class="num" data-label={words.head.difference}>
                {point.difference === null || (point.verdict === 'same' && !point.outlier) ? (
                  <span class="muted">{formatPercent(point.difference, true)}</span>
                ) : (
                  <Delta value={point.difference}>{formatPercent(point.difference, true)}</Delta>
                )}
              </td>
              <td role="cell" class={`hs-verdict${LOOKS[kindOf(point)]}`}>
                {point.median_step_us === null ? words.unmeasured : word === '' ? NOT_MEASURED : word}
                {change && (
                  <span class="muted">
                    {' '}
                    {formatPercent(change.shift, true)}, {words.p(formatP(change.p))}
                  </span>
                )}
                {point.outlier && <span class="chip chip-other">{words.outlier}</span>}
              </td>
              <td role="cell" class="num hs-wide">{words.steps(point.steps.admitted, point.steps.count)}</td>
              <td role="cell" class="hs-compare">
                {opens ? (
                  <>
                    {LETTERS.map((letter) => {
                      const name = letterOf(letter);
                      return (
                        <button
                          key={letter}
                          type="button"
                          class={`hs-pick${(letter === 'a' ? a : b) === place ? ` badge-${letter}` : ''}`}
                          aria-pressed={(letter === 'a' ? a : b) === place}
                          aria-label={words.pick(name, point.label)}
                          title={words.pick(name, point.label)}
                          onClick={() => onLetter(letter, place)}
                        >
                          {name}
                        </button>
                      );
                    })}
                    {earlier >= 0 && (
                      <LinkButton title={words.withBeforeAbout(point.label, points[earlier]!.label)} onClick={() => onCompare(earlier, place)}>
                        {words.withBefore}
                      </LinkButton>
                    )}
                  </>
                ) : (
                  <span class="muted">{point.run === null ? words.unreadable : ''}</span>
                )}
              </td>
            </tr>
          );
        })}
      </Listing>
      {shown < points.length && (
        <p class="hs-more">
          <Button onClick={() => setShown(shown + 5 * SHOWN)}>{words.more(Math.min(5 * SHOWN, points.length - shown))}</Button>
        </p>
      )}
    </div>
  );
}
