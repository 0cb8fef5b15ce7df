// Several comparisons with one baseline: rows as they come, the last answers kept so that going back is instant.

import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { apiUrl, eachLine } from '../api/api';
import { asFailure, type Failure } from '../api/failure';
import { checked, type Progress } from '../contract/wire';
import { Kept } from '../ui/kept';
import type { Row, VerdictsAnswer, VerdictsLine } from './wire';

export interface VerdictsState {
  /** by place among the candidates; undefined: not compared yet */
  rows: (Row | undefined)[];
  /** once all are there */
  answer: VerdictsAnswer | null;
  /** the row under way */
  at: { row: number; progress: Progress } | null;
  status: 'running' | 'ready' | 'failed' | 'cancelled';
  failure: Failure | null;
}

const NONE: VerdictsState = { rows: [], answer: null, at: null, status: 'running', failure: null };
const answers = new Kept<VerdictsAnswer>(8);
/** Rows by candidate, so that one more candidate does not blank the others. */
const known = new Kept<Row>(200);

/** `keys` name each comparison and the state of its files. Also how to stop, and how to go on. */
export function useVerdicts(keys: string[], query: URLSearchParams): [VerdictsState, () => void, () => void] {
  const [state, setState] = useState<VerdictsState>(NONE);
  const [attempt, setAttempt] = useState(0);
  const [cancelled, setCancelled] = useState('');
  const question = keys.join('\n\n');
  useLayoutEffect(() => {
    const done = answers.get(question);
    if (done) {
      setState({ rows: done.rows, answer: done, at: null, status: 'ready', failure: null });
      return undefined;
    }
    if (cancelled === question) {
      setState((before) => ({ ...before, at: null, status: 'cancelled' }));
      return undefined;
    }
    const controller = new AbortController();
    let current = true;
    setState({ ...NONE, rows: keys.map((key) => known.get(key)), status: 'running' });
    const take = (line: VerdictsLine): void => {
      if (!current) return;
      if ('progress' in line) setState((before) => ({ ...before, at: { row: line.progress.row, progress: line.progress } }));
      else if ('row' in line)
        setState((before) => {
          const rows = [...before.rows];
          rows[line.row.row] = line.row;
          return { ...before, rows, at: null };
        });
      else {
        checked<VerdictsAnswer>(line.result, 'tb_perfcompare.verdicts/1');
        // what failed may be readable next time
        if (line.result.rows.every((row) => row.error === null)) answers.set(question, line.result);
        line.result.rows.forEach((row, place) => row.error === null && known.set(keys[place]!, row));
        setState({ rows: line.result.rows, answer: line.result, at: null, status: 'ready', failure: null });
      }
    };
    eachLine<VerdictsLine>(apiUrl('verdicts', query), take, controller.signal).catch((error: unknown) => {
      if (current) setState((before) => ({ ...before, at: null, status: 'failed', failure: asFailure(error) }));
    });
    return () => {
      current = false;
      controller.abort();
    };
    // the query is part of the keys
  }, [question, attempt, cancelled]);
  const again = useCallback(() => {
    setCancelled('');
    setAttempt((n) => n + 1);
  }, []);
  return [state, useCallback(() => setCancelled(question), [question]), again];
}
