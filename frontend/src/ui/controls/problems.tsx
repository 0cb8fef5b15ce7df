// Files that cannot be used, with the reason.

import { Icon } from '../icons';
import { text } from '../strings';

interface Props {
  problems: { path: string; message: string }[];
  title?: string;
  open?: boolean;
}

export function Problems({ problems, title = text.problems.title(problems.length), open = false }: Props) {
  if (problems.length === 0) return null;
  return (
    <details class="problems soft below" open={open}>
      <summary class="inline unsure">
        <Icon name="alert" size={14} /> {title}
      </summary>
      <ul>
        {problems.map((problem) => (
          <li key={problem.path}>
            <code>{problem.path}</code> {problem.message}
          </li>
        ))}
      </ul>
    </details>
  );
}
