// Rows that the server chooses, orders and sends as they come into view.

import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { asFailure, type Failure, fetchEveryRow, fetchRows, type RowSource } from '../api/api';
import type { Table, TablePage } from '../contract/wire';
import { Kept } from '../ui/kept';
import { findRow } from './rows';
import { AT_ONCE, BEFORE, missingFrom, remoteRows, type ShownRows } from './shown_rows';

const TYPING_MS = 200;
/** Rows that are passed by within it are not asked for. */
const PASSING_MS = 100;

export interface RemoteRows {
  /** null until the first answer */
  shown: ShownRows | null;
  failure: Failure | null;
  waiting: boolean;
  /** tells which rows are in view */
  onView: (first: number, end: number) => void;
  /** every row that passes, for a file */
  all: () => Promise<Table>;
}

interface Held {
  /** what they answer */
  key: string;
  asked: Record<string, string>;
  pages: TablePage[];
}

/** The last few answers: going back to a grouping, an order or a search asks nothing. */
const kept = new Kept<Held>(12);

/** `source` null: nothing is asked. `row` is the key of a row that must be among those held, "" for none. */
export function useRemoteRows(source: RowSource | null, table: Table, asked: Record<string, string>, row: string): RemoteRows {
  const key = source ? JSON.stringify([source.tag, source.query.toString(), source.table, asked]) : '';
  const [held, setHeld] = useState<Held | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const view = useRef<[number, number]>([0, 0]);
  const busy = useRef<AbortController | null>(null);
  const looked = useRef('');
  /** while one jumps from place to place: until when, and what waits for the end of it */
  const passing = useRef({ until: 0, timer: 0 });

  /** One request at a time; what came into view meanwhile is asked for afterwards. */
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
          if (around !== null) fetch({ offset: String(around), limit: String(AT_ONCE) });
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
    const timer = setTimeout(() => fetch({ limit: String(AT_ONCE) }), typed ? TYPING_MS : 0);
    return () => clearTimeout(timer);
  }, [key]);
  useLayoutEffect(() => () => busy.current?.abort(), []);

  const matching = held?.pages[0]?.matching_rows ?? 0;
  // one array for one question: what draws it starts at the top when it is another one
  const places = useMemo(() => Array.from({ length: matching }, (_, place) => place), [held?.key, matching]);
  const shown = useMemo(() => (held && source ? remoteRows(table, held.pages, places, held.asked) : null), [held, table, places]);
  const fresh = held?.key === key;

  const want = useCallback((): void => {
    if (!shown || !fresh || busy.current || failure || passing.current.timer !== 0) return;
    const missing = missingFrom(shown.table.rows, ...view.current);
    if (missing >= 0) fetch({ offset: String(missing), limit: String(AT_ONCE) });
    else if (row !== '' && looked.current !== row && findRow(shown.table, row) < 0) {
      looked.current = row;
      fetch({ row, limit: '1' }, (page) => (page.place === null ? null : Math.max(0, page.place - BEFORE)));
    }
  }, [shown, fresh, failure, row, fetch]);
  useLayoutEffect(want, [want]);
  const latest = useRef(want);
  latest.current = want;

  /** The first jump is followed at once, others where they end. */
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
  const all = useCallback(async (): Promise<Table> => {
    return source ? { ...table, rows: await fetchEveryRow(source, asked, new AbortController().signal) } : table;
  }, [key, table]);
  return { shown, failure, waiting: source !== null && !fresh && failure === null, onView, all };
}
