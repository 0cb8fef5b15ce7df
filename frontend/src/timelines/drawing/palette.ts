// Canvas colors from the current style sheet, as pixel values.

import { colorsOf } from '../../charts/canvas';

export interface Palette {
  /** SHADES shades per kind, so that neighbors differ */
  kinds: Uint32Array[];
  /** text color on each kind: dark or light */
  inks: string[];
  ink: number;
  back: number;
  grid: number;
  even: number;
  more: number;
  less: number;
  a: number;
  b: number;
  css: { ink: string; ink2: string; line: string; page: string; panel: string; a: string; b: string };
}

export const SHADES = 4;

type Rgb = [number, number, number];

/** Parses `#rrggbb`, or `#rgb` as minifiers write it. */
export function parse(text: string): Rgb {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1] ?? '888';
  const digits = hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex;
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16)) as Rgb;
}

/** Little-endian pixel value for ImageData. */
export const pixel = ([r, g, b]: Rgb): number => ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;

function mixed(one: Rgb, other: Rgb, share: number): Rgb {
  return one.map((value, at) => value + (other[at]! - value) * share) as Rgb;
}

/** Blends a share of one pixel over another. */
export function blend(under: number, over: number, share: number): number {
  const channel = (shift: number): number => {
    const low = (under >>> shift) & 255;
    return Math.round(low + (((over >>> shift) & 255) - low) * share) << shift;
  };
  return (channel(0) | channel(8) | channel(16) | (255 << 24)) >>> 0;
}

/** Relative luminance, as WCAG defines it. */
function luminance(color: Rgb): number {
  const [r, g, b] = color.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export const DARK_INK = '#14141d';
export const LIGHT_INK = '#f6f6fb';

/** Text color with the higher contrast. */
export function inkOn(color: Rgb): string {
  const contrast = (ink: string): number => {
    const [one, other] = [luminance(parse(ink)), luminance(color)];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  return contrast(DARK_INK) >= contrast(LIGHT_INK) ? DARK_INK : LIGHT_INK;
}

export function paletteOf(kinds: string[]): Palette {
  const of = colorsOf(document.documentElement);
  const rgb = (name: string): Rgb => parse(of(name));
  const ink = rgb('--ink');
  const back = rgb('--panel');
  const colors = kinds.map((kind) => rgb(`--event-${kind}`));
  return {
    kinds: colors.map((color) => Uint32Array.from({ length: SHADES }, (_, shade) => pixel(mixed(color, shade % 2 === 0 ? ink : back, 0.055 * Math.floor((shade + 1) / 2))))),
    inks: colors.map(inkOn),
    ink: pixel(ink),
    back: pixel(back),
    grid: pixel(mixed(back, rgb('--line'), 0.75)),
    even: pixel(rgb('--event-even')),
    more: pixel(rgb('--more-fill')),
    less: pixel(rgb('--less-fill')),
    a: pixel(rgb('--a-fill')),
    b: pixel(rgb('--b-fill')),
    css: { ink: of('--ink'), ink2: of('--ink-2'), line: of('--line-strong'), page: of('--page'), panel: of('--panel'), a: of('--a'), b: of('--b') },
  };
}
