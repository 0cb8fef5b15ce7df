// A button with the chosen run, which opens the run chooser.

import { useState } from 'preact/hooks';
import { Icon } from '../ui/icons';
import { Lazy } from '../ui/lazy';
import { differenceTo, labelBeside } from '../ui/run_names';
import { text } from '../ui/strings';
import { useMatches } from '../ui/use_matches';
import type { ChooserProps } from './run_chooser';

const loadChooser = () => import('./run_chooser').then((part) => part.RunChooser);

interface Props extends Omit<ChooserProps, 'onClose'> {
  /** title of the chooser, by default the label */
  title?: string;
  /** the other side's run, from which the label must differ */
  beside?: string | undefined;
  /** text while nothing is chosen */
  placeholder?: string;
  /** called when the chooser opens, to refresh the list of runs */
  onOpen?: () => void;
}

/** Last characters of a name that are always shown. */
const TAIL = 8;

export function RunSelect({ title, beside, placeholder = text.picker.choose, onOpen, ...chooser }: Props) {
  const { label, runs, value } = chooser;
  const [open, setOpen] = useState(false);
  const phone = useMatches('(max-width: 640px)');
  const missing = value !== null && !runs.some(({ run }) => run === value);
  const shown = value === null ? placeholder : missing ? text.picker.missing(value) : phone && beside !== undefined ? differenceTo(value, beside) : labelBeside(value, beside);
  // runs differ at their ends, so a name that does not fit loses its middle
  const tail = value === null || missing ? 0 : Math.min(TAIL, shown.length);
  const show = (): void => {
    onOpen?.();
    setOpen(true);
  };
  return (
    <>
      <button type="button" class="select run run-button inline" value={value ?? ''} aria-haspopup="dialog" aria-label={`${label}: ${value ?? placeholder}`} title={value ?? ''} onClick={show}>
        <span class="flex shrinks">
          <span class="clip">{shown.slice(0, shown.length - tail)}</span>
          {shown.slice(shown.length - tail)}
        </span>{' '}
        <Icon name="chevron" size={12} />
      </button>
      {open && <Lazy load={loadChooser} height={0} props={{ ...chooser, label: title ?? label, onClose: () => setOpen(false) }} />}
    </>
  );
}
