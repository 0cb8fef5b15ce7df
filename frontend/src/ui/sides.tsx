// Letters, names and colored badges of the two sides.

import { text } from './strings';

export type Letter = 'a' | 'b';
export const LETTERS: readonly Letter[] = ['a', 'b'];

/** What requests and answers call the sides. */
export const SIDES = { a: 'baseline', b: 'candidate' } as const;

export const other = (side: Letter): Letter => (side === 'a' ? 'b' : 'a');
export const letterOf = (side: Letter): string => (side === 'a' ? text.letterA : text.letterB);
export const sideName = (side: Letter): string => (side === 'a' ? text.sideA : text.sideB);

export function Badge({ side, title }: { side: Letter; title?: string }) {
  return (
    <span class={`badge badge-${side}`} title={title}>
      {letterOf(side)}
    </span>
  );
}
