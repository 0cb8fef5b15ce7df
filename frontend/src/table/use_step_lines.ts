// Pictures of the rows in view, step by step: the part that draws them is fetched when a table first has such a column.

import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RowSource } from '../api/api';
import { rowKey } from './rows';
import type { ShownRows } from './shown_rows';
import type { LineRow, StepLines } from './step_lines/step_lines';

/** Rows on either side of those in view that come with them. */
const MARGIN = 40;

const load = () => import('./step_lines/step_lines').then((part) => part.StepLines);
let Part: typeof StepLines | null = null;

export interface StepLinesOfRows {
  /** of a row by its number */
  picture: (row: number) => preact.ComponentChild;
  /** tells which places are in view */
  onView: (first: number, end: number) => void;
}

/** `source` null: nothing is drawn, nothing asked. `question` names what is compared, with its files as they are. */
export function useStepLines(source: RowSource | null, question: string, measure: string, { table, rows, asked }: ShownRows): StepLinesOfRows {
  const [, redraw] = useState(0);
  const again = useCallback(() => redraw((n) => n + 1), []);
  const wanted = source !== null;
  useLayoutEffect(() => {
    if (!wanted || Part) return;
    // without it the column stays empty; what is wrong with the server is said elsewhere
    load().then((part) => ((Part = part), again()), () => undefined);
  }, [wanted]);
  const loaded = Part;
  const lines = useMemo(() => (loaded && source ? new loaded(source, question, measure, again) : null), [loaded, wanted, source?.table, source?.tag, question, measure]);
  useLayoutEffect(() => () => lines?.close(), [lines]);

  const view = useRef<[number, number]>([0, 0]);
  const look = useCallback((): void => {
    /** of those in view, and of `margin` rows on either side; rows that have not come yet are left out */
    const here = (margin: number): LineRow[] => {
      const [first, end] = view.current;
      const numbers = rows.slice(Math.max(0, first - margin), end + margin).filter((number) => table.rows[number]);
      return numbers.map((place) => ({ place, key: rowKey(table, place) }));
    };
    lines?.look(() => here(0), () => here(MARGIN), asked);
  }, [lines, table, rows, asked]);
  useLayoutEffect(look, [look]);
  const onView = useCallback(
    (first: number, end: number): void => {
      view.current = [first, end];
      look();
    },
    [look],
  );
  return { picture: (row) => lines?.picture(rowKey(table, row)), onView };
}
