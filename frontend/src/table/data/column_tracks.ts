// How wide the columns of a table are: as wide as their texts, or as the reader chose, which the address keeps.

import { headerLabel, headerUnit, type ColumnView } from './columns';

/** Pixels of a difference's bar with the gap before it. */
const BAR = 96;

/** Letters as wide as the badge of a side. */
const BADGE = 4;

/** The least width in pixels at which all columns fit. */
export function leastWidth(columns: ColumnView[], widths: Record<string, number>): number {
  return columns.reduce((sum, view) => sum + trackOf(view, true, false, widths[view.column.name]).least, 12);
}

/** A column's CSS grid track, and its least width in pixels: the label must fit; spare width goes to long texts. */
export function trackOf(view: ColumnView, named: boolean, phone: boolean, chosen: number | undefined): { track: string; least: number } {
  if (chosen !== undefined) return { track: `${chosen}px`, least: chosen };
  if (view.width) return { track: `${view.width}px`, least: view.width };
  const letters = headerLabel(view).length;
  const label = 7 * (letters + headerUnit(view).length) + 34;
  if (view.column.kind === 'text') {
    // a side comes with its badge
    const most = Math.min(60, Math.max(view.letters + (view.column.name === 'side' ? BADGE : 0), letters));
    const least = Math.min(Math.max(7 * most + 24, label), phone ? 108 : named ? 176 : 150);
    // as wide as the longest text, so that figures stay near it; columns at the 60-letter limit share the spare width
    const wanted = Math.max(least + 12, 7 * most + 32);
    return { track: most < 60 ? `minmax(${least}px, ${wanted}px)` : `minmax(${least}px, ${most}fr)`, least };
  }
  if (phone && view.style) return { track: `minmax(${view.largest > 0 ? 92 : 70}px, 1fr)`, least: view.largest > 0 ? 92 : 70 };
  const least = view.largest > 0 ? Math.max(164, label + BAR) : Math.max(view.letters > 0 ? 7 * view.letters + 26 : 84, label);
  return { track: `${least}px`, least };
}

export const NARROWEST = 48;
export const WIDEST = 1200;

/** Reads `name:240,calls:90` as column -> width in pixels. */
export function readWidths(text: string): Record<string, number> {
  const pairs = text.split(',').map((part) => part.split(':') as [string, string?]);
  return Object.fromEntries(pairs.flatMap(([name, width]) => (name !== '' && /^\d{1,4}$/.test(width ?? '') ? [[name, clamped(Number(width))]] : [])));
}

/** Sets one column's width and returns the new text; null restores the default width. */
export function withWidth(text: string, column: string, width: number | null): string {
  const { [column]: _, ...others } = readWidths(text);
  const widths = width === null ? others : { ...others, [column]: clamped(width) };
  return Object.entries(widths)
    .map(([name, pixels]) => `${name}:${pixels}`)
    .join(',');
}

function clamped(width: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, Math.round(width)));
}
