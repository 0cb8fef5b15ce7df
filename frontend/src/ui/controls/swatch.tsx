// Legend key: a square in the color that it explains.

/** `fill` is a CSS background; without one, the class has it. */
export function Swatch({ fill, class: extra = '' }: { fill?: string | undefined; class?: string }) {
  return <span class={`swatch ${extra}`} aria-hidden="true" style={{ background: fill }} />;
}
