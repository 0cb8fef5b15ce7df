// Options that could settle an inconclusive verdict, with the verdict each gives; offered by rules of the server.

import type { Alternative, Comparison } from '../contract/wire';
import { Button } from '../ui/buttons';
import { formatPercent, formatWithUnit, timeStyle } from '../ui/format';
import { adoptSheet } from '../ui/sheets';
import { sentence, text } from '../ui/strings';
import css from './alternatives.css?inline';

adoptSheet(css);

const TITLE = 'What could settle it';
const RULE = 'Fixed rules offer these, whatever their verdicts. Choosing a verdict proves nothing; recording more does.';

export function Alternatives({ comparison, onChoose }: { comparison: Comparison; onChoose: (one: Alternative) => void }) {
  const { headline } = comparison;
  const style = timeStyle([headline.baseline, headline.candidate]);
  return (
    <section class="panel alternatives" aria-label={TITLE}>
      <h2>{TITLE}</h2>
      <ul>
        {headline.alternatives!.map((one) => (
          <li key={one.what} class="wrap">
            {one.verdict === null ? (
              <span>{sentence(one.what)}</span>
            ) : (
              <>
                <Button onClick={() => onChoose(one)}>{sentence(one.what).slice(0, -1)}</Button>
                <span>
                  <strong>{text.verdict.word[one.verdict]}</strong>
                  {one.delta !== null && ` ${formatWithUnit(style, one.delta, true)}`}
                  {one.ratio !== null && ` (${formatPercent(one.ratio - 1, true)})`}
                  {one.n !== null && <span class="muted"> {text.verdict.versus(one.n[0], one.n[1])}</span>}
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
      {headline.alternatives!.some((one) => one.verdict !== null) && <p class="muted">{RULE}</p>}
    </section>
  );
}
