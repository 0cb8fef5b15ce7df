// State with a message, what explains it, and an optional button.

import { Button } from '../ui/buttons';
import { Icon, type IconName } from '../ui/icons';

interface MessageProps {
  title: string;
  icon?: IconName;
  class?: string;
  hint?: string;
  action?: string;
  onAction?: () => void;
  alert?: boolean;
  children?: preact.ComponentChildren;
}

export function Message({ title, icon, class: extra = '', hint, action, onAction, alert = false, children }: MessageProps) {
  return (
    <section class={`panel stack state ${extra}`} role={alert ? 'alert' : 'status'}>
      <h2 class="state-title line">
        {icon && <Icon name={icon} />} {title}
      </h2>
      {children}
      {hint && <p class="muted">{hint}</p>}
      {action && <Button class="primary" onClick={onAction}>{action}</Button>}
    </section>
  );
}
