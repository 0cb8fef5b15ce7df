// A labeled control: one row of a grid with two columns.

export function Choice({ label, about, children }: { label: string; about?: string; children: preact.ComponentChildren }) {
  return (
    <div class="choice" title={about}>
      <span class="choice-name muted">{label}</span>
      {children}
    </div>
  );
}
