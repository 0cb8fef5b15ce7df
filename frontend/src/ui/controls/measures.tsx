// A table of measures: A, B and their difference.

import { text } from '../strings';

interface Line {
  label: string;
  title?: string | undefined;
  figures: preact.ComponentChildren[];
}

export function Measures({ lines }: { lines: Line[] }) {
  return (
    <table class="measures small-table wide apart">
      <thead>
        <tr>
          <th scope="col">{text.panel.measure}</th>
          <th scope="col" class="num text-a">{text.sideA}</th>
          <th scope="col" class="num text-b">{text.sideB}</th>
          <th scope="col" class="num">Δ</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ label, title, figures }) => (
          <tr key={label}>
            <th scope="row" title={title}>{label}</th>
            {figures.map((figure, index) => (
              <td key={index} class="num">
                {figure}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
