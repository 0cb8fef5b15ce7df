// Fetches the steps of the rows in view once scrolling stops, caches them, and draws each row's small picture.

import { fetchAnswer, queryWith, type RowSource } from '../../api/api';
import type { RowLines } from '../../contract/sent';
import { BoundedCache } from '../../ui/kept';
import { Pure } from '../../ui/pure';
import { adoptSheet } from '../../ui/sheets';
import { drawn, HEIGHT, LANE, WIDTH, type Drawn } from './path';
import css from './step_lines.css?inline';

adoptSheet(css);

/** Scrolling must stop this long before steps are fetched. */
const REST_MS = 120;
/** Cached rows over all tables. */
const MAX_KEPT = 6000;
/** Most rows of one request that the server accepts. */
const MAX_ASKED = 500;

/** A fetched row: its place in the server's answer, and its key. */
export interface LineRow {
  place: number;
  key: string;
}

/** Writes 0, 1, 2, 3, 7 as `0-3,7`. */
export function writePlaces(places: number[]): string {
  const parts: string[] = [];
  const ordered = [...places].sort((one, other) => one - other);
  for (let at = 0; at < ordered.length; at += 1) {
    const first = ordered[at]!;
    while (ordered[at + 1] === ordered[at]! + 1) at += 1;
    parts.push(ordered[at] === first ? `${first}` : `${first}-${ordered[at]}`);
  }
  return parts.join(',');
}

/** Pictures by question, table, time and row; the oldest are evicted first. */
const kept = new BoundedCache<Drawn>(MAX_KEPT);

/** The pictures of one table's rows for one time. `onNews` is called when new ones are ready. */
export class StepLines {
  private timer = 0;
  private busy: AbortController | null = null;
  /** the first request is never aborted by scrolling: it is slow, because the server gathers the table for it */
  private answered = false;
  private next: (() => void) | null = null;
  private asking = new Set<string>();
  private failed = new Set<string>();

  private readonly of: string;

  constructor(
    private readonly source: RowSource,
    question: string,
    private readonly measure: string,
    private readonly onNews: () => void,
  ) {
    this.of = [question, source.table, measure, ''].join('\n');
  }

  picture(key: string): preact.ComponentChild {
    const found = kept.get(this.of + key);
    return found && <Picture drawn={found} />;
  }

  /** Once scrolling stops, fetches all missing `near` rows in one request if any row in view is missing. */
  loadInView(seen: () => LineRow[], near: () => LineRow[], asked: Record<string, string>): void {
    clearTimeout(this.timer);
    const isMissing = ({ key }: LineRow): boolean => !kept.has(this.of + key) && !this.failed.has(key);
    this.timer = setTimeout(() => {
      if (seen().filter(isMissing).every(({ key }) => this.asking.has(key))) return; // all cached or requested
      if (this.busy && !this.answered) return void (this.next = () => this.loadInView(seen, near, asked));
      void this.fetch(near().filter(isMissing).slice(0, MAX_ASKED), asked, () => this.loadInView(seen, near, asked));
    }, REST_MS) as unknown as number;
  }

  /** Cancels the timer and the request. */
  close(): void {
    clearTimeout(this.timer);
    this.busy?.abort();
  }

  private async fetch(rows: LineRow[], asked: Record<string, string>, again: () => void): Promise<void> {
    this.busy?.abort(); // those rows scrolled past
    const controller = (this.busy = new AbortController());
    this.asking = new Set(rows.map(({ key }) => key));
    const more = { table: this.source.table, tag: this.source.tag, measure: this.measure, points: String(LANE), ...asked, places: writePlaces(rows.map(({ place }) => place)) };
    let came = 0;
    try {
      const answer = await fetchAnswer<RowLines>('rows', queryWith(this.source.query, more), 'tb_perfcompare.rows/1', controller.signal);
      if (this.busy !== controller) return;
      const places = new Map(rows.map(({ place, key }) => [place, key]));
      // if the answer lacks other files than the table, its places are other rows
      const same = this.source.lost === null || answer.lost === this.source.lost;
      answer.places.forEach((place, at) => {
        const key = places.get(place);
        if (key === undefined || !same) return;
        kept.set(this.of + key, drawn(answer.rows[at]!, answer.steps));
        places.delete(place);
        came += 1;
      });
      if (came > 0) this.failed.clear();
      else for (const key of places.values()) this.failed.add(key);
    } catch {
      if (controller.signal.aborted) return;
      // the table reports server errors; retried once other rows arrive
      this.failed = new Set(this.asking);
    }
    this.asking = new Set();
    this.busy = null;
    this.answered = true;
    if (came > 0) this.onNews();
    const next = this.next ?? (came > 0 ? again : null);
    this.next = null;
    next?.();
  }
}

class Picture extends Pure<{ drawn: Drawn }> {
  override render({ drawn: { a, b, level, summary } }: { drawn: Drawn }) {
    return (
      <svg class="step-lines" width={WIDTH} height={HEIGHT} role="img">
        <title>{summary}</title>
        <path class="step-level" d={level} />
        <path class="text-a" d={a} />
        <path class="text-b" d={b} />
      </svg>
    );
  }
}
