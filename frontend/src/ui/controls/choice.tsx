// A name and what is chosen of it, one below the other in a grid of two columns.

interface Props {
  label: string;
  about?: string;
  children: preact.ComponentChildren;
}

export function Choice({ label, about, children }: Props) {
  return (
    <div class="choice" title={about}>
      <span class="choice-name muted">{label}</span>
      {children}
    </div>
  );
}
