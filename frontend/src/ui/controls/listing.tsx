// A table of sentences. Roles are explicit because narrow screens lay its parts out as cards, which drops the implicit ones.

import css from './listing.css?inline';
import { adoptSheet } from '../sheets';

adoptSheet(css);

interface Head {
  label: preact.ComponentChildren;
  class?: string;
  title?: string;
  width?: string;
}

export function Listing({ label, class: extra, heads, children }: { label?: string; class: string; heads: Head[]; children: preact.ComponentChildren }) {
  return (
    <table role="table" class={`listing wide ${extra}`} aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {heads.map((head, index) => (
            <th key={index} scope="col" role="columnheader" class={head.class} title={head.title} style={{ width: head.width }}>
              {head.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">{children}</tbody>
    </table>
  );
}
