// A drop-down list.

type Option = [value: string, text: string, disabled?: boolean];

interface Props {
  label?: string;
  title?: string;
  class?: string;
  value: string;
  options: Option[];
  /** text of an extra option for a value that is not among the options; without it such a value is not listed */
  missing?: (value: string) => string;
  onChoose: (value: string) => void;
}

export function Select({ label, title, class: extra = '', value, options, missing, onChoose }: Props) {
  const all: Option[] = missing && !options.some(([one]) => one === value) ? [...options, [value, missing(value)]] : options;
  return (
    <select class={`select ${extra}`} aria-label={label} title={title} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {all.map(([one, text, off]) => (
        <option key={one} value={one} disabled={off}>
          {text}
        </option>
      ))}
    </select>
  );
}
