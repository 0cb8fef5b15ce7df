// State with a message and an optional button.

import { Button } from '../ui/buttons';

interface MessageProps {
  title: string;
  hint?: string;
  action?: string;
  onAction?: () => void;
  alert?: boolean;
}

export function Message({ title, hint, action, onAction, alert = false }: MessageProps) {
  return (
    <section class="state" role={alert ? 'alert' : 'status'}>
      <h2 class="state-title line">{title}</h2>
      {hint && <p class="muted">{hint}</p>}
      {action && (
        <Button class="primary" onClick={onAction}>{action}</Button>
      )}
    </section>
  );
}
