// User-visible text of the memory chart; outside ui/strings.ts, so that it loads with the chart.

import type { Axis } from './curves';

export const words = {
  title: 'Memory over time',
  about: 'bytes held by tensors (allocated) and by the allocator (reserved)',
  device: 'Device',
  axis: 'Axis',
  axes: { place: 'Steps', time_us: 'Time' } as Record<Axis, string>,
  axesAbout: {
    place: 'Steps aligned by number, whatever their duration',
    time_us: 'Time since the first step',
  } as Record<Axis, string>,
  steps: 'steps',
  allocated: 'allocated',
  reserved: 'reserved',
  most: (n: number) => `${n} captures; the cursor reads the one that holds the most`,
  none: 'not recorded here',
  at: {
    place: (step: string, percent: string) => `step ${step}, ${percent} of it`,
    places: (a: string, b: string) => `${a || '–'} in A, ${b || '–'} in B`,
    time_us: (time: string) => `${time} since the first step`,
  },
  label: (device: string, a: string, b: string) =>
    `Memory of ${device} over time in both runs. Baseline: ${a}. Candidate: ${b}. Arrow keys move a cursor that reads both.`,
  side: (peak: string) => `allocated, at most ${peak} (●)`,
  absent: 'nothing recorded',
  pointText: (at: string, a: string, b: string) => `${at}: baseline ${a}, candidate ${b}.`,
  held: (allocated: string, reserved: string) => (reserved === '' ? `${allocated} allocated` : `${allocated} allocated, ${reserved} reserved`),
  hint: 'Hover over the chart or press ← → to read both runs.',
};
