// Collapsible box for a chart above a table.

import { Icon } from '../ui/icons';

interface Props {
  title: string;
  about: string;
  open: boolean;
  onToggle: (open: boolean) => void;
  /** controls right of the title, shown while the box is open, such as zoom */
  tools?: preact.ComponentChildren;
  children: preact.ComponentChildren;
}

export function FigureBox({ title, about, open, onToggle, tools, children }: Props) {
  return (
    <section class={`panel figure-box${open ? '' : ' closed'}`} aria-label={title}>
      <header>
        <h2 class="section-title strong">
          <button type="button" class="figure-toggle inline strong" aria-expanded={open} onClick={() => onToggle(!open)}>
            <Icon name="chevron" size={14} /> {title}
          </button>
        </h2>
        <p class="muted clip" title={about}>
          {about}
        </p>
        {open && tools && (
          <>
            <span class="spacer" />
            {tools}
          </>
        )}
      </header>
      {open && children}
    </section>
  );
}
