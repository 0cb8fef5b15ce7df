// Texts about frames: the path to the zoomed one, the tooltip, the legend.

import { Delta } from '../../ui/delta';
import { arrow, formatCount, formatMany, formatPercent, formatPoints, formatTime, NOT_MEASURED } from '../../ui/format';
import { IconButton, LinkButton } from '../../ui/buttons';
import { SideFigures } from '../../ui/controls/tooltip';
import { Badge, type Letter } from '../../ui/sides';
import { text } from '../../ui/strings';
import { around, changeOf, LEVELS, oneSided, SHADES, statusOf, type FlameOptions, type Measure, type Order, type Status, type Tree, type Width } from './flame';
import { Swatch } from '../../ui/controls/swatch';

export const words = {
  title: 'Flame graph',
  about: (whole: string) => `what the ${whole} consists of: modules, the operators in them, their calls and the device work below; color is the change`,
  width: 'Width',
  widthAbout: 'Which run makes a frame wide',
  widths: { both: 'A and B', a: 'A', b: 'B' } as Record<Width, string>,
  widthsAbout: {
    both: 'Mean of both runs: new and gone frames are drawn at half their width',
    a: 'Time in A: frames that are new in B have no width',
    b: 'Time in B: frames that are gone in B have no width',
  } as Record<Width, string>,
  measure: 'Figure',
  measures: { time: 'Time', share: 'Share' } as Record<Measure, string>,
  measuresAbout: (whole: string): Record<Measure, string> => ({
    time: `Time per ${whole}`,
    share: `Share of the ${whole}: shows what grew more than the rest did`,
  }),
  order: 'Order',
  orders: { size: 'Largest', run: 'As run' } as Record<Order, string>,
  ordersAbout: { size: 'Widest frame first', run: 'In the order in which the frames first ran' } as Record<Order, string>,
  path: 'Path to this frame',
  whole: (whole: string) => `whole ${whole}`,
  details: 'Row in the table',
  outward: 'Zoom out one frame (Esc)',
  merged: (n: number) => `${formatMany(n, 'small frame', 'small frames')} together`,
  calls: (n: number) => formatMany(n, 'call'),
  ofStep: (percent: string, whole: string) => `${percent} of the ${whole}`,
  own: 'self time',
  less: 'less in B',
  more: 'more in B',
  levels: (levels: readonly number[]) => levels.map((level) => `${100 * level}\u202f%`),
  color: 'Δ as part of the larger side',
  sided: (n: number, time: string, status: Status) => `${formatCount(n)} ${status === 'added' ? 'new' : 'gone'}, total time: ${time}`,
  unseen: (status: Status) => (status === 'added' ? 'no width here: choose width B' : 'no width here: choose width A'),
  found: (n: number, a: string, b: string, delta: string) => n === 0 ? 'No frame found.' : `${formatMany(n, 'frame')} found: A ${a}, B ${b}, Δ ${delta}`,
  hint: 'Click a frame to zoom in; Space shows its row, Esc zooms out.',
  label: (n: number, whole: string, total: string) =>
    `Flame graph of ${formatMany(n, 'frame')} of the ${whole}, ${total}. Arrow keys move between frames, Enter zooms in, Escape zooms out, Space shows its row in the table.`,
  frameText: (name: string, kind: string, a: string, b: string, delta: string) => `${name}, ${kind}. baseline ${a}, candidate ${b}, difference ${delta}.`,
  nothing: 'Nothing to draw: the chosen run lacks this frame.',
  missing: 'The frame table is incomplete.',
};

/** Formats a time in its own unit, because frames differ widely in size. */
export function timeText(us: number, signed = false): string {
  return Number.isNaN(us) ? NOT_MEASURED : formatTime(us, signed);
}

/** Formats the change of a frame in the chosen measure. */
export function changeText(tree: Tree, frame: number, options: FlameOptions): string {
  const { delta } = changeOf(tree, frame, options.measure);
  return options.measure === 'time' ? timeText(delta, true) : formatPoints(delta);
}

/** Formats the change with an arrow for its sign. */
export function markedChange(tree: Tree, frame: number, options: FlameOptions): string {
  return `${arrow(changeOf(tree, frame, options.measure).delta)} ${changeText(tree, frame, options)}`.trim();
}

interface PathProps {
  tree: Tree;
  names: string[];
  zoom: number;
  options: FlameOptions;
  /** name of the whole that shares refer to: `step` or `cycle` */
  whole: string;
  onZoom: (frame: number) => void;
  onRow: (frame: number) => void;
}

/** Breadcrumbs to the zoomed frame; a click on an ancestor zooms out to it. */
export function Path({ tree, names, zoom, options, whole, onZoom, onRow }: PathProps) {
  const frames = around(tree, zoom);
  const { delta } = changeOf(tree, zoom, options.measure);
  return (
    <nav class="flame-path wrap" aria-label={words.path}>
      <ol>
        {frames.map((frame) => (
          <li key={frame}>
            <button type="button" class="flame-crumb clip soft hover" aria-current={frame === zoom ? 'location' : undefined} title={tree.name[frame]} onClick={() => onZoom(frame)}>
              {frame === 0 ? words.whole(whole) : names[frame]}
            </button>
          </li>
        ))}
      </ol>
      <span class="flame-figures inline">
        <span class="text-a">
          <Badge side="a" /> {timeText(tree.us[0][zoom]!)}
        </span>
        <span class="text-b">
          <Badge side="b" /> {timeText(tree.us[1][zoom]!)}
        </span>
        <Delta value={delta}>{changeText(tree, zoom, options)}</Delta>
      </span>
      {zoom !== 0 && (
        <>
          <IconButton size={12} icon="up" label={words.outward} onClick={() => onZoom(tree.parent[zoom]!)} />
          <LinkButton onClick={() => onRow(zoom)}>{words.details}</LinkButton>
        </>
      )}
    </nav>
  );
}

/** Kind of frame that covers several parts of the step, so its part is named too. */
const DEVICE = 'device work';

export function kindText(tree: Tree, frame: number): string {
  const parts = [tree.kind[frame]!, tree.kind[frame] === DEVICE ? tree.part[frame]! : '', text.table.chips[statusOf(tree, frame)]?.about ?? ''];
  if (tree.merged[frame]! > 0) parts[0] = words.merged(tree.merged[frame]!);
  return parts.filter((part) => part !== '').join(', ');
}

/** Tooltip of a frame. */
export function FrameFigures({ tree, frame, whole }: { tree: Tree; frame: number; whole: string }) {
  const { delta, ratio } = changeOf(tree, frame, 'time');
  const figures = (side: Letter) => {
    const index = side === 'a' ? 0 : 1;
    const calls = tree.calls[index][frame]!;
    return (
      <>
        <td>{timeText(tree.us[index][frame]!)}</td>
        <td>{Number.isNaN(tree.share[index][frame]!) ? '' : words.ofStep(formatPercent(tree.share[index][frame]), whole)}</td>
        <td>{Number.isNaN(calls) || calls === 0 ? '' : words.calls(calls)}</td>
      </>
    );
  };
  const own = tree.ownDelta[frame]!;
  const hasOwn = tree.own.some((side) => side[frame]! > 0) && tree.end[frame]! > frame + 1;
  return (
    <>
      <p class="tooltip-name strong">{tree.name[frame]}</p>
      <p class="muted">{kindText(tree, frame)}</p>
      <SideFigures of={figures}>
        <tr>
          <th scope="row">Δ</th>
          <td>
            <Delta value={delta}>{timeText(delta, true)}</Delta>
          </td>
          <td>{formatPercent(ratio, true)}</td>
          <td />
        </tr>
        {hasOwn && (
          <tr>
            <th scope="row" />
            <td>
              <Delta value={own}>{timeText(own, true)}</Delta>
            </td>
            <td colSpan={2}>{words.own}</td>
          </tr>
        )}
      </SideFigures>
    </>
  );
}

/** Color scale with its limits, and the marks of frames on one side only. */
export function Legend({ tree, options }: { tree: Tree; options: FlameOptions }) {
  const limits = words.levels(LEVELS);
  return (
    <p class="legend small soft">
      <span class="flame-scale inline">
        <span class="delta delta-less">▼ {words.less}</span>
        <span class="flame-keys" aria-hidden="true">
          {SHADES.map((name) => (
            <span key={name} class="flame-key" style={{ background: `var(--flame-${name})` }}>
              {limits[Number(name.slice(5)) - 1] ?? '0'}
            </span>
          ))}
        </span>
        <span class="delta delta-more">▲ {words.more}</span>
        <span class="muted">{words.color}</span>
      </span>
      {(['added', 'removed'] as const).map((status) => {
        const { count, us } = oneSided(tree, status);
        const unseen = options.width === (status === 'added' ? 'a' : 'b');
        return (
          count > 0 && (
            <span key={status}>
              <Swatch class={`flame-${status}`} /> {words.sided(count, timeText(us), status)}
              {unseen && <span class="muted"> {words.unseen(status)}</span>}
            </span>
          )
        );
      })}
      <span class="muted">{words.hint}</span>
    </p>
  );
}
