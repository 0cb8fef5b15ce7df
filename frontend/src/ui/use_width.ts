// The width of an element, followed.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Width in pixels; 0 before the first drawing and while the tab is hidden. */
export function useWidth(): [preact.RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const observer = new ResizeObserver((entries) => {
      const now = Math.round(entries[0]?.contentRect.width ?? 0);
      if (now > 0) setWidth(now);
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}
