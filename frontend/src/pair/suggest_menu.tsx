// The menu of suggested pairs.

import type { Pair, RunsAnswer, Side } from '../contract/wire';
import { Menu, MenuItem } from '../ui/controls/menu';
import { PairLines } from '../ui/pair_lines';
import { text } from '../ui/strings';
import { recentPairs } from './recent';
import { findRun, spanPair } from './selection';

/** Largest number of suggestions listed. */
const MAX_LISTED = 40;

/** Recent pairs, the server's suggestions, and two spans of each shown run, which check how much a run differs from itself. */
export function SuggestMenu({ answer, a, b, onPair }: { answer: RunsAnswer; a: Side | null; b: Side | null; onPair: (a: Side, b: Side) => void }) {
  const shownRuns = [...new Set([a?.run, b?.run])].flatMap((name) => (name === undefined ? [] : [findRun(answer, name)]));
  const checks = shownRuns.flatMap((run) => {
    const pair = run ? spanPair(run) : null;
    return pair ? [{ ...pair, reason: text.actions.spanReason }] : [];
  });
  const pairs: Pair[] = [...answer.pairs, ...checks];
  return (
    <Menu label={text.actions.suggest} icon="bulb" align="right">
      {(close) => {
        const recent = recentPairs(answer, a, b);
        if (pairs.length + recent.length === 0) return <p class="pop-note">{text.actions.noPairs}</p>;
        const list = (listed: Pair[]) => (
          <ul>
            {listed.map((pair, index) => (
              <li key={index}>
                <MenuItem title={pair.reason} close={close} onChoose={() => onPair(pair.baseline, pair.candidate)}>
                  <PairLines pair={pair} />
                </MenuItem>
              </li>
            ))}
          </ul>
        );
        return (
          <>
            {recent.length > 0 && (
              <>
                <p class="pop-head small strong muted">{text.actions.recent}</p>
                {list(recent)}
                {pairs.length > 0 && <p class="pop-head small strong muted">{text.actions.suggested}</p>}
              </>
            )}
            {list(pairs.slice(0, MAX_LISTED))}
            {pairs.length > MAX_LISTED && <p class="pop-note muted">{text.actions.morePairs(pairs.length - MAX_LISTED)}</p>}
          </>
        );
      }}
    </Menu>
  );
}
