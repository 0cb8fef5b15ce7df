// How far the server has read each file.

import type { Progress } from '../contract/wire';

export interface FileProgress extends Progress {
  finished: boolean;
}

/** Progress lines folded into one entry per file, in order of first mention. */
export function foldProgress(files: FileProgress[], progress: Progress): FileProgress[] {
  if (progress.path === '') {
    const over = progress.phase === 'comparing';
    return over ? files.map((file) => ({ ...file, finished: true })) : files;
  }
  const entry = { ...progress, finished: progress.phase === 'done' };
  const known = files.some((file) => file.path === progress.path);
  return known ? files.map((file) => (file.path === progress.path ? entry : file)) : [...files, entry];
}
