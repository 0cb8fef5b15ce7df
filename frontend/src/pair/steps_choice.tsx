// The steps of one side as typed: all of them, a range or a single one. A button opens the field, so that it takes no room.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../ui/icons';
import { text, type MetricWords } from '../ui/strings';

/** `3 – 10`, `10-3` or `5` as the server takes it; "" for all, null for what is no range. */
export function typedRange(typed: string): string | null {
  const said = typed.replace(/\s+/g, '').replace(/[–—]/g, '-');
  if (said === '') return '';
  const found = /^(\d{1,18})(?:-(\d{1,18}))?$/.exec(said);
  if (!found) return null;
  const ends = [Number(found[1]), Number(found[2] ?? found[1])].sort((one, other) => one - other);
  return ends[0] === ends[1] ? String(ends[0]) : ends.join('-');
}

interface Props {
  name: string;
  steps: string;
  words: MetricWords;
  onSteps: (steps: string) => void;
}

export function StepsChoice({ name, steps, words, onSteps }: Props) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  /** closed by a key: the focus goes back to the button, and leaving the field chooses nothing */
  const keyed = useRef(false);
  useLayoutEffect(() => {
    if (open) field.current?.select();
    else if (keyed.current) button.current?.focus();
    keyed.current = false;
  }, [open]);
  const shown = typed ?? steps;
  const wrong = typedRange(shown) === null;
  const commit = (): void => {
    const range = typedRange(shown);
    if (range === null) return;
    close();
    if (range !== steps) onSteps(range);
  };
  const close = (): void => {
    setTyped(null);
    setOpen(false);
  };
  const label = text.picker.label(name, words.many);
  if (!open)
    return (
      <button ref={button} type="button" class="icon-button steps-open" aria-label={label} title={text.picker.stepsAbout(words)} onClick={() => setOpen(true)}>
        <Icon name="filter" size={12} />
      </button>
    );
  return (
    <label class="attach steps-choice" title={wrong ? text.picker.notSteps : text.picker.stepsAbout(words)}>
      {words.many}
      <input
        class="select"
        type="text"
        inputMode="numeric"
        size={7}
        autocomplete="off"
        ref={field}
        aria-label={label}
        aria-invalid={wrong}
        placeholder={text.picker.everyStep}
        value={shown}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => !keyed.current && (wrong ? close() : commit())}
        onKeyDown={(event) => {
          keyed.current = event.key === 'Escape' || (event.key === 'Enter' && !wrong);
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') close();
        }}
      />
    </label>
  );
}
