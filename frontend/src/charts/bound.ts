// Which resource limits a launch: the tensor pipe, the memory, both or neither, by how busy each is.

import { BOUND } from '../contract/constants';

/** Index of the launch's class in BOUND_CLASSES; if only one utilization was measured, that one decides. */
export function boundClass(tensor: number | null, dram: number | null): number {
  if (tensor === null && dram === null) return 4;
  const high = [tensor !== null && tensor >= BOUND, dram !== null && dram >= BOUND];
  return high[0] ? (high[1] ? 2 : 0) : high[1] ? 1 : 3;
}

/** Style property of the class's color. */
export const boundColor = (name: string): string => `--bound-${name.replace(/[ -]/g, '_')}`;

/** Name of the class as users read it. */
export const boundWord = (name: string): string => (name === 'both' || name === 'neither' ? `bound by ${name}` : name);
