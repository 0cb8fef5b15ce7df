// What limits a launch, by how busy it keeps the tensor pipe and the memory.

/** A part that is busy for this share of its peak limits the launch: BOUND of tb_perfcompare/model/summary/summary.py. */
export const BOUND = 0.6;

export const BOUND_CLASSES = ['tensor-bound', 'memory-bound', 'both', 'neither', 'not measured'] as const;

/** The class as a number, by place in BOUND_CLASSES; a launch that carries one figure is judged by it alone. */
export function boundClass(tensor: number | null, dram: number | null): number {
  if (tensor === null && dram === null) return 4;
  const high = [tensor !== null && tensor >= BOUND, dram !== null && dram >= BOUND];
  return high[0] ? (high[1] ? 2 : 0) : high[1] ? 1 : 3;
}

/** As it is written. */
export const boundWord = (name: string): string => (name === 'both' || name === 'neither' ? `bound by ${name}` : name);
