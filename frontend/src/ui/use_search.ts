// The search of a table or picture; while the typed text is invalid, the last valid search stays.

import { useMemo, useRef } from 'preact/hooks';
import { EVERYTHING, parseQuery, type Query } from './search';

/** The search as typed, or the last valid one while that is an invalid regular expression; `error` says why it is invalid. */
export function useSearch(typed: string): { words: string; query: Query; error: string } {
  const last = useRef({ words: '', query: EVERYTHING });
  const query = useMemo(() => parseQuery(typed), [typed]);
  if (query.error === '') last.current = { words: typed, query };
  return { ...last.current, error: query.error };
}
