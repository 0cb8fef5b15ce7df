// Collapsible box for a chart above a table.

import { isOpen, withChart } from '../host/url_state';
import type { Located } from '../host/use_address';
import { Icon } from '../ui/icons';

interface Props extends Located {
  title: string;
  about: string;
  class?: string;
  /** the table below; the address keeps whether its chart is open */
  tab: string;
  /** controls right of the title, shown while the box is open, such as zoom */
  tools?: preact.ComponentChildren;
  children: preact.ComponentChildren;
}

export function FigureBox({ title, about, class: extra = '', tab, address, onChange, tools, children }: Props) {
  const open = isOpen(address, tab);
  return (
    <section class={`panel figure-box ${extra}${open ? '' : ' closed'}`} aria-label={title}>
      <header>
        <h2>
          <button type="button" class="figure-toggle turns inline" aria-expanded={open} onClick={() => onChange({ closedCharts: withChart(address, tab, !open) })}>
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
