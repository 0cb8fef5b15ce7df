// Draws one side's rows into pixels. A row is drawn once as a single line of pixels, then copied over its height, so
// the cost of a frame depends only on the number of visible marks and of pixels, not on what marks look like.

import type { TimeRange } from '../../charts/time_range';
import { firstEndingAfter } from '../data/instants';
import { eventsIn, totalOf, type Picture, type Row } from '../data/wire';
import { topOf, type Layout } from './layout';
import { blend, SHADES, type Palette } from './palette';

export type Colors = 'kind' | 'change';

export interface Scene {
  picture: Picture;
  layout: Layout;
  range: TimeRange;
  /** instants of the vertical lines */
  ticks: number[];
  colors: Colors;
  side: 'a' | 'b';
  /** by index in Picture.names: whether the name matches the search; null without a search */
  found: boolean[] | null;
  /** by index in Picture.names: whether the name is highlighted, as the pointer is over one of its marks */
  lit: boolean[] | null;
  scrollTop: number;
}

/** Name to write onto the pixels, in device pixels. */
export interface Label {
  left: number;
  right: number;
  top: number;
  tall: number;
  name: number;
  faint: boolean;
}

/** Marks at least this many device pixels wide get sharp edges; thinner ones are blended per pixel. */
const SOLID = 1.5;
/** Least opacity of a pixel with a mark, so that every mark is visible. */
const FAINTEST = 0.42;
const FADED = 0.8;
const LABEL_ROOM = 26;
const LABEL_ROW = 11;

export class Pixels {
  private image: ImageData | null = null;
  private words = new Uint32Array(0);
  private base = new Uint32Array(0);
  private strip = new Uint32Array(0);
  private sums = new Float32Array(0);
  private hatched: [number, number][] = [];
  readonly labels: Label[] = [];

  private fit(width: number, height: number): void {
    if (this.image && this.image.width === width && this.image.height === height) return;
    this.image = new ImageData(width, height);
    this.words = new Uint32Array(this.image.data.buffer);
    this.base = new Uint32Array(width);
    this.strip = new Uint32Array(width);
    this.sums = new Float32Array(4 * width);
  }

  /** Draws all visible rows; sizes in device pixels, `ratio` of them per CSS pixel. */
  draw(scene: Scene, width: number, height: number, ratio: number, palette: Palette): ImageData {
    this.fit(width, height);
    this.labels.length = 0;
    this.base.fill(palette.back);
    const scale = width / (scene.range.to - scene.range.from);
    for (const at of scene.ticks) {
      const x = Math.round((at - scene.range.from) * scale);
      if (x >= 0 && x < width) this.base[x] = palette.grid;
    }
    for (let y = 0; y < height; y += 1) this.words.set(this.base, y * width);
    const { layout, picture } = scene;
    picture.rows.forEach((row, number) => {
      if (!row) return;
      const place = topOf(layout, number, scene.scrollTop);
      // rows that scroll are cut off at the pinned lanes
      const least = layout.pinned[number] ? 0 : Math.round(layout.pinnedHeight * ratio);
      const top = Math.round(place * ratio);
      const bottom = Math.max(top + 1, Math.round((place + layout.tall[number]!) * ratio));
      if (bottom <= least || top >= height) return;
      this.strip.set(this.base);
      this.row(scene, row, scale, width, ratio, palette, Math.max(top, least), bottom);
      for (let y = Math.max(least, top); y < Math.min(height, bottom); y += 1) this.words.set(this.strip, y * width);
      this.hatch(palette, Math.max(least, top), Math.min(height, bottom), width);
    });
    return this.image!;
  }

  private row(scene: Scene, row: Row, scale: number, width: number, ratio: number, palette: Palette, top: number, bottom: number): void {
    const { range, picture, found } = scene;
    const { strip, sums } = this;
    this.hatched.length = 0;
    let shared = false;
    let clearFrom = width;
    let clearTo = 0;
    const labeled = bottom - top >= LABEL_ROW * ratio;
    for (let mark = firstEndingAfter(row, range.from - 1 / scale); mark < row.count && row.start[mark]! < range.to; mark += 1) {
      const left = (row.start[mark]! - range.from) * scale;
      const right = (row.end[mark]! - range.from) * scale;
      const run = eventsIn(row, mark) > 1;
      const name = row.name[mark]!;
      const hit = found === null || (run && row.hits ? row.hits[mark]! > 0 : found[name]!);
      let color = colorOf(scene, row, mark, name, picture, palette);
      if (scene.lit !== null && scene.lit[name]! && !run) color = blend(color, palette.ink, 0.28);
      if (!hit) color = blend(color, palette.back, FADED);
      if (right - left >= SOLID && !run) {
        const first = Math.max(0, Math.round(left));
        let last = Math.min(width, Math.round(right));
        // a gap between neighbors if the mark is wide enough
        if (last - first >= 4 && right <= width) last -= 1;
        strip.fill(color, first, Math.max(last, first + 1));
        if (scene.colors === 'change' && row.alone && row.alone[mark]! > 0 && hit) this.hatched.push([first, last]);
        if (labeled && last - first >= LABEL_ROOM * ratio) this.labels.push({ left: first, right: last, top, tall: bottom - top, name, faint: !hit });
        continue;
      }
      // a run, or a mark thinner than a pixel: adds the share of each pixel it covers
      const share = run ? totalOf(row, mark) / Math.max(row.end[mark]! - row.start[mark]!, 1) : 1;
      const first = Math.max(0, Math.floor(left));
      const last = Math.min(width - 1, Math.max(first, Math.ceil(right) - 1));
      for (let x = first; x <= last; x += 1) {
        const covered = Math.max(Math.min(right, x + 1) - Math.max(left, x), 0) * share;
        const weight = Math.max(covered, 1e-3);
        sums[4 * x] = sums[4 * x]! + weight;
        sums[4 * x + 1] = sums[4 * x + 1]! + weight * (color & 255);
        sums[4 * x + 2] = sums[4 * x + 2]! + weight * ((color >>> 8) & 255);
        sums[4 * x + 3] = sums[4 * x + 3]! + weight * ((color >>> 16) & 255);
      }
      shared = true;
      clearFrom = Math.min(clearFrom, first);
      clearTo = Math.max(clearTo, last + 1);
    }
    if (!shared) return;
    for (let x = clearFrom; x < clearTo; x += 1) {
      const weight = sums[4 * x]!;
      if (weight > 0) {
        const mean = (Math.round(sums[4 * x + 1]! / weight) | (Math.round(sums[4 * x + 2]! / weight) << 8) | (Math.round(sums[4 * x + 3]! / weight) << 16)) >>> 0;
        strip[x] = blend(strip[x]!, mean, Math.min(1, Math.max(FAINTEST, weight)));
      }
    }
    sums.fill(0, 4 * clearFrom, 4 * clearTo);
  }

  /** Hatches events that only one side has, so that color is not needed to recognize them. */
  private hatch(palette: Palette, top: number, bottom: number, width: number): void {
    for (const [first, last] of this.hatched)
      for (let y = top; y < bottom; y += 1)
        for (let x = first; x < last; x += 1) if (((x + y) & 7) < 3) this.words[y * width + x] = blend(this.words[y * width + x]!, palette.back, 0.55);
  }
}

/** Color of a mark: by kind, or by change against its counterpart. */
export function colorOf(scene: Pick<Scene, 'colors' | 'side'>, row: Row, mark: number, name: number, picture: Picture, palette: Palette): number {
  if (scene.colors === 'kind' || !row.change) return palette.kinds[picture.names[name]!.kind]![name % SHADES]!;
  const own = totalOf(row, mark);
  if (eventsIn(row, mark) === 1 && row.alone![mark]! > 0) return scene.side === 'a' ? palette.a : palette.b;
  const change = row.change[mark]!;
  // change as a share of the longer event, so that both events of a pair get the same color
  const other = scene.side === 'a' ? own + change : own - change;
  const share = Math.min(1, Math.abs(change) / Math.max(own, other, 1));
  return blend(palette.even, change > 0 ? palette.more : palette.less, Math.min(1, 1.6 * share));
}
