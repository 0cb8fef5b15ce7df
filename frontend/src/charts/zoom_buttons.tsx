// Zoom in, zoom out and reset buttons for charts.

import { IconButton } from '../ui/buttons';

/** `onZoom` takes the key that does the same. */
export function ZoomButtons({ onZoom }: { onZoom: (key: '+' | '-' | '0') => void }) {
  return (
    <span class="line" role="group" aria-label="Zoom">
      <IconButton icon="plus" label="Zoom in (+)" onClick={() => onZoom('+')} />
      <IconButton icon="minus" label="Zoom out (-)" onClick={() => onZoom('-')} />
      <IconButton icon="whole" label="Show all (0)" onClick={() => onZoom('0')} />
    </span>
  );
}
