// Failed request: the reason and the remedy.

import { type Failure, RequestError } from '../api/api';
import { SchemaError, type Pair, type Side } from '../contract/wire';
import { Button } from '../ui/buttons';
import { Icon } from '../ui/icons';
import { PairLines } from '../ui/pair_lines';
import { sentence, text } from '../ui/strings';

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
  return (
    <section class="state failed" role="alert">
      <h2 class="state-title line">
        <Icon name="stop" /> {mismatch ? text.errors.mixedTitle : text.errors.title}
      </h2>
      <p class="breaks">{sentence(message)}</p>
      {hint && <p class="muted">{sentence(hint)}</p>}
      {mismatch && pairs.length > 0 && (
        <>
          <h3>{text.errors.otherPairs}</h3>
          <ul class="state-pairs wide">
            {pairs.map((pair, index) => (
              <li key={index}>
                <button type="button" class="pop-item stack hover" onClick={() => onPair?.(pair.baseline, pair.candidate)}>
                  <PairLines pair={pair} />
                  <span class="muted">{pair.reason}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {!mismatch && (
        <Button class="primary" onClick={onRetry}>{text.errors.retry}</Button>
      )}
    </section>
  );
}
