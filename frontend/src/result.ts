// Props shared by the views of a finished comparison, and where to fetch the table rows that it leaves out.

import type { RowSource } from './api/api';
import type { Alternative, Comparison } from './contract/wire';
import type { TableRow } from './host/profiler_views';
import type { Tab } from './host/tab';
import type { Located } from './host/use_address';

export interface ResultProps extends Located {
  comparison: Comparison;
  /** `question` identifies the pair and the state of its files; `query` is the pair as query parameters of every route */
  question: string;
  query: URLSearchParams;
  tab: string;
  tabs: Tab[];
  /** each side's compared steps, such as `3-10`, "" for all; and the callback that changes them */
  chosen: Record<'a' | 'b', string>;
  onSteps: (letter: 'a' | 'b', steps: string) => void;
  onAlternative: (one: Alternative) => void;
  profiler: { open: (letter: 'a' | 'b', row?: TableRow) => void; hint: (letter: 'a' | 'b') => string } | null;
}

/** Where to fetch a table's other rows; null if the comparison has no tag. */
export function rowsOf(comparison: Comparison, query: URLSearchParams, table: string): RowSource | null {
  const { tag, notes, notes_left_out: leftOut } = comparison;
  const lost = leftOut === undefined ? notes.filter((note) => note.code === 'file_failed').length : null;
  return tag === undefined ? null : { route: 'table', query, tag, table, lost };
}
