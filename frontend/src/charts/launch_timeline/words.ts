// User-visible text of the launch timeline; outside ui/strings.ts, so that it loads with the chart.

import { formatMany } from '../../ui/format';

export const words = {
  title: 'Launch by launch',
  about: 'in launch order; width is time; matched launches are aligned',
  colour: 'What the strips show',
  shade: { bound: 'Limits', tensor: 'Tensor', dram: 'DRAM' } as Record<string, string>,
  shadeAbout: {
    bound: 'What limits each launch: 60 % of the peak of the tensor pipe or of the memory',
    tensor: 'How busy each launch keeps the tensor pipe',
    dram: 'How much of the peak memory throughput each launch uses',
  } as Record<string, string>,
  high: { tensor: 'height: tensor pipe active, 0 to 100 %', dram: 'height: share of peak DRAM throughput, 0 to 100 %' } as Record<string, string>,
  zoom: 'Zoom',
  closer: 'Zoom in (+)',
  farther: 'Zoom out (-)',
  all: 'All launches (Esc)',
  both: 'on both sides',
  tensor: 'Tensor',
  dram: 'DRAM',
  missing: 'absent',
  change: 'Δ: share of the longer launch, up for more time in B',
  range: (time: string) => `in view: ${time}`,
  hint: 'Wheel or + − zooms, dragging moves, ← → go from launch to launch, Enter or a click shows the row.',
  label: (n: number) => `Launches of both runs at ${formatMany(n, 'place')}. Arrow keys go from launch to launch, plus and minus zoom, Enter shows the row.`,
  launchText: (n: number, all: number, name: string, status: string, a: string, b: string) => `Place ${n} of ${all}: ${name}, ${status}. baseline ${a}, candidate ${b}.`,
};
