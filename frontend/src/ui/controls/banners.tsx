// Lines above the answer that ask for the reader's decision; numbers never change by themselves.

import { Icon, IconButton } from '../icons';

interface Props {
  message: string;
  action?: string;
  onAction?: () => void;
  onDismiss?: () => void;
  dismiss?: string;
}

export function Banner({ message, action, onAction, onDismiss, dismiss }: Props) {
  return (
    <div class="banner line" role="status">
      <Icon name="info" size={14} />
      <span>{message}</span>
      {action && (
        <button type="button" class="link-button soft" onClick={onAction}>
          {action}
        </button>
      )}
      {onDismiss && (
        <IconButton icon="close" label={dismiss ?? ''} size={12} onClick={onDismiss} />
      )}
    </div>
  );
}
