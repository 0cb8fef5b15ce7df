// Buttons: plain, link and icon.

import { Icon, type IconName } from './icons';

type Props = Omit<preact.ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'label' | 'size' | 'class'> & { class?: string };

export function Button({ class: extra = '', ...rest }: Props) {
  return <button type="button" class={`button ${extra}`} {...rest} />;
}

/** A button that looks like a link in running text. */
export function LinkButton({ class: extra = '', ...rest }: Props) {
  return <button type="button" class={`link-button soft ${extra}`} {...rest} />;
}

/** A condition that holds until it is clicked. */
export function FilterChip({ class: extra = '', children, ...rest }: Props) {
  return (
    <button type="button" class={`chip chip-filter ${extra}`} {...rest}>
      {children} <Icon name="close" size={12} />
    </button>
  );
}

/** A button with only an icon; `label` is its accessible name and tooltip. */
export function IconButton({ icon, label, size = 14, class: extra = '', ...rest }: { icon: IconName; label: string; size?: number } & Props) {
  return (
    <button type="button" class={`icon-button${size < 14 ? ' little' : ''} ${extra}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} size={size} />
    </button>
  );
}
