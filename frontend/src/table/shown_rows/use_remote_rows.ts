// Rows that the server filters and sorts, fetched as they come into view.

import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { asFailure, type Failure, fetchEveryRow, fetchRows, type RowSource } from '../../api/api';
import type { Table, TablePage } from '../../contract/wire';
import { BoundedCache } from '../../ui/kept';
import { findRow } from '../data/rows';
import { ROWS_PER_REQUEST, ROWS_BEFORE_VIEW, firstMissing, remoteRows } from './shown_rows';

const TYPING_MS = 200;
/** Rows that scroll past within this time are not fetched. */
const PASSING_MS = 100;

export type RemoteRows = ReturnType<typeof useRemoteRows>;

interface Held {
  /** the request that they answer */
  key: string;
  asked: Record<string, string>;
  pages: TablePage[];
}

/** The last few answers: going back to a grouping, sort or search makes no request. */
const kept = new BoundedCache<Held>(12);

/** If `source` is null, nothing is requested. `row` is the key of a row that must be fetched too, "" for none. `shown` is null until the
 *  first answer. */
export function useRemoteRows(source: RowSource | null, table: Table, asked: Record<string, string>, row: string) {
  const key = source ? JSON.stringify([source.tag, source.query.toString(), source.table, asked]) : '';
  const [held, setHeld] = useState<Held | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const view = useRef<[number, number]>([0, 0]);
  const busy = useRef<AbortController | null>(null);
  const looked = useRef('');
  /** while scrolling in jumps: when a jump counts as the first again, and the timer that fetches after the last */
  const passing = useRef({ until: 0, timer: 0 });

  /** One request at a time; rows that came into view meanwhile are fetched afterwards. */
  const fetch = useCallback(
    (more: Record<string, string>, place: (page: TablePage) => number | null = () => null): void => {
      if (!source) return;
      const controller = new AbortController();
      busy.current = controller;
      fetchRows(source, { ...asked, ...more }, controller.signal)
        .then((page) => {
          if (busy.current !== controller) return;
          busy.current = null;
          const next: Held = { key, asked, pages: [...(kept.get(key)?.pages ?? []), page] };
          kept.set(key, next);
          setHeld(next);
          setFailure(null);
          const around = place(page);
          if (around !== null) fetch({ offset: String(around), limit: String(ROWS_PER_REQUEST) });
        })
        .catch((error: unknown) => {
          if (busy.current !== controller) return;
          busy.current = null;
          setFailure(asFailure(error));
        });
    },
    [key],
  );

  const before = useRef('');
  useLayoutEffect(() => {
    busy.current?.abort();
    busy.current = null;
    looked.current = '';
    setFailure(null);
    if (!source) {
      setHeld(null);
      return undefined;
    }
    const typed = before.current !== '' && before.current !== key;
    before.current = key;
    const known = kept.get(key);
    if (known) {
      setHeld(known);
      return undefined;
    }
    const timer = setTimeout(() => fetch({ limit: String(ROWS_PER_REQUEST) }), typed ? TYPING_MS : 0);
    return () => clearTimeout(timer);
  }, [key]);
  useLayoutEffect(() => () => busy.current?.abort(), []);

  const matching = held?.pages[0]?.matching_rows ?? 0;
  // the same array for the same question: the grid scrolls to the top when it gets another one
  const places = useMemo(() => Array.from({ length: matching }, (_, place) => place), [held?.key, matching]);
  const shown = useMemo(() => (held && source ? remoteRows(table, held.pages, places, held.asked) : null), [held, table, places]);
  const fresh = held?.key === key;

  const want = useCallback((): void => {
    if (!shown || !fresh || busy.current || failure || passing.current.timer !== 0) return;
    const missing = firstMissing(shown.table.rows, ...view.current);
    if (missing >= 0) fetch({ offset: String(missing), limit: String(ROWS_PER_REQUEST) });
    else if (row !== '' && looked.current !== row && findRow(shown.table, row) < 0) {
      looked.current = row;
      fetch({ row, limit: '1' }, (page) => (page.place === null ? null : Math.max(0, page.place - ROWS_BEFORE_VIEW)));
    }
  }, [shown, fresh, failure, row, fetch]);
  useLayoutEffect(want, [want]);
  const latest = useRef(want);
  latest.current = want;

  /** Takes which places are in view: fetches rows at once after a first jump; after a series of jumps, only where it ends. */
  const onView = useCallback(
    (first: number, end: number): void => {
      const [from, to] = view.current;
      const now = performance.now();
      const jumped = first >= to || end <= from;
      view.current = [first, end];
      if (jumped && now < passing.current.until) {
        clearTimeout(passing.current.timer);
        passing.current.timer = setTimeout(() => {
          passing.current.timer = 0;
          latest.current();
        }, PASSING_MS) as unknown as number;
      }
      if (jumped) passing.current.until = now + PASSING_MS;
      want();
    },
    [want],
  );
  useLayoutEffect(() => () => clearTimeout(passing.current.timer), []);
  /** Fetches every matching row, to copy or save. */
  const all = useCallback(async (): Promise<Table> => {
    return source ? { ...table, ...(await fetchEveryRow(source, asked, new AbortController().signal)) } : table;
  }, [key, table]);
  return { shown, failure, waiting: source !== null && !fresh && failure === null, onView, all };
}
