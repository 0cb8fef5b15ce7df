// Controls in a row; on a phone, behind one button.

import type { ComponentChildren } from 'preact';
import type { IconName } from '../icons';
import { useMatches } from '../use_matches';
import { Menu } from './menu';

interface Props {
  /** the button's text, usually the current choice */
  label: string;
  icon?: IconName;
  /** whether a control inside differs from its default */
  marked?: boolean;
  children: ComponentChildren;
}

export const PHONE = '(max-width: 640px)';

export function Fold({ label, icon, marked, children }: Props) {
  if (!useMatches(PHONE)) return <>{children}</>;
  return (
    <Menu class={marked ? 'fold marked' : 'fold'} label={label} icon={icon}>
      {(close) => (
        // closes after a choice, whose effect is seen behind the panel
        <div class="fold-controls" onClick={(event) => (event.target as Element).closest('[aria-pressed]') && close()} onChange={close}>
          {children}
        </div>
      )}
    </Menu>
  );
}
