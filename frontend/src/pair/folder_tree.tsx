// The runs' folders as a tree: one tab stop, arrow keys move and expand, Enter shows a folder's runs.

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount } from '../ui/format';
import { Icon } from '../ui/icons';
import { runKeyAction } from '../ui/use_keys';
import { chooserWords as words } from './run_table';
import { unfolded, type Folder } from './folders';

interface Props {
  folders: Folder[];
  /** total number of runs */
  all: number;
  /** the folder whose runs are shown, "" for all */
  shown: string;
  /** folders expanded initially; a single top-level folder always is */
  open: readonly string[];
  onShow: (path: string) => void;
}

export function FolderTree({ folders, all, shown, open, onShow }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(() => new Set([...open, ...(folders.length === 1 ? [folders[0]!.path] : [])]));
  const [current, setCurrent] = useState(shown);
  const root: Folder = useMemo(() => ({ path: '', name: words.everywhere, depth: -1, runs: all, folders: [] }), [all]);
  const entries = useMemo(() => [root, ...unfolded(folders, expanded)], [root, folders, expanded]);
  const at = Math.max(0, entries.findIndex(({ path }) => path === current));
  const moved = useRef(false);
  useLayoutEffect(() => {
    if (moved.current) list.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[at]?.focus();
    moved.current = false;
  }, [at]);
  const expand = (path: string, on: boolean): void => {
    const next = new Set(expanded);
    if (on) next.add(path);
    else next.delete(path);
    setExpanded(next);
    // if the current folder is now hidden, the collapsed one becomes current
    if (!on && current.startsWith(`${path}/`)) setCurrent(path);
  };
  const move = (place: number): void => {
    moved.current = true;
    setCurrent(entries[Math.min(entries.length - 1, Math.max(0, place))]!.path);
  };
  const above = (folder: Folder): number => entries.slice(0, at).map(({ depth }) => depth).lastIndexOf(folder.depth - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    const folder = entries[at]!;
    const [isParent, isOpen] = [folder.folders.length > 0, expanded.has(folder.path)];
    runKeyAction(event, {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at - 1),
      Home: () => move(0),
      End: () => move(entries.length - 1),
      ArrowRight: () => (isParent && !isOpen ? expand(folder.path, true) : isParent && move(at + 1)),
      ArrowLeft: () => (isParent && isOpen ? expand(folder.path, false) : move(above(folder))),
      Enter: () => onShow(folder.path),
      ' ': () => onShow(folder.path),
    });
  };
  return (
    <ul ref={list} class="runs-folders" role="tree" aria-label={words.folders} onKeyDown={onKeyDown}>
      {entries.map((folder, place) => {
        const { path, name, depth, runs } = folder;
        const isOpen = folder.folders.length > 0 ? expanded.has(path) : undefined;
        return (
          <li
            key={path}
            role="treeitem"
            class="pop-item line hover inset"
            title={path || name}
            tabIndex={place === at ? 0 : -1}
            aria-level={depth + 2}
            aria-selected={path === shown}
            aria-expanded={isOpen}
            style={{ paddingLeft: `${4 + 14 * (depth + 1)}px` }}
            onClick={() => {
              setCurrent(path);
              onShow(path);
              if (isOpen === false) expand(path, true);
            }}
          >
            <span
              class="twisty"
              aria-hidden="true"
              onClick={(event) => {
                if (isOpen === undefined) return;
                event.stopPropagation();
                expand(path, !isOpen);
              }}
            >
              {isOpen !== undefined && <Icon name="chevron" size={12} />}
            </span>
            <span class="clip">{name}</span> <span class="muted">{formatCount(runs)}</span>
          </li>
        );
      })}
    </ul>
  );
}
