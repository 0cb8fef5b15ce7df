// The folders that contain runs.

export interface Folder {
  path: string;
  /** path relative to the parent entry: a folder that contains nothing but one other shares its entry */
  name: string;
  depth: number;
  /** number of runs in it and below it */
  runs: number;
}

/** Folders from the top down, each followed by its subfolders; [] if all runs are in one folder or in none. */
export function foldersOf(runs: readonly string[]): Folder[] {
  const counts = new Map<string, number>();
  const below = new Map<string, Set<string>>();
  for (const run of runs) {
    const parts = run.split('/').slice(0, -1);
    let above = '';
    for (const part of parts) {
      const path = above === '' ? part : `${above}/${part}`;
      counts.set(path, (counts.get(path) ?? 0) + 1);
      if (!below.has(above)) below.set(above, new Set());
      below.get(above)!.add(path);
      above = path;
    }
  }
  const onlyChild = (path: string): string | null => {
    const [child, ...more] = below.get(path) ?? [];
    return child !== undefined && more.length === 0 && counts.get(child) === counts.get(path) ? child : null;
  };
  const within = (above: string, depth: number): Folder[] =>
    [...(below.get(above) ?? [])].sort(natural.compare).flatMap((child) => {
      let path = child;
      for (let only = onlyChild(path); only !== null; only = onlyChild(path)) path = only;
      return [{ path, name: path.slice(above === '' ? 0 : above.length + 1), depth, runs: counts.get(path)! }, ...within(path, depth + 1)];
    });
  const found = within('', 0);
  return found.length === 1 && found[0]!.runs === runs.length ? [] : found;
}

const natural = new Intl.Collator(undefined, { numeric: true });

/** Whether a run or folder is below `folder`; "" contains everything. */
export function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}
