// The width of an element, kept up to date.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Width in pixels; 0 until first measured, unchanged while the tab is hidden. With `last`, starts from the width of the
 *  previous element in its place, usually its own too, which then needs no second draw. */
export function useWidth(last?: { width: number }): [preact.RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(last?.width ?? 0);
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const observer = new ResizeObserver((entries) => {
      const now = Math.round(entries[0]?.contentRect.width ?? 0);
      if (now <= 0) return;
      setWidth(now);
      if (last) last.width = now;
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}
