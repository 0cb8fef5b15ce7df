// Dragging over steps, or Shift with the arrow keys, chooses a range of them on one side.

import { useState } from 'preact/hooks';
import { canChoose, ordered, stepRange } from './brush';

export type Letter = 'a' | 'b';

/** A range that is being drawn: places of one side, in the order in which they were reached. */
export interface Brush {
  side: Letter;
  from: number;
  to: number;
  /** it has been drawn far enough to be no click */
  moved: boolean;
}

export interface Brushing {
  /** null while none is drawn */
  brush: Brush | null;
  /** `3-10` as drawn so far, "" for none */
  range: string;
  begin: (side: Letter, place: number) => void;
  reach: (place: number, moved: boolean) => void;
  /** compares the range only; false where nothing was drawn */
  finish: () => boolean;
  cancel: () => void;
  /** whether the side's steps can be told apart by number */
  possible: (side: Letter) => boolean;
}

/** Side whose picture the focus goes back to when the page has followed a choice. */
let chosenIn: Letter | null = null;

/** The side where a range was just chosen, once. */
export function justChosen(): Letter | null {
  const side = chosenIn;
  chosenIn = null;
  return side;
}

/** `labels`: the steps at each place of each side. */
export function useBrush(labels: Record<Letter, string[][]>, onSteps: (side: Letter, steps: string) => void): Brushing {
  const [brush, setBrush] = useState<Brush | null>(null);
  const possible = (side: Letter): boolean => canChoose(labels[side].flat());
  const range = brush?.moved ? rangeOf(labels[brush.side], brush) : '';
  return {
    brush,
    range,
    begin: (side, place) => setBrush(possible(side) ? { side, from: place, to: place, moved: false } : null),
    reach: (place, moved) => setBrush((held) => held && { ...held, to: place, moved: held.moved || moved }),
    finish: () => {
      setBrush(null);
      if (!brush || range === '') return false;
      chosenIn = brush.side;
      onSteps(brush.side, range);
      return true;
    },
    cancel: () => setBrush(null),
    possible,
  };
}

function rangeOf(labels: string[][], { from, to }: Brush): string {
  const [low, high] = ordered(from, to, labels.length);
  return stepRange(labels.slice(low, high + 1).flat());
}
