// Button that copies a name.

import { Button } from '../ui/buttons';
import { Icon } from '../ui/icons';
import { text } from '../ui/strings';
import { useCopy } from './use_copy';

export function CopyName({ name }: { name: string }) {
  const [done, copy] = useCopy();
  return (
    <Button onClick={() => copy(name)}>
      <Icon name={done ? 'check' : 'copy'} size={14} />
      <span class="button-text">{done ? text.panel.copied : text.panel.copy}</span>
    </Button>
  );
}
