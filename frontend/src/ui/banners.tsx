// Lines above the answer that ask for the reader's decision; numbers never change by themselves.

import { Icon } from './icons';

interface Props {
  message: string;
  action?: string;
  onAction?: () => void;
  onDismiss?: () => void;
  dismiss?: string;
}

export function Banner({ message, action, onAction, onDismiss, dismiss }: Props) {
  return (
    <div class="banner" role="status">
      <Icon name="info" size={14} />
      <span>{message}</span>
      {action && (
        <button type="button" class="link-button" onClick={onAction}>
          {action}
        </button>
      )}
      {onDismiss && (
        <button type="button" class="icon-button" aria-label={dismiss} title={dismiss} onClick={onDismiss}>
          <Icon name="close" size={12} />
        </button>
      )}
    </div>
  );
}
