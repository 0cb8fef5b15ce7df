// Small parts of the step timelines: lane names, tooltip, headings, legend.

import { useRef, useState } from 'preact/hooks';
import { RequestError } from '../api/api';
import { failureText } from '../states/failed';
import { FilterChip, LinkButton } from '../ui/buttons';
import { Delta } from '../ui/delta';
import { formatTime } from '../ui/format';
import { Icon } from '../ui/icons';
import { letterOf, LETTERS, other, sideName, type Letter } from '../ui/sides';
import { sentence, text } from '../ui/strings';
import type { SideState } from './data/use_pictures';
import { eventsIn, totalOf, type Picture } from './data/wire';
import { words } from './data/words';
import type { LaneBox, Layout } from './drawing/layout';
import type { Mark, Stage } from './drawing/stage';
import { Swatch } from '../ui/controls/swatch';
import { useOneStop } from '../ui/controls/toolbar';

const us = (ns: number): string => formatTime(ns / 1000);

/** Further lanes of a thread: labeled by their content, since the thread is named at its first lane. */
const INNER = new Set(['calls', 'python']);

interface LanesProps {
  layout: Layout | null;
  onFold: (key: string) => void;
  onPin: (key: string) => void;
}

/** Lane names left of the rows. Lanes of several rows can be folded, and any lane can be pinned to the top. */
export function Lanes({ layout, onFold, onPin }: LanesProps) {
  const boxes = layout?.boxes ?? [];
  const box = useRef<HTMLDivElement>(null);
  return (
    <div ref={box} class="st-lanes" {...useOneStop(box, ['ArrowDown', 'ArrowUp'])}>
      <LaneNames class="st-pinned" height={layout?.pinnedHeight ?? 0} boxes={boxes.filter(({ pinned }) => pinned)} onFold={onFold} onPin={onPin} />
      <LaneNames class="st-free" boxes={boxes.filter(({ pinned }) => !pinned)} onFold={onFold} onPin={onPin} />
    </div>
  );
}

function LaneNames({ class: name, height: whole, boxes, onFold, onPin }: { class: string; height?: number; boxes: LaneBox[] } & Omit<LanesProps, 'layout'>) {
  if (boxes.length === 0) return null;
  return (
    <ul class={name} style={whole === undefined ? {} : { height: `${whole}px` }}>
      {boxes.map(({ lane, folded, pinned, top, height }) => {
        const kind = words.lane.kind[lane.kind] ?? lane.kind;
        const about = words.lane.about(lane.name, kind, lane.events, us(lane.busy_ns));
        return (
          <li key={lane.key} class={`st-lane st-lane-${lane.kind}`} style={{ top: `${top}px`, height: `${height}px` }} title={about}>
            {lane.rows > 1 ? (
              <button
                type="button"
                class="icon-button st-fold turns"
                aria-expanded={!folded}
                aria-label={folded ? words.lane.open(`${lane.name} ${kind}`) : words.lane.fold(`${lane.name} ${kind}`)}
                onClick={() => onFold(lane.key)}
              >
                <Icon name="chevron" size={12} />
              </button>
            ) : (
              <span class="st-fold" />
            )}
            <span class="st-lane-name clip">
              {INNER.has(lane.kind) ? (
                <>
                  {kind} <span class="muted">{lane.name}</span>
                </>
              ) : (
                <>
                  {lane.name} <span class="muted">{lane.kind === 'host' ? '' : kind}</span>
                </>
              )}
            </span>
            <button type="button" class="st-pin" aria-pressed={pinned} aria-label={words.lane.pin(`${lane.name} ${kind}`)} title={words.lane.pin(lane.name)} onClick={() => onPin(lane.key)}>
              <Icon name="pin" size={12} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** A mark and the pointer's position in the window. */
export interface TipPlace {
  mark: Mark;
  x: number;
  y: number;
}

/** Holds the tooltip's position as its own state, so that pointer moves render nothing else. */
export function TipHost({ stage, tell }: { stage: Stage; tell: { current: (at: TipPlace | null) => void } }) {
  const [at, setAt] = useState<TipPlace | null>(null);
  tell.current = setAt;
  return at ? <Tip stage={stage} {...at} /> : null;
}

/** Tooltip of the mark under the pointer. */
function Tip({ stage, mark, x, y }: { stage: Stage } & TipPlace) {
  const { row, mark: at, side, picture } = mark;
  const many = eventsIn(row, at);
  const name = picture.names[row.name[at]!]!;
  const time = totalOf(row, at);
  const change = row.change ? row.change[at]! : null;
  const matched = row.match !== null && row.match[at]! >= 0;
  const there = side === 'a' ? time + (change ?? 0) : time - (change ?? 0);
  const left = x < window.innerWidth / 2;
  const below = y < window.innerHeight / 2;
  const style = {
    ...(left ? { left: `${x + 14}px` } : { right: `${window.innerWidth - x + 14}px` }),
    ...(below ? { top: `${y + 14}px` } : { bottom: `${window.innerHeight - y + 14}px` }),
  };
  return (
    <div class="tooltip st-tip" aria-hidden="true" style={style}>
      {many > 1 && (
        <p>
          <strong>{words.tip.run(many)}</strong> <span class="muted">{words.tip.runAbout}</span>
        </p>
      )}
      <p class="breaks strong">{stage.shortName(mark)}</p>
      <p class="muted">
        <Swatch fill={`var(--event-${picture.wire.kinds[name.kind]})`} /> {words.kinds[picture.wire.kinds[name.kind]!]} · {words.tip.at(us(row.start[at]!))}
      </p>
      <p>
        <span class={`text-${side}`}>{many > 1 ? words.tip.sum(us(time)) : words.tip.side(letterOf(side), us(time))}</span>
        {many === 1 && matched && (
          <>
            {' · '}
            <span class={`text-${other(side)}`}>{words.tip.side(letterOf(other(side)), us(there))}</span>{' '}
            <Delta value={change}>{formatTime((change ?? 0) / 1000, true)}</Delta>
          </>
        )}
        {many === 1 && row.match !== null && !matched && <span class="muted"> · {words.tip.alone}</span>}
      </p>
    </div>
  );
}

/** Line above a side's timeline: why it cannot be drawn, or the progress of loading. */
export function SideTrouble({ side, state, onTypical, onAgain }: { side: Letter; state: SideState; onTypical: () => void; onAgain: () => void }) {
  if (state.failure) {
    const { message, hint } = failureText(state.failure);
    const chosen = state.failure instanceof RequestError && state.failure.code === 'selection';
    return (
      <p class="st-trouble error-text" role="alert">
        {sentence(message)} {hint !== '' && <span class="muted">{sentence(hint)}</span>}{' '}
        <LinkButton onClick={chosen ? onTypical : onAgain}>{chosen ? words.states.typical : text.errors.retry}</LinkButton>
      </p>
    );
  }
  if (!state.waiting) return null;
  const { progress } = state;
  return (
    <p class="muted late" role="status">
      {words.states.waiting(sideName(side))} {progress && `${words.states.phase[progress.phase] ?? ''} ${progress.path}`}
    </p>
  );
}

/** Heading of a timeline: which step, how long, how much of it is drawn. */
export function Head({ whole, picture, shift, onStraight }: { whole: Picture; picture: Picture; shift: number; onStraight: () => void }) {
  const { step, total_ns, events, other: there, left_out } = whole.wire;
  const several = step.worker !== '';
  const missing = left_out.map(([what, n]) => words.head.leftOut(what, n)).join(', ');
  return (
    <>
      <strong>{us(total_ns)}</strong>
      {step.reason !== '' && (
        <span class="chip chip-other" title={step.reason}>
          {words.head.noted}: {step.reason}
        </span>
      )}
      {shift !== 0 && (
        <FilterChip title={words.panel.straight} onClick={onStraight}>{words.head.shifted(formatTime(shift / 1000, true))}</FilterChip>
      )}
      {several && <span class="muted">{words.head.where(step.worker, step.span)}</span>}
      <span class="muted clip st-optional">{there ? words.head.matched(there.matched, events) : words.head.counts(events)}</span>
      {missing !== '' && (
        <span class="muted clip st-optional" title={words.head.leftOutAbout(missing)}>
          {words.head.notDrawn}: {missing}
        </span>
      )}
      {picture.wire.cell_ns > 0 && <span class="unsure" title={words.head.mergedAbout}>{words.head.merged(us(picture.wire.cell_ns))}</span>}
    </>
  );
}

/** Legend of the kinds that occur, or of the colors of change. */
export function Legend({ pictures, change }: { pictures: Picture[]; change: boolean }) {
  const used = new Set(pictures.flatMap((picture) => picture.names.map((name) => picture.wire.kinds[name.kind]!)));
  const kinds = (pictures[0]?.wire.kinds ?? []).filter((kind) => used.has(kind));
  return (
    <p class="st-legend small soft" role="group" title={words.legend.outside} aria-label={words.legend.label}>
      {change ? (
        <>
          {(['more', 'even', 'less'] as const).map((key) => (
            <span key={key}>
              <Swatch fill={`var(--${key === 'even' ? 'event-even' : `${key}-fill`})`} /> {key === 'more' ? '▲ ' : key === 'less' ? '▼ ' : ''}
              {words.legend[key]}
            </span>
          ))}
          {LETTERS.map((side) => (
            <span key={side}>
              <Swatch class={`st-only series-${side}`} /> {words.legend.only[side]}
            </span>
          ))}
        </>
      ) : (
        kinds.map((kind) => (
          <span key={kind}>
            <Swatch fill={`var(--event-${kind})`} /> {words.kinds[kind]}
          </span>
        ))
      )}
    </p>
  );
}
