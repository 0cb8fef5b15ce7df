// Contract and requests of api/history.

import { fetchAnswer } from '../api/api';
import type { HistoryAnswer } from '../contract/sent';

export type { History, HistoryAnswer, Point } from '../contract/sent';

/** If points are recorded meanwhile, pages may come from different listings: then all are requested again, up to this
 *  often. */
const TRIES = 3;

function fetchPage(query: Record<string, string>, signal?: AbortSignal): Promise<HistoryAnswer> {
  return fetchAnswer<HistoryAnswer>('history', new URLSearchParams(query), 'tb_perfcompare.history/1', signal);
}

async function fetchWhole(series: string, signal?: AbortSignal): Promise<HistoryAnswer> {
  for (let tries = 1; ; tries += 1) {
    const first = await fetchPage(series === '' ? {} : { series }, signal);
    if (first.history === null) return first;
    const points = [...first.history.points];
    let next = first.history.next_offset;
    while (next !== undefined) {
      const { history } = await fetchPage({ series: first.history.series, offset: String(next) }, signal);
      if (history === null || history.listing !== first.history.listing) break;
      points.push(...history.points);
      next = history.next_offset;
    }
    if (next === undefined) return { ...first, history: { ...first.history, points } };
    if (tries >= TRIES) throw new Error('the history changed while it was read');
  }
}

/** The list of series and the history of the named one, or of the first if `series` is "". */
export async function fetchHistory(series: string, signal?: AbortSignal): Promise<HistoryAnswer> {
  const found = await fetchWhole(series, signal);
  const first = found.series[0]?.series;
  return found.history === null && first !== undefined ? fetchWhole(first, signal) : found;
}
