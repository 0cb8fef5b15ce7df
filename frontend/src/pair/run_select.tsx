// The choice of a run: a native list while it is short, a table with a search when it is long.

import { useState } from 'preact/hooks';
import type { RunEntry } from '../contract/wire';
import { Icon } from '../ui/icons';
import { Lazy } from '../ui/lazy';
import { runLabel, runLabels } from '../ui/names';
import { text } from '../ui/strings';
import { formatTitle } from './selection';

const loadChooser = () => import('./run_chooser').then((part) => part.RunChooser);

const NATIVE_LIMIT = 30;

interface Props {
  label: string;
  runs: RunEntry[];
  value: string | null;
  /** the chosen run, shortened next to another one */
  brief?: string | undefined;
  /** said while nothing is chosen */
  placeholder?: string;
  onChoose: (run: string) => void;
}

export function RunSelect(props: Props) {
  return props.runs.length <= NATIVE_LIMIT ? <NativeSelect {...props} /> : <ManyRuns {...props} />;
}

/** Runs by format, in order of first mention. */
function byFormat(runs: RunEntry[]): [string, RunEntry[]][] {
  const groups = new Map<string, RunEntry[]>();
  for (const run of runs) groups.set(run.format ?? '', [...(groups.get(run.format ?? '') ?? []), run]);
  return [...groups];
}

function Options({ runs, value, brief }: Pick<Props, 'runs' | 'value' | 'brief'>) {
  const labels = runLabels(runs.map(({ run }) => run));
  return (
    <>
      {runs.map(({ run }, index) => (
        <option key={run} value={run} title={run}>
          {run === value ? (brief ?? labels[index]) : labels[index]}
        </option>
      ))}
    </>
  );
}

function NativeSelect({ label, runs, value, brief, placeholder = text.picker.choose, onChoose }: Props) {
  const missing = value !== null && !runs.some(({ run }) => run === value);
  const groups = byFormat(runs);
  return (
    <select class="select run" aria-label={label} title={value ?? ''} value={value ?? ''} onChange={(event) => onChoose(event.currentTarget.value)}>
      {value === null && <option value="">{placeholder}</option>}
      {missing && <option value={value}>{text.picker.missing(value)}</option>}
      {groups.length > 1
        ? groups.map(([format, own]) => (
            <optgroup key={format} label={formatTitle(format)}>
              <Options runs={own} value={value} brief={brief} />
            </optgroup>
          ))
        : <Options runs={runs} value={value} brief={brief} />}
    </select>
  );
}

/** The chosen one on a button, which opens a table of all. */
function ManyRuns({ label, runs, value, brief, placeholder = text.picker.choose, onChoose }: Props) {
  const [open, setOpen] = useState(false);
  const missing = value !== null && !runs.some(({ run }) => run === value);
  return (
    <>
      <button type="button" class="select run run-button line" aria-haspopup="dialog" aria-label={`${label}: ${value ?? placeholder}`} title={value ?? ''} onClick={() => setOpen(true)}>
        {value === null ? placeholder : missing ? text.picker.missing(value) : (brief ?? runLabel(value))} <Icon name="chevron" size={12} />
      </button>
      {open && <Lazy load={loadChooser} height={0} props={{ label, runs, value, onChoose, onClose: () => setOpen(false) }} />}
    </>
  );
}
