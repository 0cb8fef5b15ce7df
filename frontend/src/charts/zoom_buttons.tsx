// Zoom in, zoom out and reset buttons for charts.

import { IconButton } from '../ui/buttons';

interface Props {
  label: string;
  names: [closer: string, farther: string, all: string];
  onZoom: (key: '+' | '-' | '0') => void;
}

export function ZoomButtons({ label, names, onZoom }: Props) {
  return (
    <span class="segments zoom-buttons" role="group" aria-label={label}>
      <IconButton class="inset" icon="plus" label={names[0]} onClick={() => onZoom('+')} />
      <IconButton class="inset" icon="minus" label={names[1]} onClick={() => onZoom('-')} />
      <IconButton class="inset" icon="whole" label={names[2]} onClick={() => onZoom('0')} />
    </span>
  );
}
