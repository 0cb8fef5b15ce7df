// The search of tables and pictures: `word word` (must contain all), `-word` (must not contain), `/regex/`.

import { useMemo, useRef } from 'preact/hooks';

export interface Query {
  test: (text: string) => boolean;
  empty: boolean;
  /** why the query is invalid, "" if it is valid */
  error: string;
}

export const EVERYTHING: Query = { test: () => true, empty: true, error: '' };

/** Words match as plain text, ignoring case; text between slashes is one regular expression. */
export function parseQuery(text: string): Query {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === '-') return EVERYTHING;
  const regex = /^(-?)\/(.+)\/([a-z]*)$/.exec(trimmed);
  if (regex) return regexQuery(regex[2] ?? '', regex[3] ?? '', regex[1] === '-');
  const wanted: string[] = [];
  const unwanted: string[] = [];
  for (const word of trimmed.toLowerCase().split(/\s+/)) {
    if (word === '-') continue;
    if (word.startsWith('-')) unwanted.push(word.slice(1));
    else wanted.push(word);
  }
  const test = (value: string): boolean => {
    const lower = value.toLowerCase();
    return wanted.every((word) => lower.includes(word)) && !unwanted.some((word) => lower.includes(word));
  };
  return { test, empty: false, error: '' };
}

/** Whether the query is a regular expression, which the page applies but the server does not. */
export function isRegex(text: string): boolean {
  return /^-?\/.+\/[a-z]*$/.test(text.trim());
}

function regexQuery(source: string, flags: string, negated: boolean): Query {
  try {
    // `m`: a row's texts are separate lines, so ^ and $ match at the ends of each
    const pattern = new RegExp(source, (flags || 'i').replace(/[gym]/g, '') + 'm');
    return { test: (value) => pattern.test(value) !== negated, empty: false, error: '' };
  } catch (error) {
    return { ...EVERYTHING, error: (error instanceof Error ? error.message : String(error)).replace(/^Invalid regular expression: (\/.*\/\w*: )?/, '') };
  }
}

/** The search as typed, or the last valid one while that is an invalid regular expression; `error` says why it is invalid. */
export function useSearch(typed: string): { words: string; query: Query; error: string } {
  const last = useRef({ words: '', query: EVERYTHING });
  const query = useMemo(() => parseQuery(typed), [typed]);
  if (query.error === '') last.current = { words: typed, query };
  return { ...last.current, error: query.error };
}
