// Beside a chart with marks: the largest rows, the legend, and what has no mark. Focus or hover highlights a row's marks, so the
// keyboard reaches them too.

import type { ComponentChildren } from 'preact';
import { formatWithUnit, NOT_MEASURED, type NumberStyle } from '../../ui/format';
import { NameText } from '../../ui/name_text';
import { LETTERS, sideName } from '../../ui/sides';
import type { LargestPoints, MarkedRow, Undrawn } from '../largest_points';
import { Shape } from './parts';

export interface ListWords extends Record<'small' | 'unmeasured', (n: number, a: string, b: string) => string> {
  listed: (shown: number, all: number) => string;
}

interface Props<S, P> {
  picture: LargestPoints<P> & { unmeasured: Undrawn };
  /** number of rows listed */
  most: number;
  /** what is listed of each side; the last is the time, whose unit heads its column */
  figures: [name: string, of: (spot: S) => string][];
  words: ListWords;
  style: NumberStyle;
  selected: number;
  onActive: (point: P | null) => void;
  onRow: (row: number) => void;
  /** further entries of the legend */
  children: ComponentChildren;
}

export function SideList<S extends { us: number }, P extends MarkedRow<S>>({ picture, most, figures, words, style, selected, onActive, onRow, children }: Props<S, P>) {
  const { points } = picture;
  return (
    <div class="scatter-side stack shrinks">
      <p class="scatter-head muted">
        <span>{words.listed(Math.min(most, points.length), points.length)}</span>
        {figures.map(([name], at) => (
          <span key={name} class="num">{at < figures.length - 1 ? name : style.unit}</span>
        ))}
      </p>
      <ol class="scatter-list">
        {points.slice(0, most).map((point) => (
          <li key={point.row}>
            <button
              type="button"
              class={`scatter-item hover inset${point.row === selected ? ' selected' : ''}`}
              title={point.name}
              onFocus={() => onActive(point)}
              onBlur={() => onActive(null)}
              onMouseEnter={() => onActive(point)}
              onMouseLeave={() => onActive(null)}
              onClick={() => onRow(point.row)}
            >
              <span class="flex shrinks">
                <NameText name={point.short} />
              </span>
              {figures.map(([name, of]) => (
                <span key={name} class="scatter-pair num stack">
                  {LETTERS.map((side) => (
                    <span key={side} class={`text-${side}`}>
                      <span class="sr">{`${name} ${sideName(side)} `}</span>
                      {point[side] ? of(point[side]) : NOT_MEASURED}
                    </span>
                  ))}
                </span>
              ))}
            </button>
          </li>
        ))}
      </ol>
      <p class="legend small soft">
        {LETTERS.map((side) => (
          <span key={side}>
            <svg width="16" height="14" aria-hidden="true">
              <Shape mark={{ side, x: 8, y: 7, r: side === 'a' ? 5.5 : 5 }} />
            </svg>{' '}
            {sideName(side)}
          </span>
        ))}
        {children}
      </p>
      {(['small', 'unmeasured'] as const).map((left) => {
        const { count, a_us, b_us } = picture[left];
        return count > 0 && <p key={left} class="muted small">{words[left](count, formatWithUnit(style, a_us), formatWithUnit(style, b_us))}</p>;
      })}
    </div>
  );
}
