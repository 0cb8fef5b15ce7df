// The choice of what delimits steps in traces: the server's choice, another candidate, or the name in a link.

import { columnAt, type Comparison, type StepMarker } from '../contract/wire';
import { formatTime } from '../ui/format';
import { Choice } from '../ui/controls/choice';
import { Select } from '../ui/controls/select';
import { text } from '../ui/strings';

interface Props {
  marker: string;
  comparison: Comparison | null;
  kind: string;
  onMarker: (marker: string) => void;
  onKind: (kind: string) => void;
}

/** Kinds of iterations to choose from, most frequent first; includes the chosen `kind` even if the comparison lists no others. */
export function kindsOf(comparison: Comparison | null, kind: string): string[] {
  const table = comparison?.tables['iteration_kinds'];
  const at = columnAt(table, 'kind');
  const found = (table?.rows ?? []).map((row) => String(row[at])).filter((name) => !name.startsWith('('));
  return kind === '' || found.includes(kind) ? found : [kind, ...found];
}

/** Step markers found on either side, each once, with the baseline's figures if it has the marker. `sides` counts the sides. */
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

export function MarkerChoice({ marker, comparison, kind, onMarker, onKind }: Props) {
  const candidates = candidatesOf(comparison);
  const used = comparison?.baseline.steps.by?.step_marker ?? '';
  const optionText = ({ name, count, coverage, mean_us: mean }: StepMarker, sides: number): string =>
    text.actions.stepMarkerOption(name || text.actions.stepMarkerWhole, count, coverage ?? 0, formatTime(mean), sides);
  const kinds = kindsOf(comparison, kind);
  return (
    <>
    {(candidates.length > 1 || marker !== '') && <Choice label={text.actions.markedBy}><Select
      class="marker-choice"
      label={text.actions.stepMarker}
      title={text.actions.stepMarkerAbout}
      value={marker}
      options={[['', text.actions.stepMarkerFound(marker === '' ? used : '')], ...candidates.map(({ marker: each, sides }): [string, string, boolean] => [each.step_marker, optionText(each, sides), sides < 2])]}
      missing={(name) => name}
      onChoose={onMarker}
    /></Choice>}
    {kinds.length > 0 && <Choice label={text.actions.kindShort}><Select
      class="marker-choice"
      label={text.actions.kind}
      title={text.actions.kindAbout}
      value={kind}
      options={[['', text.actions.kindAll], ...kinds.map((name): [string, string] => [name, name])]}
      onChoose={onKind}
    /></Choice>}
    </>
  );
}
