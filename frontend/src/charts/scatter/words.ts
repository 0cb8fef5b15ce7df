// User-visible text of the utilisation chart; outside ui/strings.ts, so that it loads with the chart.

import { formatMany } from '../../ui/format';

export const words = {
  title: 'Utilisation',
  about: 'tensor pipe and memory use of each kernel, both runs',
  tensor: 'Tensor',
  dram: 'DRAM',
  tensorAxis: '↑ Tensor pipe active',
  dramAxis: 'Share of peak DRAM throughput →',
  label: (kernels: number, marks: number) =>
    `${formatMany(kernels, 'kernel')} as ${formatMany(marks, 'mark')}: tensor pipe against DRAM throughput, area is time. The list has the largest ones.`,
  listed: (shown: number, all: number) => (shown === all ? formatMany(all, 'kernel') : `largest ${shown} of ${formatMany(all, 'kernel')}`),
  time: 'Time',
  absent: 'no figures',
  area: 'area: time',
  lines: (n: number) => (n === 1 ? 'line: the kernel that moved' : `lines: the ${n} kernels that moved most`),
  small: (n: number, a: string, b: string) => `${formatMany(n, 'smaller kernel is', 'smaller kernels are')} not drawn: ${a} of A, ${b} of B.`,
  unmeasured: (n: number, a: string, b: string) => `${formatMany(n, 'kernel has', 'kernels have')} no utilisation figures: ${a} of A, ${b} of B.`,
};
