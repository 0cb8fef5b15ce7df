// The contract of api/history, and how it is asked.

import { apiUrl, fetchText } from './api';
import { checked } from './wire';

export interface Point {
  /** what the pair's routes take; null where its summary cannot be read */
  run: string | null;
  label: string;
  at: string;
  recorded_run: string;
  device: string;
  metric: string;
  version: string;
  steps: { count: number; admitted: number };
  mean_step_us: number | null;
  median_step_us: number | null;
  /** middle half of the steps; null for points recorded without */
  quartiles_us?: [number, number] | null;
  segment: number | null;
  difference: number | null;
  verdict: 'slower' | 'faster' | 'same' | 'cannot_tell' | null;
  outlier?: boolean;
}

export interface Segment {
  first: number;
  last: number;
  typical_us: number;
}

export interface LevelChange {
  point: number;
  shift: number;
  p: number;
  verdict: 'slower' | 'faster';
}

export interface History {
  series: string;
  points: Point[];
  segments: Segment[];
  changes: LevelChange[];
  notes: string[];
  problems: { path: string; message: string }[];
}

export interface HistoryAnswer {
  series: { series: string; points: number }[];
  history: History | null;
}

const SCHEMA = 'tb_perfcompare.history/1';

/** The series there are, and the history of one: the first where none is named. */
export async function fetchHistory(series: string): Promise<HistoryAnswer> {
  const ask = async (name: string): Promise<HistoryAnswer> =>
    checked(JSON.parse(await fetchText(apiUrl('history', new URLSearchParams(name === '' ? {} : { series: name })))), SCHEMA) as unknown as HistoryAnswer;
  const found = await ask(series);
  const first = found.series[0]?.series;
  return found.history === null && first !== undefined ? ask(first) : found;
}
