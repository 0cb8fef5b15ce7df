// One side's lane of a row's picture, with its letter on the left and a sentence below.

import { letterOf, type Letter } from '../ui/sides';

/** Pixels left of the lane, for the letter. */
export const LEFT = 18;

interface Props {
  side: Letter;
  width: number;
  height: number;
  caption: string;
  children: preact.ComponentChildren;
}

export function Lane({ side, width, height, caption, children }: Props) {
  const letter = letterOf(side);
  return (
    <figure class={`series-${side}`}>
      <svg width={width} height={height} role="img" aria-label={`${letter}: ${caption}`}>
        <rect class="lane" x={LEFT} y={0} width={width - LEFT} height={height} />
        <text class={`lane-label text-${side}`} x={LEFT - 6} y={height / 2 + 4} text-anchor="end">
          {letter}
        </text>
        {children}
      </svg>
      <figcaption class="muted">{caption}</figcaption>
    </figure>
  );
}
