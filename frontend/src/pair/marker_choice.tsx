// What delimits the steps of traces: what the server found, another candidate, or a name of one's own.

import type { Comparison, StepMarker } from '../contract/wire';
import { formatTime } from '../ui/format';
import { Select } from '../ui/controls/select';
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
  const optionText = ({ name, count, coverage, mean_us: mean }: StepMarker, sides: number): string =>
    text.actions.stepMarkerOption(name || text.actions.stepMarkerWhole, count, coverage, formatTime(mean), sides);
  if (candidates.length < 2 && marker === '') return null;
  return (
    <Select
      class="marker-choice"
      label={text.actions.stepMarker}
      title={text.actions.stepMarkerAbout}
      value={marker}
      options={[['', text.actions.stepMarkerFound(marker === '' ? used : '')], ...candidates.map(({ marker: each, sides }): [string, string, boolean] => [each.step_marker, optionText(each, sides), sides < 2])]}
      missing={(name) => name}
      onChoose={onMarker}
    />
  );
}
