// Failed request: the reason and the remedy.

import { type Failure, RequestError } from '../api/api';
import { SchemaError, type Pair, type Side } from '../contract/wire';
import { PairLines } from '../ui/pair_lines';
import { sentence, text } from '../ui/strings';
import { Message } from './message';

/** Message and remedy for a failure. */
export function failureText(failure: Failure): { message: string; hint: string } {
  if (failure instanceof SchemaError) return { message: text.errors.schema(failure.found), hint: text.errors.reloadPage };
  if (failure.code === 'unreachable') return { message: text.errors.unreachable, hint: text.errors.unreachableHint };
  return { message: failure.message || text.errors.notJson, hint: failure.hint };
}

/** The same in one line. */
export function failureLine(failure: Failure): string {
  const { message, hint } = failureText(failure);
  return [message, hint].filter(Boolean).map(sentence).join(' ');
}

interface FailedProps {
  failure: Failure;
  onRetry: () => void;
  /** pairs that share a run with the failed one */
  pairs?: Pair[];
  onPair?: (a: Side, b: Side) => void;
}

export function Failed({ failure, onRetry, pairs = [], onPair }: FailedProps) {
  const { message, hint } = failureText(failure);
  // the two sides cannot be compared: retrying is useless, another pair may work
  const mismatch = failure instanceof RequestError && failure.code === 'not_comparable';
  const title = mismatch ? text.errors.mixedTitle : text.errors.title;
  const listed = mismatch ? pairs : [];
  return (
    <Message alert class="failed" icon="stop" title={title} {...(mismatch ? {} : { action: text.errors.retry, onAction: onRetry })}>
      <p class="breaks">{sentence(message)}</p>
      {hint && <p class="muted">{sentence(hint)}</p>}
      {listed.length > 0 && <h3>{text.errors.otherPairs}</h3>}
      <ul class="state-pairs wide">
        {listed.map((pair, index) => (
          <li key={index}>
            <button type="button" class="pop-item stack hover" onClick={() => onPair?.(pair.baseline, pair.candidate)}>
              <PairLines pair={pair} />
              <span class="muted">{pair.reason}</span>
            </button>
          </li>
        ))}
      </ul>
    </Message>
  );
}
