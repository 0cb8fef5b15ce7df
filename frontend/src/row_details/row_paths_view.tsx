// The paths that a row was called from on both sides, with related rows and links.

import { useMemo, useState } from 'preact/hooks';
import { fetchAnswer, queryWith } from '../api/api';
import { useAnswer } from '../api/use_answer';
import type { RowPaths } from '../contract/sent';
import type { Comparison, Table } from '../contract/wire';
import type { Tab } from '../host/tab';
import type { Change } from '../host/use_address';
import { failureLine } from '../states/failed';
import { LinkButton } from '../ui/buttons';
import { BoundedCache } from '../ui/kept';
import { Segments } from '../ui/controls/segments';
import { adoptSheet } from '../ui/sheets';
import { tableText } from '../table/data/words';
import { text } from '../ui/strings';
import { useFirst } from '../ui/controls/use_first';
import { LaunchHistogram } from './launch_histogram';
import { rowLinks } from './links';
import { drawn, type DrawnPath, type FrameText } from './paths';
import { Callees, Links, Numbers, Related } from './related';
import css from './row_paths.css?inline';
import { words } from './words';

adoptSheet(css);

/** Rows that the arrow keys pass within this time make no request. */
const PASSING_MS = 200;
const kept = new BoundedCache<{ row: string; paths: RowPaths }>(20);
const FIRST = 8;

interface Props {
  question: string;
  query: URLSearchParams;
  table: string;
  row: string;
  comparison: Comparison;
  tabs: Tab[];
  attribution: Table;
  /** the time that the table shows; the first one if paths do not have it */
  measure: string;
  /** goes to another view; Back returns */
  onGo: (change: Change) => void;
}

/** Choices carried over from one row to the next. */
const chosen = { way: 'operators', together: true };

export function RowPathsView({ question, query, table, row, comparison, tabs, attribution, measure, onGo }: Props) {
  const links = useMemo(() => rowLinks(comparison, tabs, attribution, table, row), [comparison, tabs, attribution, table, row]);
  const [way, setWay] = useState(chosen.way);
  const [together, setTogether] = useState(chosen.together);
  const key = [question, table, row, together].join('\n');
  const [{ status, answer, failure }] = useAnswer(kept, key, (signal) => fetchAnswer<RowPaths>('row_paths', queryWith(query, { table, row, modules: together ? 'together' : '' }), 'tb_perfcompare.row_paths/1', signal).then((paths) => ({ row, paths })), PASSING_MS);
  Object.assign(chosen, { way, together });
  // while loading, an old answer stays only if it is of the same row, merged or not
  const found = answer?.row === row ? answer.paths : null;
  const shown = found?.ways.find((one) => one.way === way) ?? found?.ways[0];
  const time = found && (found.measures.find((one) => one.name === measure) ?? found.measures[0]);
  const numbered = found?.frames.some(([kind, name]) => kind === 'module' || name.startsWith('nn.Module: ')) ?? false;
  return (
    <section class="row-paths" aria-label={words.region} aria-busy={status === 'loading'}>
      {failure && <p class="muted">{failureLine(failure)}</p>}
      {!failure && !found && <p class="muted late">{words.reading}</p>}
      {found?.durations && <LaunchHistogram durations={found.durations} />}
      {found && shown && (
        <>
          <header class="apart">
            <h3>{words.title}</h3>
            <span class="muted">{time?.label}</span>
          </header>
          <div class="path-tools wrap small">
            <Segments label={words.way} all={found.ways} chosen={(one) => one === shown} name={(one) => words.ways[one.way] ?? one.way} onChoose={(one) => setWay(one.way)} />
            {(numbered || !together) && (
              <label title={tableText.layersAbout}>
                <input type="checkbox" checked={together} onChange={(event) => setTogether(event.currentTarget.checked)} /> {tableText.layers}
              </label>
            )}
          </div>
          <Paths key={`${row} ${shown.way}`} found={found} way={shown.way} measure={time?.name ?? ''} onGo={onGo} />
        </>
      )}
      {found?.callees && <Callees found={found} callees={found.callees} onGo={onGo} />}
      {found?.related.map((kind) => (
        <Related key={kind.what} found={found} what={kind.what} rows={kind.rows} others={kind.others} onGo={onGo} />
      ))}
      {(found || failure) && <Links links={links} tree={found?.call_tree ?? null} name={row.split(' › ')[0] ?? row} onGo={onGo} />}
    </section>
  );
}

function Paths({ found, way, measure, onGo }: { found: RowPaths; way: string; measure: string; onGo: Props['onGo'] }) {
  const of = found.ways.find((one) => one.way === way)!;
  const { paths, rest } = drawn(found, of, measure);
  const [visible, more] = useFirst(paths, FIRST);
  const reasons = (['baseline', 'candidate'] as const).filter((side) => of.absent[side] !== null);
  return (
    <>
      {reasons.map((side) => (
        <p key={side} class="muted">
          {words.absent(side === 'baseline' ? text.letterA : text.letterB, of.absent[side]!)}
        </p>
      ))}
      {reasons.length < 2 && (
        <>
          <ul class="paths">
            {visible.map((path) => (
              <PathItem key={path.key} path={path} way={way} onGo={onGo} />
            ))}
            {rest && visible.length === paths.length && (
              <li class="path-rest">
                <span class="muted breaks">{words.rest(rest.paths)}</span>
                <Numbers time={rest.time} calls={rest.calls} />
              </li>
            )}
          </ul>
          {more}
          <p class="muted small path-sum">{rest ? words.sumRest : words.sum(paths.length)}</p>
        </>
      )}
    </>
  );
}

function PathItem({ path, way, onGo }: { path: DrawnPath; way: string; onGo: Props['onGo'] }) {
  const some = path.label;
  const hidden = path.frames.length - some.length;
  const name = (
    <span class="breaks">
      {some.length === 0 && <span class="muted">{words.top[way] ?? ''}</span>}
      {some.map((frame, index) => (
        <span key={index} title={frame.full}>
          {index > 0 && <span class="path-step muted"> › </span>}
          {frame.short}
          {frame.place && <span class="muted"> {frame.place}</span>}
        </span>
      ))}
    </span>
  );
  const figures = <Numbers time={path.time} calls={path.calls} />;
  if (path.frames.length === 0)
    return (
      <li>
        {name}
        {figures}
      </li>
    );
  return (
    <li>
      <details>
        <summary>
          {name}
          {hidden > 0 && <span class="muted small"> {words.frames(hidden)}</span>}
          {figures}
        </summary>
        <ol class="path-frames small breaks">
          {path.frames.map((frame, index) => (
            <FrameLine key={index} frame={frame} other={path.others.get(index)} onGo={onGo} />
          ))}
        </ol>
      </details>
    </li>
  );
}

function FrameLine({ frame, other, onGo }: { frame: FrameText; other: string | undefined; onGo: Props['onGo'] }) {
  const name = frame.table ? (
    <LinkButton onClick={() => onGo({ tab: frame.table, min: 0, row: frame.full })}>{frame.text}</LinkButton>
  ) : (
    <span>{frame.text}</span>
  );
  return (
    <li title={frame.full}>
      {name} {frame.place && <span class="muted">{frame.place}</span>} {other !== undefined && <span class="muted">({words.other(other)})</span>}
    </li>
  );
}
