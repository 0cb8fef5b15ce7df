// Copies text and confirms it for a while.

import { useState } from 'preact/hooks';
import { copyText } from './host';

/** How long a button says that its text was copied. */
const SHOWN_MS = 2000;

/** Whether the last copy succeeded a moment ago, null while there is nothing to say; and what copies a text. */
export function useCopy(): [boolean | null, (text: string | Promise<string>) => void] {
  const [done, setDone] = useState<boolean | null>(null);
  const copy = (text: string | Promise<string>): void => {
    void Promise.resolve(text)
      .then(copyText)
      .catch(() => false)
      .then((copied) => {
        setDone(copied);
        setTimeout(() => setDone(null), SHOWN_MS);
      });
  };
  return [done, copy];
}
