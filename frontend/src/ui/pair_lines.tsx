// A side as one line of text, a pair as two lines.

import type { Pair, Side } from '../contract/wire';
import { Badge } from './sides';
import { text } from './strings';

export function sideText(side: Side): string {
  return [side.run, side.worker, side.span === null ? null : `${text.picker.span} ${side.span}`, side.steps ?? null, side.launches ?? null].filter((part) => part !== null).join(' · ');
}

export function PairLines({ pair }: { pair: Pair }) {
  return (
    <>
      <span class="line breaks">
        <Badge side="a" /> {sideText(pair.baseline)}
      </span>
      <span class="line breaks">
        <Badge side="b" /> {sideText(pair.candidate)}
      </span>
    </>
  );
}
