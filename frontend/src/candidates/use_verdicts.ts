// Compares several candidates with one baseline: rows arrive one by one; the last answers are cached, so that going back is
// instant.

import { useState } from 'preact/hooks';
import { apiUrl, eachLine, type Failure, RequestError } from '../api/api';
import { useAnswer } from '../api/use_answer';
import { checked, type Progress } from '../contract/wire';
import { BoundedCache } from '../ui/kept';
import type { Row, VerdictsAnswer, VerdictsLine } from './wire';

interface VerdictsState {
  /** by index of the candidate; undefined if not compared yet */
  rows: (Row | undefined)[];
  /** null until all rows have arrived */
  answer: VerdictsAnswer | null;
  /** the row being compared, null for none */
  at: { row: number; progress: Progress } | null;
  status: 'none' | 'loading' | 'ready' | 'failed' | 'cancelled';
  failure: Failure | null;
}

/** Answers with a failed row are not cached: its files may be readable next time. */
const answers = new BoundedCache<VerdictsAnswer>(8, ({ rows }) => rows.every((row) => row.error === null));
/** Cached rows by candidate, so that adding a candidate does not blank the others. */
const known = new BoundedCache<Row>(200, (row) => row.error === null);

/** `keys` identify each comparison and the state of its files. Also returns callbacks that retry and cancel. */
export function useVerdicts(keys: string[], query: URLSearchParams): [VerdictsState, () => void, () => void] {
  const [came, setCame] = useState<Pick<VerdictsState, 'rows' | 'at'>>({ rows: [], at: null });
  const [{ status, answer, question, failure }, again, cancel] = useAnswer(answers, keys.join('\n\n'), async (signal) => {
    setCame({ rows: keys.map((key) => known.get(key)), at: null });
    let whole: VerdictsAnswer | null = null;
    const take = (line: VerdictsLine): void => {
      if (signal.aborted) return;
      if ('progress' in line) setCame((before) => ({ ...before, at: { row: line.progress.row, progress: line.progress } }));
      else if ('row' in line) setCame(({ rows }) => ({ rows: keys.map((_key, place) => (place === line.row.row ? line.row : rows[place])), at: null }));
      else whole = checked<VerdictsAnswer>(line.result, 'tb_perfcompare.verdicts/1');
    };
    await eachLine<VerdictsLine>(apiUrl('verdicts', query), take, signal);
    if (whole === null) throw new RequestError('unreachable', '', '');
    (whole as VerdictsAnswer).rows.forEach((row, place) => known.set(keys[place]!, row));
    return whole;
  });
  const found = question === keys.join('\n\n') ? answer : null;
  const at = status === 'loading' ? came.at : null;
  return [{ rows: found?.rows ?? came.rows, answer: found, at, status, failure }, again, cancel];
}
