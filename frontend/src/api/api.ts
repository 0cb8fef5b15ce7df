// Requests to the server's routes. URLs are relative to this module, so any path prefix or proxy works.

import { checked, SchemaError, type Comparison, type Progress, type RunEntry, type RunsAnswer, type ServerError, type StreamLine, type TablePage } from '../contract/wire';
import { text } from '../ui/strings';

export class RequestError extends Error {
  constructor(
    /** the server's error code, or the page's own: `unreachable`, `not_json`, `http`, `changed` */
    readonly code: string,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** The errors that a request can fail with. */
export type Failure = RequestError | SchemaError;

export function asFailure(error: unknown): Failure {
  if (error instanceof RequestError || error instanceof SchemaError) return error;
  return new RequestError('not_json', error instanceof Error ? error.message : String(error), '');
}

// in a variable, because vite treats `new URL(..., import.meta.url)` as a file to bundle
const here = import.meta.url;

export function apiUrl(route: string, query?: URLSearchParams): string {
  const url = new URL(`../api/${route}`, here);
  if (query) url.search = query.toString();
  return url.href;
}

/** Proves that the tab sent the request: pages of other sites cannot send this header. */
const OWN_HEADER = { 'X-Perf-Compare': '1' };

export async function request(url: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { ...(signal ? { signal } : {}), headers: { Accept: 'application/json, application/x-ndjson', ...OWN_HEADER } });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new RequestError('unreachable', error instanceof Error ? error.message : String(error), '');
  }
  if (!response.ok) throw await failure(response);
  return response;
}

async function failure(response: Response): Promise<RequestError> {
  try {
    const { error } = (await response.json()) as { error: ServerError };
    return new RequestError(error.code, error.message, error.hint);
  } catch {
    return new RequestError('http', `${response.status} ${response.statusText}`, '');
  }
}

/** Fetches a route's answer; fails if it has another schema. */
export async function fetchAnswer<T extends { schema: string }>(route: string, query: URLSearchParams, schema: T['schema'], signal?: AbortSignal): Promise<T> {
  return checked<T>(await (await request(apiUrl(route, query), signal)).json(), schema);
}

/** Copies a query and adds parameters, without those that are empty. */
export function queryWith(query: URLSearchParams, more: Record<string, string>): URLSearchParams {
  const asked = new URLSearchParams(query);
  for (const [name, value] of Object.entries(more)) if (value !== '') asked.set(name, value);
  return asked;
}

/** Most attempts at a list of runs, which is fetched again from the start if it changes between two pages. */
const RUNS_TRIES = 3;

/** Fetches the whole list of runs, page by page. */
export async function fetchRuns(rescan: boolean): Promise<RunsAnswer> {
  for (let tries = 1; ; tries += 1) {
    const first = await fetchRunsPage(rescan ? { rescan: '1' } : {});
    const pages = [first];
    let next = first.next_offset;
    while (next !== undefined) {
      const page = await fetchRunsPage({ offset: String(next) });
      if (page.listing !== first.listing && tries < RUNS_TRIES) break;
      pages.push(page);
      next = page.next_offset;
    }
    if (next === undefined) return { ...first, runs: joinRuns(pages.map((page) => page.runs)) };
  }
}

async function fetchRunsPage(query: Record<string, string>): Promise<RunsAnswer> {
  return fetchAnswer<RunsAnswer>('runs', new URLSearchParams(query), 'tb_perfcompare.runs/1');
}

/** Joins pages of runs; merges a run whose workers are split over two pages. */
export function joinRuns(pages: RunEntry[][]): RunEntry[] {
  const runs: RunEntry[] = [];
  for (const run of pages.flat()) {
    const last = runs[runs.length - 1];
    if (last?.run === run.run) runs[runs.length - 1] = { ...last, workers: [...last.workers, ...run.workers] };
    else runs.push(run);
  }
  return runs;
}

/** Where to fetch the rows of a table that were not sent with it. */
export interface RowSource {
  route: 'table' | 'strict';
  /** the pair as query parameters of every route */
  query: URLSearchParams;
  /** identifies the state of the pair's files when compared: the server refuses rows of any other state */
  tag: string;
  table: string;
  /** number of the comparison's notes on unreadable files, which rows must match; null if not all notes were sent */
  lost: number | null;
}

/** Fetches rows of a table, filtered and sorted by the server. */
export async function fetchRows(source: RowSource, asked: Record<string, string>, signal: AbortSignal): Promise<TablePage> {
  const query = queryWith(source.query, { table: source.table, tag: source.tag, ...asked });
  const page = await fetchAnswer<TablePage>(source.route, query, 'tb_perfcompare.table/1', signal);
  if (source.lost !== null && page.lost !== source.lost) throw new RequestError('changed', text.errors.incomplete, text.errors.incompleteHint);
  return page;
}

/** Fetches all matching rows page by page, stopping once there are at least `most`. */
export async function fetchEveryRow(source: RowSource, asked: Record<string, string>, signal: AbortSignal, most = Infinity): Promise<Pick<TablePage, 'rows' | 'short_names'>> {
  const rows: TablePage['rows'] = [];
  const short_names = {};
  let next: number | null = 0;
  while (next !== null && rows.length < most) {
    const page: TablePage = await fetchRows(source, { ...asked, offset: String(next), limit: '20000' }, signal);
    for (const cells of page.rows) rows.push(cells);
    Object.assign(short_names, page.short_names);
    next = page.next_offset;
  }
  return { rows, short_names };
}

/** Values of a stream of JSON lines; lines and characters may be split between chunks. */
export async function* jsonLines<T>(body: ReadableStream<BufferSource>): AsyncGenerator<T> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  /** parts of the incomplete line, joined only once it is complete: a line may be long and the chunks many */
  let parts: string[] = [];
  for (let done = false; !done; ) {
    const chunk = await reader.read();
    done = chunk.done;
    const [first = '', ...others] = (chunk.value ?? '\n').split('\n'); // the last line needs no line break
    parts.push(first);
    if (others.length === 0) continue;
    const lines = [parts.join(''), ...others];
    parts = lines.splice(-1);
    for (const line of lines) if (/\S/.test(line)) yield JSON.parse(line) as T;
  }
}

/** Calls `take` for each line as it arrives; throws a line that is an error. Aborting the signal also stops the server's work. */
export async function eachLine<T>(url: string, take: (line: T) => void, signal: AbortSignal): Promise<void> {
  const response = await request(url, signal);
  if (!response.body) throw new RequestError('not_json', '', '');
  try {
    for await (const line of jsonLines<T | { error: ServerError }>(response.body)) {
      if (typeof line === 'object' && line !== null && 'error' in line) throw new RequestError(line.error.code, line.error.message, line.error.hint);
      take(line as T);
    }
  } catch (error) {
    if (error instanceof TypeError) throw new RequestError('unreachable', error.message, '');
    throw error;
  }
}

type OnProgress = (progress: Progress) => void;

/** Fetches a streamed answer: reports its progress lines and returns the last result line; fails if that has another schema. */
export async function fetchStream<T extends { schema: string }>(route: string, query: URLSearchParams, schema: T['schema'], onProgress: OnProgress, signal: AbortSignal): Promise<T> {
  const results: T[] = [];
  const take = (line: StreamLine): void => {
    if ('progress' in line) onProgress(line.progress);
    else if ('result' in line) results.push(checked<T>(line.result, schema));
  };
  await eachLine<StreamLine>(apiUrl(route, query), take, signal);
  const result = results.pop();
  if (result === undefined) throw new RequestError('unreachable', '', '');
  return result;
}

/** Fetches the comparison of a pair. */
export function fetchComparison(query: URLSearchParams, onProgress: OnProgress, signal: AbortSignal): Promise<Comparison> {
  return fetchStream('comparison', query, 'tb_perfcompare.comparison/1', onProgress, signal);
}
