// A chart of rows as marks, one per side with its time as area, beside a list of the largest. A row's marks are highlighted under the
// pointer, and while its entry of the list has the focus.

import type { ComponentChildren } from 'preact';
import { Tooltip } from '../../ui/controls/tooltip';
import type { NumberStyle } from '../../ui/format';
import { useWidth } from '../../ui/use_width';
import type { LargestPoints, MarkedRow, Undrawn } from '../largest_points';
import { Shape } from './parts';
import { SideList, type ListWords } from './side_list';
import { useMarks, type Mark } from './use_marks';

/** What a chart of a given width draws: where a mark is, and what lies below and above the marks. */
interface Drawing<S, P> {
  place: (spot: S) => [x: number, y: number];
  below: (marksOf: (point: P) => Mark<P>[], isDim: (point: P) => boolean, shown: P | null) => ComponentChildren;
  above?: (marks: Mark<P>[]) => ComponentChildren;
}

interface Props<S, P> {
  class?: string;
  picture: LargestPoints<P> & { unmeasured: Undrawn };
  height: number;
  /** radius in pixels of the largest mark */
  largest: number;
  style: NumberStyle;
  words: ListWords & { label: (rows: number, marks: number) => string };
  /** whether a row is faded although none is highlighted, such as one that a search does not find */
  faded?: (point: P) => boolean;
  draw: (width: number) => Drawing<S, P>;
  tooltip: (point: P) => ComponentChildren;
  /** number of rows listed, and what is listed of each side, the time last */
  listed: number;
  figures: [name: string, of: (spot: S) => string][];
  /** row with open details, -1 for none */
  selected: number;
  onRow: (row: number) => void;
  /** further entries of the legend */
  children: ComponentChildren;
}

export function MarksChart<S extends { us: number }, P extends MarkedRow<S>>({ class: extra = '', picture, height, largest, style, words, faded, draw, tooltip, listed, figures, selected, onRow, children }: Props<S, P>) {
  const [box, width] = useWidth();
  const { place, below, above } = draw(width);
  const { marks, marksOf, active, setActive, shown, handlers } = useMarks<S, P>(picture.points, { largest_us: picture.largest_us, largest, place, selected, onRow });
  const isDim = (point: P): boolean => (shown !== null ? point !== shown : (faded?.(point) ?? false));
  const tip = active && marksOf(active).at(-1);
  return (
    <div class={`scatter ${extra}`}>
      <div class="scatter-chart" ref={box}>
        {width > 0 && (
          <svg width={width} height={height} role="img" aria-label={words.label(picture.points.length, marks.length)} {...handlers}>
            {below(marksOf, isDim, shown)}
            {marks.map((one) => (
              <Shape key={`${one.point.row}${one.side}`} mark={one} dim={isDim(one.point)} />
            ))}
            {above?.(marks)}
            {shown && marksOf(shown).map((one) => <circle key={one.side} fill="none" stroke="var(--ink)" stroke-width="1.5" pointer-events="none" cx={one.x} cy={one.y} r={one.r + 4} />)}
          </svg>
        )}
        {active && tip && (
          <Tooltip x={tip.x} y={Math.min(Math.max(4, tip.y - 20), height - 130)} width={width}>
            <p class="tooltip-name strong">{active.name}</p>
            {tooltip(active)}
          </Tooltip>
        )}
      </div>
      <SideList<S, P> picture={picture} most={listed} figures={figures} words={words} style={style} selected={selected} onActive={setActive} onRow={onRow}>
        {children}
      </SideList>
    </div>
  );
}
