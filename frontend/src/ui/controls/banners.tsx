// Notices above the comparison, some with an action: numbers on screen never change unless the reader agrees.

import { IconButton, LinkButton } from '../buttons';
import { Icon } from '../icons';
import { text } from '../strings';

interface Props {
  message: string;
  action?: string;
  onAction?: () => void;
  onDismiss?: () => void;
}

export function Banner({ message, action, onAction, onDismiss }: Props) {
  return (
    <div class="banner line" role="status">
      <Icon name="info" size={14} />
      <span>{message}</span>
      {action && (
        <LinkButton onClick={onAction}>{action}</LinkButton>
      )}
      {onDismiss && (
        <IconButton icon="close" label={text.banners.dismiss} size={12} onClick={onDismiss} />
      )}
    </div>
  );
}
