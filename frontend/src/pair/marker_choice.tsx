// What delimits the steps of traces: what the server found, another candidate, or a name of one's own.

import type { Comparison, StepMarker } from '../contract/wire';
import { formatTime } from '../ui/format';
import { text } from '../ui/strings';

interface Props {
  marker: string;
  comparison: Comparison | null;
  onMarker: (marker: string) => void;
}

/** Candidates that either side has, each once, as it is on the baseline if it is there. */
export function candidatesOf(comparison: Comparison | null): { marker: StepMarker; sides: number }[] {
  const found = new Map<string, { marker: StepMarker; sides: number }>();
  for (const side of [comparison?.baseline, comparison?.candidate])
    for (const marker of side?.steps.by?.candidates ?? []) {
      const known = found.get(marker.step_marker);
      if (known) known.sides += 1;
      else found.set(marker.step_marker, { marker, sides: 1 });
    }
  return [...found.values()];
}

export function MarkerChoice({ marker, comparison, onMarker }: Props) {
  const candidates = candidatesOf(comparison);
  const used = comparison?.baseline.steps.by?.step_marker ?? '';
  if (candidates.length < 2 && marker === '') return null;
  return (
    <select class="select marker-choice" aria-label={text.actions.stepMarker} title={text.actions.stepMarkerAbout} value={marker} onChange={(event) => onMarker(event.currentTarget.value)}>
      <option value="">{text.actions.stepMarkerFound(marker === '' ? used : '')}</option>
      {marker !== '' && !candidates.some((one) => one.marker.step_marker === marker) && <option value={marker}>{marker}</option>}
      {candidates.map(({ marker: one, sides }) => (
        <option key={one.step_marker} value={one.step_marker} disabled={sides < 2}>
          {text.actions.stepMarkerOption(one.name === '' ? text.actions.stepMarkerWhole : one.name, one.count, one.coverage, formatTime(one.mean_us), sides)}
        </option>
      ))}
    </select>
  );
}
