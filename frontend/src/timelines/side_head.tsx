// Heading above a side's timeline: the step shown, its figures, or why it cannot be drawn.

import { RequestError } from '../api/api';
import { failureText } from '../states/failed';
import { LinkButton } from '../ui/buttons';
import { sentence, text } from '../ui/strings';
import type { Choice, Letter } from './data/fetch';
import type { SideState } from './data/use_pictures';
import type { Picture } from './data/wire';
import { words } from './data/words';
import { Head } from './parts';
import { StepPicker } from './tools';

interface Props {
  side: Letter;
  choice: Choice;
  /** whether the other side shows the same step as this one */
  otherIsSame: boolean;
  state: SideState;
  /** what is drawn */
  picture: Picture | null;
  /** nanoseconds by which the side is moved */
  shift: number;
  onStep: (step: string) => void;
  onTypical: () => void;
  onStraight: () => void;
  onAgain: () => void;
}

export function SideHead({ side, choice, otherIsSame, state, picture, shift, onStep, onTypical, onStraight, onAgain }: Props) {
  return (
    <>
      <StepPicker side={side} choice={choice} whole={state.whole} otherIsSame={otherIsSame} onChoose={onStep} />
      <SideTrouble side={side} state={state} onTypical={onTypical} onAgain={onAgain} />
      {state.whole && <Head whole={state.whole} picture={picture ?? state.whole} shift={shift} onStraight={onStraight} />}
    </>
  );
}

/** Line above a side's timeline: why it cannot be drawn, or the progress of loading. */
function SideTrouble({ side, state, onTypical, onAgain }: { side: Letter; state: SideState; onTypical: () => void; onAgain: () => void }) {
  if (state.failure) {
    const { message, hint } = failureText(state.failure);
    const chosen = state.failure instanceof RequestError && state.failure.code === 'selection';
    return (
      <p class="st-trouble error-text" role="alert">
        {sentence(message)} {hint !== '' && <span class="muted">{sentence(hint)}</span>}{' '}
        <LinkButton onClick={chosen ? onTypical : onAgain}>{chosen ? words.states.typical : text.errors.retry}</LinkButton>
      </p>
    );
  }
  if (!state.waiting) return null;
  const { progress } = state;
  return (
    <p class="muted late" role="status">
      {words.states.waiting(words.side[side])} {progress && `${words.states.phase[progress.phase] ?? ''} ${progress.path}`}
    </p>
  );
}
