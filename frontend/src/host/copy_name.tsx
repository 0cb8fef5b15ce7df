// Button that copies a name, and what every button that copies says of it.

import { Button } from '../ui/buttons';
import { Icon, type IconName } from '../ui/icons';
import { text } from '../ui/strings';
import { useCopy } from './use_copy';

/** The button's icon: for a while, whether the copy succeeded. */
export const copyIcon = (done: boolean | null, icon: IconName): IconName => (done === null ? icon : done ? 'check' : 'alert');

/** The same for screen readers. */
export function CopyStatus({ done }: { done: boolean | null }) {
  return (
    <span class="sr" role="status">
      {done === null ? '' : done ? text.panel.copied : text.actions.notCopied}
    </span>
  );
}

export function CopyName({ name }: { name: string }) {
  const [done, copy] = useCopy();
  return (
    <Button onClick={() => copy(name)}>
      <Icon name={copyIcon(done, 'copy')} size={14} />
      <span class="button-text">{done ? text.panel.copied : text.panel.copy}</span>
    </Button>
  );
}
