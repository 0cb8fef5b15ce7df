// Charts on a canvas: device pixel ratio, theme colors, shortened names. Also the pointer's place in a chart.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { followTheme } from '../host/host';

export type Colors = (name: string) => string;

interface Props {
  class: string;
  width: number;
  height: number;
  /** what is drawn: if one of these changes, it is drawn again */
  shown: unknown[];
  draw: (pen: CanvasRenderingContext2D, colors: Colors) => void;
}

/** A canvas of this size in CSS pixels, drawn again when its content or the theme changes. */
export function Canvas({ class: name, width, height, shown, draw }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [theme, setTheme] = useState(0);
  useLayoutEffect(() => followTheme(() => setTheme((n) => n + 1)), []);
  useLayoutEffect(() => {
    const pen = width > 0 ? penOf(canvas.current!, width, height) : null;
    if (pen) draw(pen, colorsOf(canvas.current!));
  }, [...shown, width, height, theme]);
  return <canvas ref={canvas} class={`${name} layer`} aria-hidden="true" style={{ width: `${width}px`, height: `${height}px` }} />;
}

/** Resizes and clears the canvas and returns a context scaled to CSS pixels; null if the browser offers none. */
function penOf(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  pen?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return pen;
}

/** Returns a reader of colors in the current theme; a property's raw value is the pair `light-dark(#fff, #000)`. */
export function colorsOf(element: Element): Colors {
  const style = getComputedStyle(element);
  const own = style.colorScheme === 'dark' ? '$2' : '$1';
  return (name) => style.getPropertyValue(name).trim().replace(/^light-dark\(([^,]*), ?(.*)\)$/, own);
}

/** Where the pointer is in an element, by default the one that handles the event: pixels from its left and top edge. */
export function pointIn(event: MouseEvent, element = event.currentTarget as Element): [number, number] {
  const { left, top } = element.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
}

/** Shortens a name to that many letters, of which at least the last `kept` stay. The middle is cut, because kernel names often differ at
 *  their ends. */
export function fitted(name: string, letters: number, kept = 0): string {
  if (name.length <= letters) return name;
  if (letters < Math.max(3, kept + 1)) return '';
  const tail = Math.max(kept, letters < 16 ? 0 : Math.floor(letters / 3));
  return `${name.slice(0, letters - 1 - tail)}…${tail > 0 ? name.slice(-tail) : ''}`;
}
