// Caveats of the answer: comparability checks and notes about the data, similar notes merged into one.

import type { Caveat, Comparison } from '../contract/wire';
import { Icon, type IconName } from '../ui/icons';
import { formatMany } from '../ui/format';
import { sentence } from '../ui/strings';

// outside ui/strings.ts, so that they load with the caveats
const words = {
  region: 'Caveats',
  summary: (failed: number, warned: number, notes: number) =>
    [
      failed > 0 ? formatMany(failed, 'check failed', 'checks failed') : '',
      warned > 0 ? formatMany(warned, 'caveat') : '',
      notes > 0 ? formatMany(notes, 'note') : '',
    ]
      .filter(Boolean)
      .join(', ') || 'No caveats',
  weakens: (what: string) => `Less certain: ${what}.`,
  each: 'each side',
  failed: (name: string) => `failed: ${name}`,
  passed: 'Passed',
};

const LOOKS: Record<Caveat['status'], [IconName, color: string]> = { fail: ['stop', 'error-text'], warn: ['alert', 'unsure'], note: ['info', 'muted'] };

export function Caveats({ comparison }: { comparison: Comparison }) {
  const caveats = comparison.caveats ?? [];
  const failed = caveats.filter(({ status }) => status === 'fail').length;
  const warned = caveats.filter(({ status }) => status === 'warn').length;
  const passed = comparison.comparability.filter((check) => check.status === 'ok');
  return (
    <section class="caveats" aria-label={words.region}>
      <details open={failed > 0}>
        <summary class={`line ${failed + warned > 0 ? 'unsure strong' : 'soft'}`}>
          <Icon name={failed + warned > 0 ? 'alert' : 'info'} size={14} />
          {words.summary(failed, warned, caveats.length - failed - warned)}
        </summary>
        <ul>
          {caveats.map((caveat, index) => (
            <Item key={index} caveat={caveat} comparison={comparison} />
          ))}
          {passed.length > 0 && (
            <li>
              <span class="mark line muted">
                <Icon name="check" size={14} />
                {words.passed}
              </span>
              <span class="muted">{passed.map((check) => check.check.replaceAll('_', ' ')).join(', ')}</span>
            </li>
          )}
        </ul>
      </details>
    </section>
  );
}

function Item({ caveat: { status, name, message, weakens, where, notes }, comparison }: { caveat: Caveat; comparison: Comparison }) {
  const own = notes.flatMap((place) => comparison.notes[place] ?? []);
  return (
    <li>
      <span class={`mark line ${LOOKS[status][1]}`}>
        <Icon name={LOOKS[status][0]} size={14} />
        {status === 'fail' ? words.failed(name) : name}
      </span>
      <div>
        {sentence(message)} {weakens !== '' && <span class="muted">{words.weakens(weakens)}</span>}
        {own.some((note) => note.where !== where) ? (
          <details class="muted">
            <summary>{where || words.each}</summary>
            <ul>
              {own.map((note, index) => (
                <li key={index}>{own.length > 1 ? `${note.where}: ${sentence(note.message)}` : note.where}</li>
              ))}
            </ul>
          </details>
        ) : (
          <span class="muted">{where}</span>
        )}
      </div>
    </li>
  );
}
