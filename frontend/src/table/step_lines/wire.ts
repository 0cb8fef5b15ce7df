// The answer of api/rows (plugin/http_api.md) as types.

import { checked } from '../../contract/wire';

/** The steps of one row on one side, in order: the time of each, or the least and the greatest of groups of them. */
export interface SideLine {
  median_us: number;
  low_us: number[];
  high_us?: number[];
}

/** null: the side does not have the row. */
export interface StepLine {
  baseline: SideLine | null;
  candidate: SideLine | null;
}

export interface RowsAnswer {
  steps: { baseline: number; candidate: number };
  places: number[];
  rows: StepLine[];
  lost: number;
}

export function asRows(value: unknown): RowsAnswer {
  return checked(value, 'tb_perfcompare.rows/1') as unknown as RowsAnswer;
}

/** `0-3,7` of 0, 1, 2, 3, 7. */
export function writePlaces(places: number[]): string {
  const parts: string[] = [];
  const ordered = [...places].sort((one, other) => one - other);
  for (let at = 0; at < ordered.length; at += 1) {
    const first = ordered[at]!;
    while (ordered[at + 1] === ordered[at]! + 1) at += 1;
    parts.push(ordered[at] === first ? `${first}` : `${first}-${ordered[at]}`);
  }
  return parts.join(',');
}
