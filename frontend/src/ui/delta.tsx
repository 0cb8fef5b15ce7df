// A difference: sign, arrow and colour together, so that none of them is needed alone.

import { arrow, direction } from './format';

/** `sense` says which way is worse: 1 worse, -1 better, 0 neither; without it more is worse (times). */
export function Delta({ value, children, sense }: { value: number | null; children: string; sense?: -1 | 0 | 1 }) {
  const way = sense ?? direction(value);
  const colour = way === 0 ? 'even' : way > 0 ? 'more' : 'less';
  return (
    <span class={`delta delta-${colour}`}>
      <span class="arrow" aria-hidden="true">
        {arrow(value)}
      </span>
      {children}
    </span>
  );
}
