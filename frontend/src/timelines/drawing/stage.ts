// State and drawing of the canvases: one object for both sides, drawn at most once per animation frame.

import { length, placed, type TimeRange } from '../../charts/time_range';
import { LETTERS, type Letter } from '../../ui/sides';
import { markAt, rulerOf } from '../data/instants';
import { eventsIn, markOf, type Picture, type Row } from '../data/wire';
import { activity, drawAxis } from './axis';
import { rowAt, type Layout } from './layout';
import { drawOver, writeLabels, type Place } from './overlay';
import { Pixels, type Colors, type Scene } from './paint';
import { paletteOf, type Palette } from './palette';

/** A mark under the pointer or selected by keys. */
export interface Mark {
  side: Letter;
  picture: Picture;
  row: Row;
  mark: number;
}

interface SideView {
  picture: Picture | null;
  whole: Picture | null;
  layout: Layout | null;
}

/** Everything to draw, except the visible range. */
export interface Shown {
  a: SideView;
  b: SideView;
  whole: TimeRange;
  /** nanoseconds by which B is shifted right */
  shift: number;
  colors: Colors;
  search: ((name: string) => boolean) | null;
  selected: Record<Letter, Place | null>;
  /** side of the selected event; the other side shows its counterpart */
  chosen: Letter | null;
  links: Record<Letter, { from: Place; to: Place }[]>;
}

interface Pane {
  canvas: HTMLCanvasElement;
  scroll: HTMLElement;
  pixels: Pixels;
}

const NEAR_PIXELS = 4;

export class Stage {
  range: TimeRange = { from: 0, to: 1 };
  hovered: Mark | null = null;
  brush: TimeRange | null = null;
  width = 0;
  private shown: Shown | null = null;
  private panes: Partial<Record<Letter, Pane>> = {};
  private axis: HTMLCanvasElement | null = null;
  private palette: Palette | null = null;
  private frame = 0;
  private lines = new Map<Picture, { key: string; line: Uint32Array }>();
  private found = new WeakMap<Picture, { search: unknown; found: boolean[] }>();

  /** `onFrame` is called after every drawing. */
  constructor(private readonly onFrame: () => void) {}

  attach(side: Letter, canvas: HTMLCanvasElement, scroll: HTMLElement): void {
    this.panes[side] = { canvas, scroll, pixels: new Pixels() };
  }

  attachAxis(canvas: HTMLCanvasElement): void {
    this.axis = canvas;
  }

  show(shown: Shown): void {
    this.shown = shown;
    this.request();
  }

  /** Rereads the colors after the style sheet has changed. */
  restyle(): void {
    this.palette = null;
    this.lines.clear();
    this.request();
  }

  request(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw());
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  see(range: TimeRange): void {
    if (!this.shown) return;
    this.range = placed(this.shown.whole, range.from, length(range));
    this.request();
  }

  get whole(): TimeRange {
    return this.shown?.whole ?? { from: 0, to: 1 };
  }

  scrollTop(side: Letter): number {
    return this.panes[side]?.scroll.scrollTop ?? 0;
  }

  view(side: Letter): SideView | null {
    return this.shown?.[side] ?? null;
  }

  /** Nanoseconds per CSS pixel. */
  get pixelNs(): number {
    return length(this.range) / Math.max(1, this.width);
  }

  /** Visible range of a side in its own time. */
  rangeOf(side: Letter): TimeRange {
    const by = this.shift(side);
    return { from: this.range.from - by, to: this.range.to - by };
  }

  /** Offset from a side's own time to the common one, in nanoseconds. */
  shift(side: Letter): number {
    return side === 'b' ? (this.shown?.shift ?? 0) : 0;
  }

  /** Mark at a point of a side's canvas. */
  at(side: Letter, x: number, y: number): Mark | null {
    const view = this.shown?.[side];
    if (!view?.picture || !view.layout) return null;
    const number = rowAt(view.layout, y, this.scrollTop(side));
    const row = number < 0 ? undefined : view.picture.rows[number];
    if (!row) return null;
    const mark = markAt(row, this.rangeOf(side).from + x * this.pixelNs, NEAR_PIXELS * this.pixelNs);
    return mark < 0 ? null : { side, picture: view.picture, row, mark };
  }

  /** Mark of an event in the most detailed picture that covers it. */
  markOf(side: Letter, event: number): Mark | null {
    const view = this.shown?.[side];
    const picture = view?.picture ?? null;
    const found = (picture && markOf(picture, event)) ?? null;
    if (picture && found) return { side, picture, ...found };
    const whole = view?.whole ? markOf(view.whole, event) : null;
    return whole ? { side, picture: view!.whole!, ...whole } : null;
  }

  shortName(mark: Mark): string {
    return mark.picture.wire.short_names[mark.row.name[mark.mark]!]!;
  }

  private foundIn(picture: Picture, search: Shown['search']): boolean[] | null {
    if (!search) return null;
    const known = this.found.get(picture);
    if (known?.search === search) return known.found;
    const found = picture.names.map(({ text }) => search(text));
    this.found.set(picture, { search, found });
    return found;
  }

  private litIn(picture: Picture): boolean[] | null {
    const { hovered } = this;
    if (!hovered || eventsIn(hovered.row, hovered.mark) > 1) return null;
    const { key, kind } = hovered.picture.names[hovered.row.name[hovered.mark]!]!;
    return picture.names.map((name) => name.key === key && name.kind === kind);
  }

  private line(side: Letter, width: number, palette: Palette): Uint32Array | null {
    const picture = this.shown?.[side].whole;
    if (!picture) return null;
    const by = this.shift(side);
    const whole = { from: this.shown!.whole.from - by, to: this.shown!.whole.to - by };
    const { colors } = this.shown!;
    const key = `${width} ${whole.from} ${whole.to} ${colors}`;
    const known = this.lines.get(picture);
    if (known?.key === key) return known.line;
    const line = activity(picture, { colors, side }, whole, width, palette);
    if (this.lines.size > 4) this.lines.clear();
    this.lines.set(picture, { key, line });
    return line;
  }

  private draw(): void {
    this.frame = 0;
    const { shown } = this;
    if (!shown || this.width <= 0) return;
    const kinds = (shown.a.whole ?? shown.b.whole)?.wire.kinds;
    if (!kinds) return;
    const palette = (this.palette ??= paletteOf(kinds));
    const ratio = window.devicePixelRatio || 1;
    const ruler = rulerOf(this.range, this.width);
    for (const side of LETTERS) this.drawPane(side, shown, ruler, ratio, palette);
    if (this.axis) {
      const wide = Math.round(this.width * ratio);
      const lines = { a: this.line('a', wide, palette), b: this.line('b', wide, palette) };
      const totals = { a: shown.a.whole?.wire.total_ns ?? null, b: shown.b.whole?.wire.total_ns ?? null };
      const shifts = { a: 0, b: shown.shift };
      drawAxis(this.axis, { whole: shown.whole, range: this.range, ruler, lines, totals, shifts, brush: this.brush }, this.width, ratio, palette);
    }
    this.onFrame();
  }

  private drawPane(side: Letter, shown: Shown, ruler: ReturnType<typeof rulerOf>, ratio: number, palette: Palette): void {
    const pane = this.panes[side];
    const { picture, layout } = shown[side];
    if (!pane) return;
    const { canvas, scroll, pixels } = pane;
    const [width, height] = [Math.round(this.width * ratio), Math.round(scroll.clientHeight * ratio)];
    if (width <= 0 || height <= 0) return;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const pen = canvas.getContext('2d');
    if (!pen) return;
    if (!picture || !layout) {
      pen.clearRect(0, 0, width, height);
      return;
    }
    const range = this.rangeOf(side);
    const scene: Scene = {
      picture, layout, range, ticks: ruler.ticks.map(({ at }) => at - this.shift(side)), colors: shown.colors, side, scrollTop: scroll.scrollTop,
      found: this.foundIn(picture, shown.search), lit: this.litIn(picture),
    };
    const image = pixels.draw(scene, width, height, ratio, palette);
    pen.putImageData(image, 0, 0);
    writeLabels(pen, pixels.labels, picture.wire.short_names, picture, ratio, palette, shown.colors === 'kind' ? null : image);
    const isChosen = shown.chosen === side;
    drawOver(
      pen,
      {
        layout, range, scrollTop: scroll.scrollTop, side, total: picture.wire.total_ns,
        selected: isChosen ? shown.selected[side] : null, counterpart: isChosen ? null : shown.selected[side], links: shown.links[side],
        hovered: this.hovered?.side === side ? placeOf(this.hovered) : null,
      },
      width, height, ratio, palette,
    );
  }
}

export function placeOf({ row, mark }: Mark): Place {
  return { row: row.row, start: row.start[mark]!, end: row.end[mark]! };
}
