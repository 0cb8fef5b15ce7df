// The choice of a run: a native list while it is short, a search field with a list when it is long.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RunEntry } from '../contract/wire';
import { runLabels } from '../ui/names';
import { parseQuery } from '../ui/search';
import { text } from '../ui/strings';
import { formatTitle } from './selection';

const NATIVE_LIMIT = 30;

interface Props {
  label: string;
  runs: RunEntry[];
  value: string | null;
  /** the chosen run where it stands beside another one */
  brief?: string | undefined;
  /** said while nothing is chosen */
  placeholder?: string;
  onChoose: (run: string) => void;
}

export function RunSelect(props: Props) {
  return props.runs.length <= NATIVE_LIMIT ? <NativeSelect {...props} /> : <SearchSelect {...props} />;
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

function SearchSelect({ label, runs, value, placeholder = text.picker.filter, onChoose }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const open = typed !== null;
  const query = parseQuery(typed ?? '');
  const found = open ? runs.filter(({ run }) => query.test(run)) : [];
  const mixed = new Set(runs.map((run) => run.format)).size > 1;
  const id = `runs-${label.replace(/\W/g, '')}`;

  useLayoutEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const choose = (run: string | undefined): void => {
    setTyped(null);
    if (run !== undefined && run !== value) onChoose(run);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      if (open) setActive(Math.max(0, Math.min(found.length - 1, active + move)));
      else setTyped('');
    } else if (event.key === 'Enter' && open) {
      event.preventDefault();
      choose(found[active]?.run);
    } else if (event.key === 'Escape' && open) {
      event.stopPropagation();
      setTyped(null);
    }
  };

  return (
    <div class="combo">
      <input
        class="select run"
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={open && found.length > 0 ? `${id}-${active}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={value ?? placeholder}
        title={value ?? ''}
        value={typed ?? (value !== null && !runs.some(({ run }) => run === value) ? text.picker.missing(value) : (value ?? ''))}
        onFocus={() => {
          setTyped('');
          setActive(Math.max(0, runs.findIndex(({ run }) => run === value)));
        }}
        onBlur={() => setTyped(null)}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      {open && (
        <ul class="combo-list" role="listbox" id={id} ref={list} aria-label={label}>
          {found.map(({ run, format }, index) => (
            <li
              key={run}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              class={run === value ? 'current' : ''}
              onPointerDown={(event) => {
                event.preventDefault();
                choose(run);
              }}
            >
              {run}
              {mixed && format !== undefined && <span class="muted"> {formatTitle(format)}</span>}
            </li>
          ))}
          {found.length === 0 && <li class="muted">{text.picker.noMatch}</li>}
        </ul>
      )}
    </div>
  );
}
