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

const LOOKS: Record<Caveat['status'], [IconName, colour: string]> = { fail: ['stop', 'error-text'], warn: ['alert', 'unsure'], note: ['info', 'muted'] };

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

/** Separator between the files of both sides in a note. */
const SIDES = /, (?=baseline|candidate)/;

/** Words after a number that are not its unit. */
const NO_UNIT = /^(of|to|in|and|or|are|is|vs|with|from)$/;

/** For messages that differ only in figures: each message's differing figures with their units. */
function figuresOf(messages: string[]): string[] {
  const words = messages.map((message) => message.split(' '));
  const differs = (at: number): boolean => words.some((one) => one[at] !== words[0]![at]);
  return words.map((one) =>
    one
      .flatMap((word, at) => (differs(at) ? [[word, ...one.slice(at + 1, at + 2).filter((next) => !NO_UNIT.test(next) && !differs(at + 1))].join(' ')] : []))
      .map((figure) => figure.replace(/^\(|[,.;:)]+$/g, ''))
      .join(', '),
  );
}

function Item({ caveat: { status, name, message, weakens, where, notes }, comparison }: { caveat: Caveat; comparison: Comparison }) {
  const own = notes.flatMap((place) => comparison.notes[place] ?? []);
  const figures = figuresOf(own.map((note) => note.message));
  const files = own.flatMap((note, at) => note.where.split(SIDES).map((file) => (figures[at] ? `${file} (${figures[at]})` : file)));
  return (
    <li>
      <span class={`mark line ${LOOKS[status][1]}`}>
        <Icon name={LOOKS[status][0]} size={14} />
        {status === 'fail' ? words.failed(name) : name}
      </span>
      <div>
        {sentence(message)} {weakens !== '' && <span class="muted">{words.weakens(weakens)}</span>}
        {files.length > 1 ? (
          <details class="muted">
            <summary>{where || words.each}</summary>
            <ul>
              {files.map((file) => (
                <li key={file}>{file}</li>
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
