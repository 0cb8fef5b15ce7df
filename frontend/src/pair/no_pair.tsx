// Shown if the log directory has no pair to compare: no run, or only one.

import type { RunsAnswer, Side } from '../contract/wire';
import { Button } from '../ui/buttons';
import { Facts } from '../ui/controls/facts';
import { Problems } from '../ui/controls/problems';
import { Icon } from '../ui/icons';
import { text } from '../ui/strings';
import { spanPair } from './selection';

export function NoPair({ answer, onPair, onRescan }: { answer: RunsAnswer; onPair: (a: Side, b: Side) => void; onRescan: () => void }) {
  const run = answer.runs[0];
  const pair = run && spanPair(run);
  const title = run ? text.empty.oneTitle : text.empty.title;
  return (
    <section class="panel stack state" aria-label={title}>
      <h2 class="state-title line">{title}</h2>
      {run && <p>{text.empty.one(run.run)}</p>}
      <Problems problems={answer.problems} open />
      {pair && <Button class="primary" onClick={() => onPair(pair.baseline, pair.candidate)}>{text.empty.oneSpans}</Button>}
      {run && !pair && <p>{text.empty.oneNoSpans}</p>}
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
    </section>
  );
}
