// Options that settle an inconclusive verdict, with the verdict each gives; offered by rules of the server. Those that leave it open are only named
// next to them.

import type { Alternative, Comparison } from '../contract/wire';
import { Button } from '../ui/buttons';
import { formatPercent, formatWithUnit, timeStyle } from '../ui/format';
import { adoptSheet } from '../ui/sheets';
import { sentence, text } from '../ui/strings';
import css from './alternatives.css?inline';

adoptSheet(css);

const TITLE = 'What could settle it';
const RULE = 'Fixed rules chose these before their verdicts were known. Choosing a verdict proves nothing; recording more does.';
const stillOpen = (choices: string[]): string => `Still inconclusive: ${choices.join(', ')}.`;

/** Whether a choice leaves the verdict as open as it is. One without arguments, captures of one side, says why it is open. */
const isOpen = ({ verdict, arguments: given }: Alternative): boolean => (verdict === 'inconclusive' || verdict === 'withheld') && given !== '';


export function Alternatives({ comparison, onChoose }: { comparison: Comparison; onChoose: (one: Alternative) => void }) {
  const { headline } = comparison;
  const style = timeStyle([headline.baseline, headline.candidate]);
  const offered = headline.alternatives!.filter((one) => !isOpen(one));
  const open = headline.alternatives!.filter(isOpen).map(({ what }) => what);
  const chosen = offered.some(({ verdict }) => verdict !== null);
  if (offered.length === 0) return null;
  return (
    <section class="panel alternatives" aria-label={TITLE}>
      <h2>{TITLE}</h2>
      <ul>
        {offered.map((one) => (
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
      {chosen && <p class="muted">{open.length > 0 && stillOpen(open)} {RULE}</p>}
    </section>
  );
}
