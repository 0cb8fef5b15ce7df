// What the page shows while there is no pair to compare: looking, nothing there, one run only, files of no use.

import type { RunsAnswer, Side } from '../contract/wire';
import { Button } from '../ui/buttons';
import { Facts } from '../ui/controls/facts';
import { Problems } from '../ui/controls/problems';
import { Icon } from '../ui/icons';
import { text } from '../ui/strings';
import { spanPair } from './selection';

export function Scanning() {
  return (
    <div class="state" role="status">
      <p class="state-title line strong">{text.loading.runs}</p>
    </div>
  );
}

function Searched({ answer, onRescan }: { answer: RunsAnswer; onRescan: () => void }) {
  return (
    <>
      <Facts
        class="state-facts pairs"
        facts={[
          [text.empty.searched, answer.roots.length > 0 ? answer.roots.map((root) => <code key={root}>{root}</code>) : text.empty.nothingGiven],
          [text.empty.pattern, text.empty.patterns.map((pattern) => <code key={pattern}>{pattern}</code>)],
        ]}
      />
      <h3>{text.empty.record}</h3>
      <pre tabIndex={0}>{text.empty.recordCode}</pre>
      <Button class="primary" onClick={onRescan}><Icon name="refresh" /> {text.empty.again}</Button>
    </>
  );
}

export function NoRuns({ answer, onRescan }: { answer: RunsAnswer; onRescan: () => void }) {
  return (
    <section class="state" aria-label={text.empty.title}>
      <h2 class="state-title line strong">{text.empty.title}</h2>
      <Problems problems={answer.problems} open />
      <Searched answer={answer} onRescan={onRescan} />
    </section>
  );
}

export function OneRun({ answer, onPair, onRescan }: { answer: RunsAnswer; onPair: (a: Side, b: Side) => void; onRescan: () => void }) {
  const run = answer.runs[0]!;
  const pair = spanPair(run);
  return (
    <section class="state" aria-label={text.empty.oneTitle}>
      <h2 class="state-title line strong">{text.empty.oneTitle}</h2>
      <p>{text.empty.one(run.run)}</p>
      <Problems problems={answer.problems} open />
      {pair ? (
        <Button class="primary" onClick={() => onPair(pair.baseline, pair.candidate)}>{text.empty.oneSpans}</Button>
      ) : (
        <p>{text.empty.oneNoSpans}</p>
      )}
      <Searched answer={answer} onRescan={onRescan} />
    </section>
  );
}
