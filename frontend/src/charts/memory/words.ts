// Words of the memory picture, apart from ui/strings.ts so that they come with it.

import type { Axis } from './curves';

export const words = {
  title: 'Memory over time',
  about: 'bytes held by tensors (allocated) and by the allocator (reserved)',
  device: 'Device',
  axis: 'Along',
  axes: { place: 'Steps', time_us: 'Time' } as Record<Axis, string>,
  axesAbout: {
    place: 'The n-th steps of both runs begin and end together, whatever they last',
    time_us: 'Time since the first step began',
  } as Record<Axis, string>,
  steps: 'steps',
  allocated: 'allocated',
  reserved: 'reserved',
  most: (n: number) => `${n} captures; the cursor reads the one that holds the most`,
  none: 'not recorded here',
  at: {
    place: (step: string, percent: string) => `step ${step}, ${percent} of it`,
    places: (a: string, b: string) => `${a || '–'} in A, ${b || '–'} in B`,
    time_us: (time: string) => `${time} since the first step began`,
  },
  label: (device: string, a: string, b: string) =>
    `Memory of ${device} over time in both runs. Normal: ${a}. Abnormal: ${b}. Arrow keys move a cursor that reads both.`,
  side: (peak: string) => `allocated, at most ${peak} (●)`,
  absent: 'nothing recorded',
  said: (at: string, a: string, b: string) => `${at}: Normal ${a}, Abnormal ${b}.`,
  held: (allocated: string, reserved: string) => (reserved === '' ? `${allocated} allocated` : `${allocated} allocated, ${reserved} reserved`),
  hint: 'Point at the picture, or use ← → here, to read both runs.',
};
