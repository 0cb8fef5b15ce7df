// The strict report as the server gives it (docs/guide/strict.schema.json).

import { checked, type Table } from './wire';

/** A pair of processes that the strict report can be about. */
export interface ProcessPair {
  normal: number;
  abnormal: number;
  label: string;
  /** the same process on both sides */
  strict: boolean;
}

export interface StrictFinding {
  function: string;
  device: string;
  sentence: string;
  counters: string[];
}

export interface StrictAnswer {
  schema: string;
  /** names the files as they were compared */
  tag?: string;
  version: string;
  title: string;
  labels: [string, string];
  processes: ProcessPair[];
  /** place of the compared pair among the processes */
  chosen: number;
  overview: string;
  findings: StrictFinding[];
  recommendation: string;
  note: string;
  weaknesses: { number: number; sentence: string }[];
  units: string[];
  tables: { summary?: Table; cycles?: Table; triplets?: Table };
  /** why there is no report, "" if there is one */
  absent: string;
}

const STRICT_SCHEMA = 'tb_perfcompare.strict/1';

export function asStrict(value: unknown): StrictAnswer {
  return checked(value, STRICT_SCHEMA) as unknown as StrictAnswer;
}
