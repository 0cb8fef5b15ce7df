// A list of named values.

export type Fact = [name: preact.ComponentChildren, value: preact.ComponentChildren, about?: string];

/** Draws nothing if there are no facts. */
export function Facts({ class: classes, facts }: { class?: string; facts: Fact[] }) {
  if (facts.length === 0) return null;
  return (
    <dl class={classes}>
      {facts.map(([name, value, about], index) => (
        <div key={index}>
          <dt title={about}>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
