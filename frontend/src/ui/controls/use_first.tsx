// The first items of a list, and a button that shows the others.

import { useState } from 'preact/hooks';
import { LinkButton } from '../buttons';
import { text } from '../strings';

/** Items to draw, and the button, false if there are no others. `open`: all are shown at first. */
export function useFirst<T>(items: T[], most: number, open = false): [T[], preact.ComponentChild] {
  const [all, setAll] = useState(open);
  const others = items.length - most;
  return [
    all ? items : items.slice(0, most),
    others > 0 && <LinkButton aria-expanded={all} onClick={() => setAll(!all)}>{all ? text.findings.fewer : text.findings.more(others)}</LinkButton>,
  ];
}
