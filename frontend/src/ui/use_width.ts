// The width of an element, followed.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Width in pixels; 0 before the first drawing and while the tab is hidden. With `last` the width that the one before in
 *  its place had, which is as a rule its own, so that it is drawn once. */
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
