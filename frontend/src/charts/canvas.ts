// What pictures on a canvas share: its size on this screen, the theme's colours, and names cut to their room.

import { useLayoutEffect, useState } from 'preact/hooks';
import { followTheme } from '../host/host';

/** An empty canvas of that size in pixels of the page; null where there is none to draw on. */
export function penOf(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  pen?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return pen;
}

/** Reads colours of the style sheet as the theme in use has them: a property itself is the pair `light-dark(#fff, #000)`. */
export function colourOf(element: Element = document.documentElement): (name: string) => string {
  const style = getComputedStyle(element);
  const own = style.colorScheme === 'dark' ? '$2' : '$1';
  return (name) => style.getPropertyValue(name).trim().replace(/^light-dark\(([^,]*), ?(.*)\)$/, own);
}

/** Changes with the theme, so that what is drawn is drawn again. */
export function useTheme(): number {
  const [theme, setTheme] = useState(0);
  useLayoutEffect(() => followTheme(() => setTheme((n) => n + 1)), []);
  return theme;
}

/** Letters of a name that fit; kernels often differ at their ends, so the middle goes. */
export function fitted(name: string, letters: number): string {
  if (name.length <= letters) return name;
  if (letters < 3) return '';
  const tail = letters < 16 ? 0 : Math.floor(letters / 3);
  return `${name.slice(0, letters - 1 - tail)}…${tail > 0 ? name.slice(-tail) : ''}`;
}
