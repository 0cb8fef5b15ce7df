// Recorded runs over time, one series at a time; any two points can be compared.

import { useMemo } from 'preact/hooks';
import { useAnswer } from '../api/use_answer';
import { wholeRun, type RunsAnswer, type Side } from '../contract/wire';
import type { Located } from '../host/use_address';
import { Failed } from '../states/failed';
import { Message } from '../states/message';
import { SmallTable } from '../table/small_table';
import { timeStyle } from '../ui/format';
import { Button } from '../ui/buttons';
import { BoundedCache } from '../ui/kept';
import { Icon } from '../ui/icons';
import { Problems } from '../ui/controls/problems';
import { Select } from '../ui/controls/select';
import { adoptSheet } from '../ui/sheets';
import { Badge } from '../ui/sides';
import { sentence } from '../ui/strings';
import { HistoryChart } from './chart';
import css from './history.css?inline';
import { pointTable } from './point_table';
import { before } from './scale';
import { fetchHistory, type HistoryAnswer } from './wire';
import { words } from './words';

adoptSheet(css);

interface Props extends Located {
  answer: RunsAnswer;
  onPair: (a: Side, b: Side) => void;
}

const kept = new BoundedCache<HistoryAnswer>(1);
/** numbers of the lists of runs: a new list may come with new points */
const numbers = new WeakMap<RunsAnswer, number>();
let last = 0;

export function HistoryView({ answer, address: { series, a, b }, onChange, onPair }: Props) {
  if (!numbers.has(answer)) numbers.set(answer, (last += 1));
  const [{ answer: found, failure }, again] = useAnswer(kept, `${series}\n${numbers.get(answer)}`, (signal) => fetchHistory(series, signal));
  const history = found?.history ?? null;
  const style = useMemo(() => timeStyle((history?.points ?? []).map((point) => point.median_step_us)), [history]);
  if (failure && (!history || (series !== '' && history.series !== series))) return <Failed failure={failure} onRetry={again} />;
  if (!found || (series !== '' && history !== null && history.series !== series)) return <Message title={words.loading} />;
  if (!history) return <Message title={words.none} hint={words.noneHint} />;

  const placeOf = (side: Side | null): number => (side === null ? -1 : history.points.findIndex((point) => point.run === side.run));
  const [atA, atB] = [placeOf(a), placeOf(b)];
  const runAt = (place: number): string | null => history.points[place]?.run ?? null;
  /** The first point chosen is A, the second B, a third A again. */
  const pick = (place: number): void => {
    const run = runAt(place);
    if (run === null) return;
    if (atA >= 0 && atB < 0 && place !== atA) onChange({ a: wholeRun(runAt(atA)!), b: wholeRun(run) });
    else onChange({ a: wholeRun(run), b: null });
  };
  const compare = (first: number, second: number): void => {
    const [one, other] = [runAt(first), runAt(second)];
    if (one !== null && other !== null) onPair(wholeRun(one), wholeRun(other));
  };
  const name = (place: number): string => history.points[place]?.label ?? '';
  const alone = atA >= 0 && atB >= 0 ? -1 : Math.max(atA, atB);
  const earlier = alone < 0 ? -1 : before(history, alone);

  return (
    <section class="hs page" aria-label={words.region}>
      <div class="hs-head wrap">
        <h2>{words.title}</h2>
        <label>
          <span class="muted">{words.series}</span>{' '}
          {/* lists only the first series by name if there are very many */}
          <Select
            value={history.series}
            options={found.series.map((one) => [one.series, words.seriesOption(one.series, one.points)])}
            missing={(name) => words.seriesOption(name, history.points.length)}
            onChoose={(series) => onChange({ series }, true)}
          />
        </label>
        {found.series_left_out !== undefined && <span class="muted">{words.seriesLeftOut(found.series_left_out)}</span>}
        <span class="muted">{words.about}</span>
      </div>
      {history.notes.length > 0 && (
        <ul class="hs-notes soft">
          {history.notes.map((note) => (
            <li key={note}>
              <Icon name="info" size={14} /> {sentence(note)}
            </li>
          ))}
        </ul>
      )}
      <div class="panel hs-figure">
        <HistoryChart key={history.series} history={history} style={style} a={atA} b={atB} onPick={pick} />
        <div class="hs-chosen wrap" role="group" aria-label={words.compare}>
          {([['a', atA], ['b', atB]] as const).map(
            ([which, place]) =>
              place >= 0 && (
                <span key={which}>
                  <Badge side={which} /> {name(place)}
                </span>
              ),
          )}
          {(atA >= 0) !== (atB >= 0) && <span class="muted">{words.other}</span>}
          {earlier >= 0 && <Button title={words.withBeforeAbout(name(alone), name(earlier))} onClick={() => compare(earlier, alone)}>{words.withBefore}</Button>}
          {atA >= 0 && atB >= 0 && (
            <Button class="primary" onClick={() => compare(atA, atB)}>{words.compare}</Button>
          )}
          {(atA >= 0 || atB >= 0) && (
            <Button onClick={() => onChange({ a: null, b: null })}>{words.clear}</Button>
          )}
        </div>
      </div>
      <Problems problems={history.problems} title={words.problems(history.problems.length + (history.problems_left_out ?? 0))} />
      <SmallTable key={history.series} table={pointTable(history, atA, atB)} highest={TABLE_HEIGHT} onOpen={(row) => pick(history.points.length - 1 - row)} />
    </section>
  );
}

/** Most pixels of the table, whose rows scroll. */
const TABLE_HEIGHT = 480;
