// The folders that runs lie in, as far as a list shows them.

export interface Folder {
  path: string;
  /** below the folder above it: folders that hold nothing but one other are one entry */
  name: string;
  depth: number;
  /** in it and below it */
  runs: number;
}

/** Those at the top, and those below each folder on the way to the open one. None where they would tell nothing apart. */
export function foldersOf(runs: readonly string[], open: string): Folder[] {
  const counts = new Map<string, number>();
  const below = new Map<string, Set<string>>();
  for (const run of runs) {
    const parts = run.split('/').slice(0, -1);
    parts.forEach((_, depth) => {
      const path = parts.slice(0, depth + 1).join('/');
      const above = parts.slice(0, depth).join('/');
      counts.set(path, (counts.get(path) ?? 0) + 1);
      below.set(above, (below.get(above) ?? new Set()).add(path));
    });
  }
  const found: Folder[] = [];
  const list = (above: string, depth: number): void => {
    for (const child of [...(below.get(above) ?? [])].sort()) {
      let path = child;
      for (let only = onlyChild(path); only !== null; only = onlyChild(path)) path = only;
      found.push({ path, name: path.slice(above === '' ? 0 : above.length + 1), depth, runs: counts.get(path)! });
      if (open === path || isBelow(open, path)) list(path, depth + 1);
    }
  };
  const onlyChild = (path: string): string | null => {
    const [child, ...more] = below.get(path) ?? [];
    return child !== undefined && more.length === 0 && counts.get(child) === counts.get(path) ? child : null;
  };
  list('', 0);
  return found.length === 1 && found[0]!.runs === runs.length ? [] : found;
}

/** Whether a run or folder lies below the folder; everything does below "". */
export function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}
