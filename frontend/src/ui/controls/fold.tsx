// Controls in a row; on a phone they are behind one button.

import type { ComponentChildren } from 'preact';
import type { IconName } from '../icons';
import { useMatches } from '../use_matches';
import { Menu } from './menu';

interface Props {
  /** what the button says: as a rule what is chosen */
  label: string;
  title?: string;
  icon?: IconName;
  align?: 'left' | 'right';
  /** something within is not as usual */
  marked?: boolean;
  children: ComponentChildren;
}

export const PHONE = '(max-width: 640px)';

export function Fold({ label, title, icon, align, marked, children }: Props) {
  if (!useMatches(PHONE)) return <>{children}</>;
  return (
    <Menu class={marked ? 'fold marked' : 'fold'} label={label} title={title ?? ''} icon={icon} align={align}>
      {() => <div class="fold-controls">{children}</div>}
    </Menu>
  );
}
