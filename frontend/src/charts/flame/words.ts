// User-visible text of the flame graph; outside ui/strings.ts, so that it loads with the chart.

import type { Measure, Order, Status, Width } from './flame';
import { formatCount, formatMany } from '../../ui/format';

export const words = {
  title: 'Flame graph',
  about: (whole: string) => `what the ${whole} consists of: modules, the operators in them, their calls and the device work below; colour is the change`,
  width: 'Width',
  widthAbout: 'Which run makes a frame wide',
  widths: { both: 'A and B', a: 'A', b: 'B' } as Record<Width, string>,
  widthsAbout: {
    both: 'Mean of both runs: new and gone frames are drawn at half their width',
    a: 'Time in A: frames that are new in B have no width',
    b: 'Time in B: frames that are gone in B have no width',
  } as Record<Width, string>,
  measure: 'Figure',
  measures: { time: 'Time', share: 'Share' } as Record<Measure, string>,
  measuresAbout: (whole: string): Record<Measure, string> => ({
    time: `Time per ${whole}`,
    share: `Share of the ${whole}: shows what grew more than the rest did`,
  }),
  order: 'Order',
  orders: { size: 'Largest', run: 'As run' } as Record<Order, string>,
  ordersAbout: { size: 'Widest frame first', run: 'In the order in which the frames first ran' } as Record<Order, string>,
  path: 'Path to this frame',
  whole: (whole: string) => `whole ${whole}`,
  details: 'Row in the table',
  outward: 'Zoom out one frame (Esc)',
  merged: (n: number) => `${formatMany(n, 'small frame', 'small frames')} together`,
  calls: (n: number) => formatMany(n, 'call'),
  ofStep: (percent: string, whole: string) => `${percent} of the ${whole}`,
  own: 'self time',
  less: 'less in B',
  more: 'more in B',
  levels: (levels: readonly number[]) => levels.map((level) => `${100 * level}\u202f%`),
  colour: 'Δ as part of the larger side',
  sided: (n: number, time: string, status: Status) => `${formatCount(n)} ${status === 'added' ? 'new' : 'gone'}, total time: ${time}`,
  unseen: (status: Status) => (status === 'added' ? 'no width here: choose width B' : 'no width here: choose width A'),
  found: (n: number, a: string, b: string, delta: string) => n === 0 ? 'No frame found.' : `${formatMany(n, 'frame')} found: A ${a}, B ${b}, Δ ${delta}`,
  hint: 'Click or Enter zooms in, Esc zooms out, arrows move, Space shows the row. The search above highlights frames.',
  label: (n: number, whole: string, total: string) =>
    `Flame graph of ${formatMany(n, 'frame')} of the ${whole}, ${total}. Arrow keys move between frames, Enter zooms in, Escape zooms out, Space shows its row in the table.`,
  frameText: (name: string, kind: string, a: string, b: string, delta: string) => `${name}, ${kind}. baseline ${a}, candidate ${b}, difference ${delta}.`,
  nothing: 'Nothing to draw: the chosen run lacks this frame.',
  missing: 'The frame table is incomplete.',
};
