// A difference with sign, arrow and color, so that nothing depends on one of them alone.

import { arrow, direction } from './format';

/** `sense`: 1 worse, -1 better, 0 neither; by default more is worse, as for times. */
export function Delta({ value, children, sense }: { value: number | null; children: string; sense?: -1 | 0 | 1 }) {
  const way = sense ?? direction(value);
  const color = way === 0 ? 'even' : way > 0 ? 'more' : 'less';
  return (
    <span class={`delta delta-${color}`}>
      <span class="arrow" aria-hidden="true">
        {arrow(value)}
      </span>
      {children}
    </span>
  );
}
