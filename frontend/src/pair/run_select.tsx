// The chosen run on a button, which opens a table of all.

import { useState } from 'preact/hooks';
import type { Problem, RunEntry } from '../contract/wire';
import { Icon } from '../ui/icons';
import { Lazy } from '../ui/lazy';
import { differenceTo, labelBeside } from '../ui/names';
import { text } from '../ui/strings';
import { useMatches } from '../ui/use_matches';

const loadChooser = () => import('./run_chooser').then((part) => part.RunChooser);

interface Props {
  label: string;
  /** of the table, if it is not the label */
  title?: string;
  runs: RunEntry[];
  value: string | null;
  /** the run that it is shown next to */
  beside?: string | undefined;
  /** said while nothing is chosen */
  placeholder?: string;
  onChoose: (run: string) => void;
  /** takes several as candidates, where that is possible */
  onSeveral?: ((runs: string[]) => void) | undefined;
  /** fetches the list of runs again */
  onOpen?: () => void;
  /** files that are no run */
  problems?: Problem[];
  /** shows recorded runs over time, where there are any */
  onHistory?: (() => void) | undefined;
}

export function RunSelect({ label, title = label, runs, value, beside, placeholder = text.picker.choose, onChoose, onSeveral, onOpen, problems, onHistory }: Props) {
  const [open, setOpen] = useState(false);
  const phone = useMatches('(max-width: 640px)');
  const shown = value === null ? placeholder : labelBeside(value, beside);
  const missing = value !== null && !runs.some(({ run }) => run === value);
  const show = (): void => {
    onOpen?.();
    setOpen(true);
  };
  return (
    <>
      <button type="button" class="select run run-button inline" value={value ?? ''} aria-haspopup="dialog" aria-label={`${label}: ${value ?? placeholder}`} title={value ?? ''} onClick={show}>
        <span class="clip">{value !== null && missing ? text.picker.missing(value) : phone && value !== null && beside !== undefined ? differenceTo(value, beside) : shown}</span> <Icon name="chevron" size={12} />
      </button>
      {open && <Lazy load={loadChooser} height={0} props={{ label: title, runs, value, onChoose, onSeveral, problems, onHistory, onClose: () => setOpen(false) }} />}
    </>
  );
}
