// Line icons, 16 by 16 pixels, in the text color. Decoration only: the text beside an icon, or its button, names it.

const PATHS = {
  swap: 'M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13',
  link: 'M6.5 9.5l3-3M7 4.5l1-1a2.5 2.5 0 013.6 3.6l-1 1M9 11.5l-1 1a2.5 2.5 0 01-3.6-3.6l1-1',
  export: 'M8 2.5v7M5.5 7L8 9.5 10.5 7M3 11v2h10v-2',
  refresh: 'M13 8a5 5 0 11-1.6-3.7M13 2.5V5h-2.5',
  help: 'M6 6.2a2 2 0 113 1.7c-.7.4-1 .8-1 1.5M8 11.6v.2M8 14A6 6 0 108 2a6 6 0 000 12z',
  close: 'M4 4l8 8M12 4l-8 8',
  chevron: 'M4.5 6.5L8 10l3.5-3.5',
  up: 'M8 13V3.5M4 7.2L8 3.2l4 4',
  down: 'M8 3v9.5M4 8.8l4 4 4-4',
  equal: 'M3.5 6h9M3.5 10h9',
  question: 'M5.8 6a2.3 2.3 0 113.4 2c-.8.5-1.2 1-1.2 1.8M8 12.4v.2',
  stop: 'M4.2 4.2l7.6 7.6M8 14A6 6 0 108 2a6 6 0 000 12z',
  alert: 'M8 2.5l6 11H2zM8 6.5v3.2M8 11.6v.2',
  check: 'M3.5 8.5l3 3 6-7',
  info: 'M8 7.5v3.8M8 4.9v.2M8 14A6 6 0 108 2a6 6 0 000 12z',
  copy: 'M6 5.5h7v8H6zM10 5.5v-3H3v8h3',
  open: 'M9 3h4v4M13 3L7.5 8.5M11 9.5V13H3V5h3.5',
  columns: 'M2.5 3.5h11v9h-11zM6.2 3.5v9M9.8 3.5v9',
  search: 'M7 11.5a4.5 4.5 0 100-9 4.5 4.5 0 000 9zM10.3 10.3L14 14',
  filter: 'M2.5 3.5h11L9.5 8.5v4l-3-1.5V8.5z',
  plus: 'M8 3.5v9M3.5 8h9',
  minus: 'M3.5 8h9',
  whole: 'M2.5 4v8M13.5 4v8M5 8h6M5 8l1.5-1.5M5 8l1.5 1.5M11 8L9.5 6.5M11 8L9.5 9.5',
  delta: 'M8 3.5l5.5 9.5h-11z',
  align: 'M4 2.5v11M6.5 5h6M6.5 11h3.5',
  pin: 'M5.5 2.5h5M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v4.5',
  history: 'M2.5 2.5v11h11M5 10l2.5-3 2 1.5 3.5-4.5',
  bulb: 'M6 12h4M6.5 14h3M8 2a4 4 0 00-2.3 7.2c.5.4.8.9.8 1.6h3c0-.7.3-1.2.8-1.6A4 4 0 008 2z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width={size} height={size} aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
