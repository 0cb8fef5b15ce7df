// The search field of tables, timelines and runs.

import { Icon } from '../icons';

interface Props {
  label?: string;
  placeholder?: string;
  value: string;
  /** why the text is no valid search, "" if it is */
  problem: string;
  /** whether it has the focus when it appears */
  first?: boolean;
  onSearch: (text: string) => void;
  onKey?: (event: KeyboardEvent) => void;
}

export function SearchBox({ label = 'Search: word, -word, /regex/', placeholder = 'Search  /', value, problem, first = false, onSearch, onKey }: Props) {
  return (
    <label class={`search inline${problem ? ' invalid' : ''}`}>
      <Icon name="search" size={14} />
      <input type="search" autofocus={first} aria-label={label} title={problem || label} aria-invalid={problem !== ''} placeholder={placeholder} spellcheck={false} value={value} onInput={(event) => onSearch(event.currentTarget.value)} onKeyDown={(event) => onKey?.(event)} />
    </label>
  );
}
