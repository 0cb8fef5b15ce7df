// The search of a table or picture, which a slip while typing does not undo.

import { useMemo, useRef } from 'preact/hooks';
import { EVERYTHING, parseQuery, type Query } from './search';

/** What is looked for: as typed, or as before while that is no regular expression. `error` says what is wrong with it. */
export function useSearch(typed: string): { words: string; query: Query; error: string } {
  const last = useRef({ words: '', query: EVERYTHING });
  const query = useMemo(() => parseQuery(typed), [typed]);
  if (query.error === '') last.current = { words: typed, query };
  return { ...last.current, error: query.error };
}
