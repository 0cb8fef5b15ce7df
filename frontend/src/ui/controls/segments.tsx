// A segmented control: a row of buttons, one of them pressed.

interface Props<T> {
  label?: string;
  all: readonly T[];
  chosen: (one: T) => boolean;
  name: (one: T) => preact.ComponentChildren;
  title?: (one: T) => string | undefined;
  onChoose: (one: T) => void;
  class?: string;
}

export function Segments<T>({ label, all, chosen, name, title, onChoose, class: extra = '' }: Props<T>) {
  return (
    <span class={`segments ${extra}`} role="group" aria-label={label}>
      {all.map((one, index) => (
        <button key={index} type="button" class="hover inset" aria-pressed={chosen(one)} title={title?.(one)} onClick={() => onChoose(one)}>
          {name(one)}
        </button>
      ))}
    </span>
  );
}
