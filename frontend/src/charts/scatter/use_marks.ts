// Marks of rows in a chart, one for each side, and the row that the pointer is on.

import { useState } from 'preact/hooks';
import { LETTERS, type Letter } from '../../ui/sides';
import { pointIn } from '../canvas';
import type { MarkedRow } from '../largest_points';
import { radius } from './scatter';

export interface Mark<P = unknown> {
  point: P;
  side: Letter;
  x: number;
  y: number;
  r: number;
}

interface Options<S> {
  /** time and radius in pixels of the largest mark */
  largest_us: number;
  largest: number;
  place: (spot: S) => [x: number, y: number];
  /** row with open details, -1 for none */
  selected: number;
  onRow: (row: number) => void;
}

export function useMarks<S extends { us: number }, P extends MarkedRow<S>>(points: P[], { largest_us, largest, place, selected, onRow }: Options<S>) {
  const [active, setActive] = useState<P | null>(null);
  const marksOf = (point: P): Mark<P>[] =>
    LETTERS.flatMap((side) => {
      const spot = point[side];
      if (!spot) return [];
      const [x, y] = place(spot);
      return [{ point, side, x, y, r: radius(spot.us, largest_us, largest) }];
    });
  // largest first, so that small marks are drawn on top
  const marks = points.flatMap(marksOf).sort((one, other) => other.r - one.r);
  const at = (event: MouseEvent): P | null => nearest(marks, event, largest)?.point ?? null;
  const handlers = {
    onMouseMove: (event: MouseEvent) => setActive(at(event)),
    onMouseLeave: () => setActive(null),
    onClick: (event: MouseEvent) => {
      const hit = at(event);
      if (hit) onRow(hit.row);
    },
  };
  const shown = active ?? points.find((point) => point.row === selected) ?? null;
  return { marks, marksOf, active, setActive, shown, handlers };
}

/** A mark can be hit within this many pixels of its edge. */
const REACH = 10;

/** Mark under the pointer. Inside several marks the smaller wins, since it may lie on top of a large one. */
function nearest<P>(marks: Mark<P>[], event: MouseEvent, largest: number): Mark<P> | null {
  const [px, py] = pointIn(event);
  let best: Mark<P> | null = null;
  let least = REACH;
  for (const one of marks) {
    const away = Math.hypot(one.x - px, one.y - py);
    const rank = away <= one.r ? one.r / largest - 2 : away - one.r;
    if (rank < least) [best, least] = [one, rank];
  }
  return best;
}
