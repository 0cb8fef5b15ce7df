// The points of a series as rows, the latest first.

import { useState } from 'preact/hooks';
import { Delta } from '../ui/delta';
import { formatIn, formatP, formatPercent, NOT_MEASURED, type NumberStyle } from '../ui/format';
import { capital, text } from '../ui/strings';
import { before, kindOf } from './scale';
import type { History } from './wire';
import { when, words } from './words';

const SHOWN = 100;

interface Props {
  history: History;
  style: NumberStyle;
  a: number;
  b: number;
  onLetter: (letter: 'a' | 'b', place: number) => void;
  onCompare: (a: number, b: number) => void;
}

export function HistoryTable({ history, style, a, b, onLetter, onCompare }: Props) {
  const [shown, setShown] = useState(SHOWN);
  const { points } = history;
  const places = points.map((_, place) => points.length - 1 - place).slice(0, shown);
  const changes = new Map(history.changes.map((change) => [change.point, change]));
  return (
    <div class="panel hs-panel">
      <table role="table" class="hs-table" aria-label={words.table}>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">{words.head.label}</th>
            <th scope="col" role="columnheader">{words.head.at}</th>
            <th scope="col" role="columnheader" class="num">
              {words.head.median} <span class="unit">{style.unit}</span>
            </th>
            <th scope="col" role="columnheader" class="num hs-wide">
              {words.head.mean} <span class="unit">{style.unit}</span>
            </th>
            <th scope="col" role="columnheader" class="num" title={words.differenceAbout}>
              {words.head.difference}
            </th>
            <th scope="col" role="columnheader">{words.head.verdict}</th>
            <th scope="col" role="columnheader" class="num hs-wide">
              {words.head.steps}
            </th>
            <th scope="col" role="columnheader">{words.head.compare}</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {places.map((place) => {
            const point = points[place]!;
            const change = changes.get(place);
            const earlier = before(history, place);
            const opens = point.run !== null && point.median_step_us !== null;
            const word = capital(point.verdict_text ?? '');
            return (
              <tr role="row" key={`${point.at} ${point.label} ${place}`} class={change ? 'hs-turn' : ''}>
                <th scope="row" role="rowheader" title={point.recorded_run}>
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
                <td role="cell" class={`hs-verdict hs-word-${kindOf(point)}`}>
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
                      {(['a', 'b'] as const).map((letter) => {
                        const name = letter === 'a' ? text.letterA : text.letterB;
                        return (
                          <button
                            key={letter}
                            type="button"
                            class={`hs-pick hs-pick-${letter}`}
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
                        <button type="button" class="link-button" title={words.withBeforeAbout(point.label, points[earlier]!.label)} onClick={() => onCompare(earlier, place)}>
                          {words.withBefore}
                        </button>
                      )}
                    </>
                  ) : (
                    <span class="muted">{point.run === null ? words.unreadable : ''}</span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {shown < points.length && (
        <p class="hs-more">
          <button type="button" class="button" onClick={() => setShown(shown + 5 * SHOWN)}>
            {words.more(Math.min(5 * SHOWN, points.length - shown))}
          </button>
        </p>
      )}
    </div>
  );
}
