// A picture above a table, which the reader may close.

import { Icon } from '../ui/icons';

interface Props {
  title: string;
  about: string;
  open: boolean;
  onToggle: (open: boolean) => void;
  /** right of the title while it is open: choices, zoom */
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
