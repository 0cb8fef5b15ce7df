// Helpers for charts on a canvas: device pixel ratio, theme colours, shortened names.

import { useLayoutEffect, useState } from 'preact/hooks';
import { followTheme } from '../host/host';

/** Resizes and clears the canvas and returns a context scaled to CSS pixels; null if the browser offers none. */
export function penOf(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  pen?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return pen;
}

/** Returns a reader of colours in the current theme; a property's raw value is the pair `light-dark(#fff, #000)`. */
export function colourOf(element: Element = document.documentElement): (name: string) => string {
  const style = getComputedStyle(element);
  const own = style.colorScheme === 'dark' ? '$2' : '$1';
  return (name) => style.getPropertyValue(name).trim().replace(/^light-dark\(([^,]*), ?(.*)\)$/, own);
}

/** Returns a number that changes with the theme; as a dependency it causes a redraw. */
export function useTheme(): number {
  const [theme, setTheme] = useState(0);
  useLayoutEffect(() => followTheme(() => setTheme((n) => n + 1)), []);
  return theme;
}

/** Shortens a name to that many letters. The middle is cut, because kernel names often differ at their ends. */
export function fitted(name: string, letters: number): string {
  if (name.length <= letters) return name;
  if (letters < 3) return '';
  const tail = letters < 16 ? 0 : Math.floor(letters / 3);
  return `${name.slice(0, letters - 1 - tail)}…${tail > 0 ? name.slice(-tail) : ''}`;
}
