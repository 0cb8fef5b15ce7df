// Links from the pair to the PyTorch Profiler tab.

import type { RunsAnswer, Side } from './contract/wire';
import type { ProfilerPlace } from './host/profiler_tab';
import { profilerView } from './host/profiler_views';
import { filesOf, findRun } from './pair/selection';
import type { ResultProps } from './result';
import { text } from './ui/strings';

/** Opens a side in the profiler's tab and says what is opened; null if TensorBoard has no such tab. `say` shows a notice. */
export function profilerLinks(answer: RunsAnswer, a: Side | null, b: Side | null, say: (notice: string) => void): ResultProps['profiler'] {
  if (!answer.profiler_tab) return null;
  const placeOf = (letter: 'a' | 'b'): Omit<ProfilerPlace, 'view'> | null => {
    const side = letter === 'a' ? a : b;
    return side && profilerPlace(answer, side);
  };
  return {
    open: (letter, row) => {
      const place = placeOf(letter);
      if (!place) return;
      say(text.panel.openHint(place.run, place.worker, place.span));
      const view = row ? profilerView(row) : null;
      void import('./host/profiler_tab')
        .then((part) => part.openProfilerTab({ ...place, view }))
        .then((done) => say(done === 'done' ? '' : done === 'no view' ? text.panel.openNoView(view?.label ?? '') : text.panel.openFailed(place.run, place.worker, place.span)))
        .catch(() => say(text.panel.openFailed(place.run, place.worker, place.span)));
    },
    hint: (letter) => {
      const place = placeOf(letter);
      return place ? text.panel.openHint(place.run, place.worker, place.span) : '';
    },
  };
}

/** The single worker and span that the PyTorch Profiler tab opens: the chosen ones, else the first; null if there is none. */
function profilerPlace(answer: RunsAnswer, side: Side): Omit<ProfilerPlace, 'view'> | null {
  const run = findRun(answer, side.run);
  const worker = run?.workers.find((entry) => side.worker === null || entry.worker === side.worker);
  const span = worker?.spans.find((entry) => side.span === null || entry.span === side.span);
  if (!run || !worker || !span || filesOf(answer, side).length === 0) return null;
  return { run: run.run, worker: worker.worker, span: span.span, onlySpan: worker.spans.length === 1 };
}
