// Pairs to compare with one click.

import { Menu } from './menu';
import { findRun, spanPair } from './selection';
import { text } from './strings';
import type { Pair, RunsAnswer, Side } from './wire';

function sideText(side: Side): string {
  return [side.run, side.worker, side.span === null ? null : `${text.picker.span} ${side.span}`].filter((part) => part !== null).join(' · ');
}

/** A pair as two lines. */
export function PairLines({ pair }: { pair: Pair }) {
  return (
    <>
      <span class="pair-line">
        <span class="badge badge-a">{text.letterA}</span> {sideText(pair.baseline)}
      </span>
      <span class="pair-line">
        <span class="badge badge-b">{text.letterB}</span> {sideText(pair.candidate)}
      </span>
    </>
  );
}

/** The server's pairs, and two spans of each shown run as a check of how much a run differs from itself. */
export function SuggestMenu({ answer, a, b, onPair }: { answer: RunsAnswer; a: Side | null; b: Side | null; onPair: (a: Side, b: Side) => void }) {
  const shownRuns = [...new Set([a?.run, b?.run])].flatMap((name) => (name === undefined ? [] : [findRun(answer, name)]));
  const checks = shownRuns.flatMap((run) => {
    const pair = run ? spanPair(run) : null;
    return pair ? [{ ...pair, reason: text.actions.spanReason }] : [];
  });
  const pairs: Pair[] = [...answer.pairs, ...checks];
  return (
    <Menu label={text.actions.suggest} icon="bulb" align="right">
      {(close) =>
        pairs.length === 0 ? (
          <p class="pop-note">{text.actions.noPairs}</p>
        ) : (
          <ul class="pop-list">
            {pairs.map((pair, index) => (
              <li key={index}>
                <button
                  type="button"
                  class="pop-item"
                  onClick={() => {
                    onPair(pair.baseline, pair.candidate);
                    close();
                  }}
                >
                  <PairLines pair={pair} />
                  <span class="muted">{pair.reason}</span>
                </button>
              </li>
            ))}
          </ul>
        )
      }
    </Menu>
  );
}
