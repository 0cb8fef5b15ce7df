// What weakens the answer: comparability checks, and notes about the data.

import type { Check, Comparison, Note } from '../contract/wire';
import { Icon } from '../ui/icons';
import { text } from '../ui/strings';

const ORDER: Record<Check['status'], number> = { fail: 0, warn: 1, ok: 2 };

const words = (name: string): string => name.replaceAll('_', ' ');

/** The same note about several files is said once. */
function grouped(notes: Note[]): Note[] {
  const groups = new Map<string, Note[]>();
  for (const note of notes) {
    const key = `${note.code}\n${note.message}`;
    groups.set(key, [...(groups.get(key) ?? []), note]);
  }
  return [...groups.values()].map((group) => ({
    code: group[0]!.code,
    message: group[0]!.message,
    where: group.map((note) => note.where).filter(Boolean).join('; '),
  }));
}

export function Caveats({ comparison }: { comparison: Comparison }) {
  const { notes } = comparison;
  const checks = [...comparison.comparability].sort((a, b) => ORDER[a.status] - ORDER[b.status]);
  const failed = checks.filter((check) => check.status === 'fail').length;
  const warned = checks.filter((check) => check.status === 'warn').length;
  const passed = checks.filter((check) => check.status === 'ok');
  const absent = (code: string): boolean => code === 'table_absent'; // said where the table would be
  const told = grouped(notes.filter((note) => !absent(note.code)));
  return (
    <section class="caveats" aria-label={text.caveats.region}>
      <details open={failed > 0}>
        <summary class={failed > 0 ? 'bad' : warned > 0 ? 'warn' : ''}>
          <Icon name={failed + warned > 0 ? 'alert' : 'info'} size={14} />
          {text.caveats.summary(failed, warned, told.length)}
        </summary>
        <ul>
          {checks
            .filter((check) => check.status !== 'ok')
            .map((check) => (
              <li key={check.check} class={`check-${check.status}`}>
                <span class="mark">
                  <Icon name={check.status === 'fail' ? 'stop' : 'alert'} size={14} />
                  {text.caveats.status[check.status]}
                </span>
                <span>
                  <strong>{words(check.check)}</strong>: {check.detail}
                  {check.invalidates.length > 0 && (
                    <span class="muted">
                      {' '}
                      ({text.caveats.weakens}: {check.invalidates.join(', ')})
                    </span>
                  )}
                </span>
              </li>
            ))}
          {told.map((note, index) => (
            <li key={index}>
              <span class="mark">
                <Icon name="info" size={14} />
                {words(note.code)}
              </span>
              <span>
                {note.message}
                {note.where && <span class="muted"> ({note.where})</span>}
              </span>
            </li>
          ))}
          {passed.length > 0 && (
            <li>
              <span class="mark">
                <Icon name="check" size={14} />
                {text.caveats.passed}
              </span>
              <span class="muted">{passed.map((check) => words(check.check)).join(', ')}</span>
            </li>
          )}
        </ul>
      </details>
    </section>
  );
}
