// What every part of a finished comparison is given, and where the rows are that did not come with it.

import type { RowSource } from './api/api';
import type { Alternative, Comparison } from './contract/wire';
import type { TableRow } from './host/profiler_views';
import type { Tab } from './host/tab';
import type { Address } from './host/url_state';
import type { Change } from './host/use_address';

export interface ResultProps {
  comparison: Comparison;
  /** what the comparison answers: the pair with its files as they are now, and as every route takes it */
  question: string;
  query: URLSearchParams;
  tab: string;
  tabs: Tab[];
  address: Address;
  onChange: (change: Change, push?: boolean) => void;
  /** steps that are compared of each side, `3-10`, "" for all; and how to choose others */
  chosen: Record<'a' | 'b', string>;
  onSteps: (letter: 'a' | 'b', steps: string) => void;
  onAlternative: (one: Alternative) => void;
  /** table state of a table that was not shown before */
  fresh: Change;
  profiler: { open: (letter: 'a' | 'b', row?: TableRow) => void; hint: (letter: 'a' | 'b') => string } | null;
}

/** Where the rows of a table are that did not come with the comparison. */
export function rowsOf(comparison: Comparison, query: URLSearchParams, table: string): RowSource | null {
  const { tag, notes, notes_left_out: leftOut } = comparison;
  const lost = leftOut === undefined ? notes.filter((note) => note.code === 'file_failed').length : null;
  return tag === undefined ? null : { route: 'table', query, tag, table, lost };
}
