// Button that copies a name and confirms it until another name is shown.

import { useState } from 'preact/hooks';
import { copyText } from './host';
import { Button } from '../ui/buttons';
import { Icon } from '../ui/icons';
import { text } from '../ui/strings';

export function CopyName({ name }: { name: string }) {
  const [copied, setCopied] = useState('');
  return (
    <Button onClick={() => void copyText(name).then((done) => setCopied(done ? name : ''))}>
      <Icon name={copied === name ? 'check' : 'copy'} size={14} />
      <span class="button-text">{copied === name ? text.panel.copied : text.panel.copy}</span>
    </Button>
  );
}
