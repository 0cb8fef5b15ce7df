// The page that compares several candidates with one baseline: one row with a verdict each, filled in as they arrive.

import { useMemo, useState } from 'preact/hooks';
import { wholeRun, type RunsAnswer, type Side } from '../contract/wire';
import type { Change, Located } from '../host/use_address';
import { RunSelect } from '../pair/run_select';
import { findRun, fingerprint, missingOf, sameSide } from '../pair/selection';
import { Failed } from '../states/failed';
import { Message } from '../states/message';
import { Button } from '../ui/buttons';
import { Banner } from '../ui/controls/banners';
import { formatPercent, formatSetting, formatWithUnit } from '../ui/format';
import { Segments } from '../ui/controls/segments';
import { adoptSheet } from '../ui/sheets';
import { Badge } from '../ui/sides';
import { metricWords, text } from '../ui/strings';
import { MatrixView } from './matrix_view';
import { ScaleHead, VerdictRow, meanStyle } from './row';
import { orderOf, scaleOf } from './scale';
import { useVerdicts } from './use_verdicts';
import css from './verdicts.css?inline';
import { MAX_CANDIDATES, verdictsQuery } from './wire';
import { words } from './words';

adoptSheet(css);

interface Props extends Located {
  answer: RunsAnswer;
  baseline: Side | null;
  candidates: Side[];
  onPair: (a: Side, b: Side, at?: Change) => void;
}

const folderOf = (run: string): string => run.slice(0, Math.max(0, run.lastIndexOf('/')));

/** Other runs in the baseline's folder with the same format that are not candidates yet. */
export function sameFolderRuns(answer: RunsAnswer, baseline: Side, candidates: Side[]): string[] {
  const format = findRun(answer, baseline.run)?.format;
  return answer.runs
    .filter(({ run, format: own }) => own === format && run !== baseline.run && folderOf(run) === folderOf(baseline.run) && !candidates.some((side) => side.run === run))
    .map(({ run }) => run);
}

export function VerdictsView(props: Props) {
  const { answer, baseline, candidates, address, onChange } = props;
  if (!baseline) return <Message title={words.noBaseline} />;
  const missing = missingOf(answer, baseline);
  if (missing) return <Message alert title={text.errors.missingTitle(text.sideA, text.errors.missing[missing.what], missing.name)} hint={text.errors.missingHint} />;
  const kept = candidates.slice(0, MAX_CANDIDATES);
  const room = MAX_CANDIDATES - kept.length;
  const beside = sameFolderRuns(answer, baseline, kept);
  const put = (next: Side[]): void => onChange({ candidates: next }, true);
  return (
    <section class="vs page" aria-label={words.region}>
      <h2>{words.title}</h2>
      <div class="vs-tools wrap" role="group" aria-label={words.add}>
        {room > 0 ? (
          <>
            <span class="vs-add">
              <RunSelect
                label={words.add}
                placeholder={words.add}
                runs={answer.runs.filter(({ run }) => run !== baseline.run && !kept.some((side) => sameSide(side, wholeRun(run))))}
                value={null}
                onChoose={(run) => put([...kept, wholeRun(run)])}
                onSeveral={(runs) => put([...kept, ...runs.map(wholeRun)])}
              />
            </span>
            {beside.length > 0 && (
              <Button onClick={() => put([...kept, ...beside.slice(0, room).map(wholeRun)])}>
                {words.folder(folderOf(baseline.run), beside.length)}
              </Button>
            )}
          </>
        ) : (
          <span class="muted">{words.most(MAX_CANDIDATES)}</span>
        )}
        {kept.length > 1 && (
          <Button onClick={() => put([])}>{words.clear}</Button>
        )}
        {kept.length > 1 && (
          <Segments class="vs-order" label={words.order} all={Object.entries(words.orders)} chosen={([key]) => address.sort === key} name={([, label]) => label} onChoose={([key]) => onChange({ sort: key })} />
        )}
        {candidates.length > kept.length && <span class="muted">{words.leftOut(candidates.length - kept.length)}</span>}
      </div>
      {kept.length === 0 ? <Message title={words.noneYet} /> : <Rows {...props} baseline={baseline} candidates={kept} />}
    </section>
  );
}

function Rows({ answer, baseline, candidates, address: { window, marker, kind, sort, chartOptions }, onChange, onPair }: Props & { baseline: Side }) {
  const [accepted, accept] = useState(answer);
  const keysIn = (listing: RunsAnswer): string[] => candidates.map((side) => [verdictsQuery(baseline, [side], window, marker, kind).toString(), fingerprint(listing, baseline), fingerprint(listing, side)].join('\n'));
  const known = candidates.every((side) => missingOf(accepted, side) === null || missingOf(answer, side) !== null);
  const keys = keysIn(known ? accepted : answer);
  const query = useMemo(() => verdictsQuery(baseline, candidates, window, marker, kind), [JSON.stringify([baseline, candidates]), window, marker, kind]);
  const [state, again, cancel] = useVerdicts(keys, query);
  const newer = known && keysIn(answer).join('\n') !== keys.join('\n');
  const scale = useMemo(() => scaleOf(state.rows), [state.rows]);
  const style = useMemo(() => meanStyle(state.rows), [state.rows]);
  const { answer: found } = state;
  const compared = found?.compared ?? 0;
  const done = candidates.filter((_, place) => state.rows[place] !== undefined).length;
  const first = state.rows.find((row) => row?.result)?.result ?? null;
  const metric = metricWords(first?.headline.metric ?? 'step_time');
  const unlike = found ? 1 - (1 - found.alpha) ** compared : 0;
  return (
    <>
      {newer && <Banner message={words.newer} action={text.banners.update} onAction={() => accept(answer)} />}
      <p class="vs-state wrap">
        <span role="status">{state.status === 'cancelled' ? `${text.loading.cancelled} ${words.done(done, candidates.length)}` : words.done(done, candidates.length)}</span>
        {state.status === 'loading' && (
          <Button onClick={cancel}>{text.loading.cancel}</Button>
        )}
        {state.status === 'cancelled' && (
          <Button onClick={again}>{words.goOn}</Button>
        )}
        {first && first.headline.baseline !== null && (
          <span class="vs-base inline">
            <Badge side="a" /> {metric.mean} <strong class="text-a">{formatWithUnit(style, first.headline.baseline)}</strong>
          </span>
        )}
      </p>
      {state.failure && <Failed failure={state.failure} onRetry={again} />}
      {found && compared > 1 && (
        <details class="vs-compared soft">
          <summary>{words.compared(compared, formatPercent(unlike), formatSetting(found.alpha))}</summary>
          {words.explained.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </details>
      )}
      <div class="panel vs-panel">
        {/* explicit roles: laid out as cards, the parts of a table lose their own */}
        <table role="table" class="vs-table wide">
          <thead role="rowgroup">
            <tr role="row">
              <Head width="20%">{words.head.candidate}</Head>
              <Head width="15%">{words.head.verdict}</Head>
              <Head width="9%" class="num" title={words.meanAbout}>{words.head.mean} <span class="unit">{style.unit}</span></Head>
              <Head width="22%" title={words.shiftAbout}>{words.head.shift}<ScaleHead scale={scale} /></Head>
              <Head width="13%">{words.head.notes}</Head>
              <Head>{words.head.cause}</Head>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {orderOf(state.rows, candidates.length, sort).map((place) => (
              <VerdictRow
                key={keys[place]}
                side={candidates[place]!}
                row={state.rows[place]}
                adjusted={found?.rows[place]?.adjusted ?? null}
                compared={compared}
                progress={state.at?.row === place ? state.at.progress : null}
                scale={scale}
                style={style}
                onOpen={() => onPair(baseline, candidates[place]!)}
                onRemove={() => onChange({ candidates: candidates.filter((_, other) => other !== place) }, true)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {state.rows.filter((row) => row?.result).length > 1 && (
        <MatrixView candidates={candidates} rows={state.rows} options={chartOptions} onOptions={(next) => onChange({ chartOptions: next })} onOpen={(side, at) => onPair(baseline, side, at)} />
      )}
    </>
  );
}

function Head({ width, ...rest }: { width?: string; class?: string; title?: string; children: preact.ComponentChildren }) {
  return <th scope="col" role="columnheader" style={{ width }} {...rest} />;
}
