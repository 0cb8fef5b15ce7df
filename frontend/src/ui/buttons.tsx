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

/** A button with only an icon; `label` is its accessible name and tooltip. */
export function IconButton({ icon, label, size = 14, class: extra = '', ...rest }: { icon: IconName; label: string; size?: number } & Props) {
  return (
    <button type="button" class={`icon-button ${extra}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} size={size} />
    </button>
  );
}
