// Loading state, with a progress bar for each file being read.

import { useLayoutEffect, useState } from 'preact/hooks';
import type { FileProgress } from '../api/use_answer';
import type { Progress } from '../contract/wire';
import { Button } from '../ui/buttons';
import { formatBytes, formatElapsed } from '../ui/format';
import { text } from '../ui/strings';

export function Loading({ files, progress, since, onCancel }: { files: FileProgress[]; progress: Progress | null; since: number; onCancel: () => void }) {
  const phase = progress?.phase ?? 'queued';
  const [now, setNow] = useState(Date.now());
  useLayoutEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, []);
  return (
    <section class="panel stack state loading" aria-label={text.loading.region}>
      <h2 class="state-title line">
        {text.loading.title}{' '}
        <span class="muted small" role="status">
          {text.loading.phase[phase] ?? phase}
        </span>
      </h2>
      {/* above the list: below it, the button would move whenever a file is added */}
      <p class="loading-foot line">
        <span class="muted">{text.loading.elapsed(formatElapsed(Math.max(0, now - since) / 1000))}</span>
        <Button onClick={onCancel}>{text.loading.cancel}</Button>
      </p>
      <ul class="files wide">
        {files.map((file) => (
          <FileLine key={file.path} file={file} />
        ))}
      </ul>
    </section>
  );
}

function FileLine({ file }: { file: FileProgress }) {
  const share = file.finished ? 1 : file.total_bytes > 0 ? Math.min(1, file.done_bytes / file.total_bytes) : 0;
  const phase = file.finished ? text.loading.phase['done'] : (text.loading.phase[file.phase] ?? file.phase);
  const total = file.total_bytes > 0 ? formatBytes(file.total_bytes) : '';
  const bytes = total && !file.finished ? text.loading.of(formatBytes(file.done_bytes), total) : total;
  return (
    <li>
      <span class="file-name clip">{file.path}</span>
      <Bar label={file.path} share={share} />
      <span class="muted">{[phase, bytes, file.events > 0 ? text.loading.events(file.events) : ''].filter(Boolean).join(' · ')}</span>
    </li>
  );
}

/** How far a file has been read. */
export function Bar({ label, share }: { label: string; share: number }) {
  return (
    <span class="share" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(100 * share)}>
      <span style={{ width: `${100 * share}%` }} />
    </span>
  );
}
