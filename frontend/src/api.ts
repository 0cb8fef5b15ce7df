// The server's routes. Addresses are relative to this module, so any path prefix or proxy works.

import { LineDecoder } from './ndjson';
import { asStrict, type StrictAnswer } from './strict_wire';
import { asComparison, asRuns, type Comparison, type Progress, type RunsAnswer, type ServerError, type StreamLine } from './wire';

export class RequestError extends Error {
  constructor(
    /** the server's code, or `unreachable`, `not_json` */
    readonly code: string,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

// in a variable: vite would take `new URL(..., import.meta.url)` for the address of a file to bundle
const here = import.meta.url;

export function apiUrl(route: string, query?: URLSearchParams): string {
  const url = new URL(`../api/${route}`, here);
  if (query) url.search = query.toString();
  return url.href;
}

async function request(url: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { ...(signal ? { signal } : {}), headers: { Accept: 'application/json, application/x-ndjson' } });
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

export async function fetchRuns(rescan: boolean): Promise<RunsAnswer> {
  const response = await request(apiUrl('runs', rescan ? new URLSearchParams({ rescan: '1' }) : undefined));
  return asRuns(await response.json());
}

/** Runs a comparison; progress as it comes. Aborting the signal stops the work at the server too. */
export async function fetchComparison(
  query: URLSearchParams,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Comparison> {
  const response = await request(apiUrl('comparison', query), signal);
  if (!response.body) throw new RequestError('not_json', '', '');
  const decoder = new LineDecoder<StreamLine>();
  const reader = response.body.getReader();
  let result: Comparison | null = null;
  const take = (lines: StreamLine[]): void => {
    for (const line of lines) {
      if ('progress' in line) onProgress(line.progress);
      else if ('error' in line) throw new RequestError(line.error.code, line.error.message, line.error.hint);
      else result = asComparison(line.result);
    }
  };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      take(decoder.push(value));
    }
    take(decoder.end());
  } catch (error) {
    if (error instanceof TypeError) throw new RequestError('unreachable', error.message, '');
    throw error;
  }
  if (result === null) throw new RequestError('unreachable', '', '');
  return result;
}

/** The strict report of a pair. Aborting the signal stops the work at the server too. */
export async function fetchStrict(query: URLSearchParams, signal: AbortSignal): Promise<StrictAnswer> {
  const response = await request(apiUrl('strict', query), signal);
  return asStrict(await response.json());
}

export async function fetchText(url: string): Promise<string> {
  return (await request(url)).text();
}
