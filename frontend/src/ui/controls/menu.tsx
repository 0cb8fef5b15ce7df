// A button that opens a small panel, which closes on Escape, on a click outside and when it loses focus.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from '../icons';

/** An entry of a menu: its text, a note below it, and the action or in `href` the URL of the file to save. */
export interface Item {
  label: string;
  note?: string;
  title?: string;
  href?: string;
  onChoose?: () => void;
}

export function MenuItems({ items, close }: { items: Item[]; close: () => void }) {
  return (
    <ul>
      {items.map(({ label, note, ...item }) => (
        <li key={label}>
          <MenuItem {...item} close={close}>
            {label}
            {note && <span class="muted">{note}</span>}
          </MenuItem>
        </li>
      ))}
    </ul>
  );
}

interface Props {
  label: ComponentChildren;
  /** the label if there is an icon, which a narrow page shows alone */
  title?: string | undefined;
  icon?: IconName | undefined;
  align?: 'left' | 'right';
  disabled?: boolean;
  class?: string;
  /** closes the panel when called */
  children: (close: () => void) => ComponentChildren;
}

interface ItemProps {
  title?: string;
  /** closes the panel */
  close: () => void;
  /** the action, or in `href` the URL of the file to save */
  onChoose?: () => void;
  href?: string;
  children: ComponentChildren;
}

export function MenuItem({ title, close, onChoose, href, children }: ItemProps) {
  if (href !== undefined) return <a class="pop-item stack hover" href={href} download="" referrerpolicy="no-referrer" onClick={close}>{children}</a>;
  const choose = (): void => {
    close();
    onChoose?.();
  };
  return <button type="button" class="pop-item stack hover" title={title} onClick={choose}>{children}</button>;
}

const ITEMS = '.pop button:not(:disabled), .pop a, .pop input, .pop select:not(:disabled)';

/** Least pixels between a panel and the edges of the window. */
const GAP = 8;

/** Pixels to move a panel right (left if negative) so that it fits the window; if it is wider, its left edge stays visible. */
export function shiftInto(left: number, right: number, window: number): number {
  return Math.max(Math.min(0, window - GAP - right), GAP - left);
}

export function Menu({ label, icon, title = icon && typeof label === 'string' ? label : undefined, align = 'left', disabled = false, class: extra = '', children }: Props) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };

  useLayoutEffect(() => {
    if (!open) return undefined;
    const elsewhere = (event: Event): void => {
      if (!(event.target instanceof Node && box.current?.contains(event.target))) setOpen(false);
    };
    const panel = box.current?.querySelector<HTMLElement>('.pop');
    if (panel) {
      const { left, right } = panel.getBoundingClientRect();
      panel.style.translate = `${shiftInto(left, right, window.innerWidth)}px`;
    }
    document.addEventListener('pointerdown', elsewhere);
    document.addEventListener('focusin', elsewhere);
    box.current?.querySelector<HTMLElement>(ITEMS)?.focus();
    return () => {
      document.removeEventListener('pointerdown', elsewhere);
      document.removeEventListener('focusin', elsewhere);
    };
  }, [open]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!open) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !(event.target instanceof HTMLSelectElement)) {
      const items = [...(box.current?.querySelectorAll<HTMLElement>(ITEMS) ?? [])];
      const at = items.indexOf(document.activeElement as HTMLElement);
      const next = items[(at + (event.key === 'ArrowDown' ? 1 : -1) + items.length) % items.length];
      event.preventDefault();
      next?.focus();
    }
  };

  return (
    <div class={`menu ${extra}`} ref={box} onKeyDown={onKeyDown}>
      <button ref={button} type="button" class="button" title={title} aria-expanded={open} disabled={disabled} onClick={() => setOpen(!open)}>
        {icon && <Icon name={icon} />}
        <span class="button-text">{label}</span>
        <Icon name="chevron" size={12} />
      </button>
      {open && <div class={`pop pop-${align}`}>{children(close)}</div>}
    </div>
  );
}
