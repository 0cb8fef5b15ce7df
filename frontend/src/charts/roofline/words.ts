// User-visible text of the roofline; outside ui/strings.ts, so that it loads with the chart.

import { formatMany } from '../../ui/format';

export const words = {
  x: 'FLOP per byte moved at least →',
  y: '↑ FLOP/s',
  label: (rows: number, marks: number) =>
    `${formatMany(rows, 'row')} as ${formatMany(marks, 'mark')}: FLOP per second against FLOP per byte, area is time. The list has the largest ones.`,
  listed: (shown: number, all: number) => (shown === all ? formatMany(all, 'row') : `largest ${shown} of ${formatMany(all, 'row')}`),
  intensity: 'FLOP/byte',
  rate: 'Rate',
  time: 'Time',
  share: 'of the roof',
  absent: 'no rate',
  over: 'above the roof: peak or work is wrong',
  area: 'area: time',
  roof: (device: string, sides: string) => `roof${sides}: ${device}`,
  noRoof: (sides: string) => `no roof${sides}: device unknown, --peak gives one`,
  small: (n: number, a: string, b: string) => `${formatMany(n, 'smaller row is', 'smaller rows are')} not drawn: ${a} of A, ${b} of B.`,
  unmeasured: (n: number, a: string, b: string) => `${formatMany(n, 'row moves', 'rows move')} bytes only: ${a} of A, ${b} of B.`,
  nothing: 'No operator of these recordings has a rate of floating-point operations.',
};
