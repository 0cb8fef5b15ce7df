// What the page shows while there is no comparison: looking, nothing there, one run only, loading, failures.

import { useLayoutEffect, useState } from 'preact/hooks';
import { RequestError } from '../api/api';
import { formatBytes, formatElapsed } from '../ui/format';
import { Icon } from '../ui/icons';
import { spanPair } from '../pair/selection';
import { sentence, text } from '../ui/strings';
import { PairLines } from '../pair/suggest_menu';
import type { FileProgress } from '../pair/use_comparison';
import type { Failure } from '../pair/use_runs';
import { SchemaError, type Pair, type RunsAnswer, type Side } from '../contract/wire';

export function Scanning() {
  return (
    <div class="state" role="status">
      <p class="state-title">{text.loading.runs}</p>
    </div>
  );
}

function Searched({ answer, onRescan }: { answer: RunsAnswer; onRescan: () => void }) {
  return (
    <>
      <dl class="state-facts">
        <div>
          <dt>{text.empty.searched}</dt>
          <dd>{answer.roots.length > 0 ? answer.roots.map((root) => <code key={root}>{root}</code>) : text.empty.nothingGiven}</dd>
        </div>
        <div>
          <dt>{text.empty.pattern}</dt>
          <dd>{text.empty.patterns.map((pattern) => <code key={pattern}>{pattern}</code>)}</dd>
        </div>
      </dl>
      <h3>{text.empty.record}</h3>
      <pre tabIndex={0}>{text.empty.recordCode}</pre>
      <button type="button" class="button primary" onClick={onRescan}>
        <Icon name="refresh" /> {text.empty.again}
      </button>
    </>
  );
}

export function NoRuns({ answer, onRescan }: { answer: RunsAnswer; onRescan: () => void }) {
  return (
    <section class="state" aria-label={text.empty.title}>
      <h2 class="state-title">{text.empty.title}</h2>
      <Problems answer={answer} open />
      <Searched answer={answer} onRescan={onRescan} />
    </section>
  );
}

export function OneRun({ answer, onPair, onRescan }: { answer: RunsAnswer; onPair: (a: Side, b: Side) => void; onRescan: () => void }) {
  const run = answer.runs[0]!;
  const pair = spanPair(run);
  return (
    <section class="state" aria-label={text.empty.oneTitle}>
      <h2 class="state-title">{text.empty.oneTitle}</h2>
      <p>{text.empty.one(run.run)}</p>
      {pair ? (
        <button type="button" class="button primary" onClick={() => onPair(pair.baseline, pair.candidate)}>
          {text.empty.oneSpans}
        </button>
      ) : (
        <p>{text.empty.oneNoSpans}</p>
      )}
      <Searched answer={answer} onRescan={onRescan} />
    </section>
  );
}

/** Files below the log directory that no run can use. */
export function Problems({ answer, open = false }: { answer: RunsAnswer; open?: boolean }) {
  if (answer.problems.length === 0) return null;
  return (
    <details class="problems" open={open}>
      <summary>
        <Icon name="alert" size={14} /> {text.problems.title(answer.problems.length)}
      </summary>
      <ul>
        {answer.problems.map((problem) => (
          <li key={problem.path}>
            <code>{problem.path}</code> {problem.message}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface LoadingProps {
  files: FileProgress[];
  phase: string;
  since: number;
  onCancel: () => void;
}

export function Loading({ files, phase, since, onCancel }: LoadingProps) {
  const [now, setNow] = useState(Date.now());
  useLayoutEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, []);
  return (
    <section class="state loading" aria-label={text.loading.region}>
      <h2 class="state-title">
        {text.loading.title}{' '}
        <span class="muted" role="status">
          {text.loading.phase[phase] ?? phase}
        </span>
      </h2>
      {/* above the list: a button below it would move away with every file that begins */}
      <p class="loading-foot">
        <span class="muted">{text.loading.elapsed(formatElapsed(Math.max(0, now - since) / 1000))}</span>
        <button type="button" class="button" onClick={onCancel}>
          {text.loading.cancel}
        </button>
      </p>
      <ul class="files">
        {files.map((file) => (
          <FileLine key={file.path} file={file} />
        ))}
      </ul>
    </section>
  );
}

function FileLine({ file }: { file: FileProgress }) {
  const share = file.finished ? 1 : file.total_bytes > 0 ? Math.min(1, file.done_bytes / file.total_bytes) : 0;
  const phase = file.finished ? text.loading.phase['done'] : (text.loading.phase[file.phase] ?? file.phase);
  const bytes = file.total_bytes > 0 ? text.loading.of(formatBytes(file.finished ? file.total_bytes : file.done_bytes), formatBytes(file.total_bytes)) : '';
  return (
    <li>
      <span class="file-name">{file.path}</span>
      <span class="file-bar" role="progressbar" aria-label={file.path} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(100 * share)}>
        <span style={{ width: `${100 * share}%` }} />
      </span>
      <span class="muted">{[phase, bytes, file.events > 0 ? text.loading.events(file.events) : ''].filter(Boolean).join(' · ')}</span>
    </li>
  );
}

/** What went wrong in words, and what to do about it. */
export function failureText(failure: Failure): { message: string; hint: string } {
  if (failure instanceof SchemaError) return { message: text.errors.schema(failure.found), hint: text.errors.reloadPage };
  if (failure.code === 'unreachable') return { message: text.errors.unreachable, hint: text.errors.unreachableHint };
  return { message: failure.message || text.errors.notJson, hint: failure.hint };
}

/** Trying again cannot help where the two sides do not fit; other pairs can. */
export function isMismatch(failure: Failure): boolean {
  return failure instanceof RequestError && failure.code === 'not_comparable';
}

interface FailedProps {
  failure: Failure;
  onRetry: () => void;
  /** pairs that hold a run of the failed one */
  pairs?: Pair[];
  onPair?: (a: Side, b: Side) => void;
}

export function Failed({ failure, onRetry, pairs = [], onPair }: FailedProps) {
  const { message, hint } = failureText(failure);
  const mismatch = isMismatch(failure);
  return (
    <section class="state failed" role="alert">
      <h2 class="state-title">
        <Icon name="stop" /> {mismatch ? text.errors.mixedTitle : text.errors.title}
      </h2>
      <p class="state-message">{sentence(message)}</p>
      {hint && <p class="muted">{sentence(hint)}</p>}
      {mismatch && pairs.length > 0 && (
        <>
          <h3>{text.errors.otherPairs}</h3>
          <ul class="state-pairs">
            {pairs.map((pair, index) => (
              <li key={index}>
                <button type="button" class="pop-item" onClick={() => onPair?.(pair.baseline, pair.candidate)}>
                  <PairLines pair={pair} />
                  <span class="muted">{pair.reason}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {!mismatch && (
        <button type="button" class="button primary" onClick={onRetry}>
          {text.errors.retry}
        </button>
      )}
    </section>
  );
}

interface MessageProps {
  title: string;
  hint?: string;
  action?: string;
  onAction?: () => void;
  alert?: boolean;
}

/** A state that is a sentence and perhaps a button. */
export function Message({ title, hint, action, onAction, alert = false }: MessageProps) {
  return (
    <section class="state" role={alert ? 'alert' : 'status'}>
      <h2 class="state-title">{title}</h2>
      {hint && <p class="muted">{hint}</p>}
      {action && (
        <button type="button" class="button primary" onClick={onAction}>
          {action}
        </button>
      )}
    </section>
  );
}
