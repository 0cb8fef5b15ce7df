// The input for one side's steps: all, a range or a single one.

import { useState } from 'preact/hooks';
import { Choice } from '../ui/controls/choice';
import { text, type MetricWords } from '../ui/strings';

/** Converts `3 – 10`, `10-3` or `5` to the server's form; "" for all, null if it is no range. */
export function typedRange(typed: string): string | null {
  const compact = typed.replace(/\s+/g, '').replace(/[–—]/g, '-');
  if (compact === '') return '';
  const found = /^(\d{1,18})(?:-(\d{1,18}))?$/.exec(compact);
  if (!found) return null;
  const ends = [Number(found[1]), Number(found[2] ?? found[1])].sort((one, other) => one - other);
  return ends[0] === ends[1] ? String(ends[0]) : ends.join('-');
}

export function StepsChoice({ name, steps, words, onSteps }: { name: string; steps: string; words: MetricWords; onSteps: (steps: string) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? steps;
  const range = typedRange(shown);
  const commit = (): void => {
    if (range !== null) setTyped(null);
    if (range !== null && range !== steps) onSteps(range);
  };
  return (
    <Choice label={words.many} about={range === null ? text.picker.notSteps : text.picker.stepsAbout(words)}>
      <input
        class="select"
        type="text"
        inputMode="numeric"
        size={7}
        autocomplete="off"
        aria-label={text.picker.label(name, words.many)}
        aria-invalid={range === null}
        placeholder={text.picker.everyStep}
        value={shown}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') setTyped(null);
        }}
      />
    </Choice>
  );
}
