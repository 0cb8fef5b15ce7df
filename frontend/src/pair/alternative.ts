// Goes to a comparison that the summary offers instead: of two captures of one side, or of ranges of steps.

import type { Alternative, Side } from '../contract/wire';
import { FRESH_STEPS, type Address } from '../host/url_state';
import type { Change } from '../host/use_address';
import { withSteps } from './selection';

export function alternativeChange(one: Alternative, a: Side, b: Side, window: Address['window']): Change {
  const alone = one.side === 'baseline' ? a : one.side === 'candidate' ? b : null;
  if (alone) {
    const capture = (at: 0 | 1): Side => ({ ...alone, worker: one.workers?.[at] ?? alone.worker, span: one.spans?.[at] ?? alone.span });
    return { a: capture(0), b: capture(1), row: '', ...FRESH_STEPS };
  }
  const steps = (side: Side, range: string | null): Side => (range === null ? side : withSteps(side, range));
  return { a: steps(a, one.baseline_steps), b: steps(b, one.candidate_steps), window: one.step_window ?? window, row: '', ...FRESH_STEPS };
}
