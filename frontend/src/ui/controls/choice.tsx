// A name and what is chosen of it, one below the other in a grid of two columns.

export function Choice({ label, about, children }: { label: string; about?: string; children: preact.ComponentChildren }) {
  return (
    <div class="choice" title={about}>
      <span class="choice-name muted">{label}</span>
      {children}
    </div>
  );
}
