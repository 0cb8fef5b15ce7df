// Controls in a row; on a phone they are behind one button.

import type { ComponentChildren } from 'preact';
import type { IconName } from '../icons';
import { useMatches } from '../use_matches';
import { Menu } from './menu';

interface Props {
  /** what the button says: as a rule what is chosen */
  label: string;
  icon?: IconName;
  /** something within is not as usual */
  marked?: boolean;
  children: ComponentChildren;
}

export const PHONE = '(max-width: 640px)';

export function Fold({ label, icon, marked, children }: Props) {
  if (!useMatches(PHONE)) return <>{children}</>;
  return (
    <Menu class={marked ? 'fold marked' : 'fold'} label={label} icon={icon}>
      {(close) => (
        // a choice is seen in what the panel covers
        <div class="fold-controls" onClick={(event) => (event.target as Element).closest('[aria-pressed]') && close()} onChange={close}>
          {children}
        </div>
      )}
    </Menu>
  );
}
