// Picture of one step: its marks as api/step sends them, and decoded into columns to draw.

import { firstIndex } from '../../charts/time_range';

/** Columns of one row, delta-encoded; `rowOf` decodes them. */
export interface WireRow {
  row: number;
  first: number;
  gap: number[];
  dur: number[];
  name: number[];
  merged?: { at: number[]; count: number[]; total: number[]; alone?: number[] };
  match?: number[];
  change?: number[];
  hits?: number[];
}

export interface Lane {
  key: string;
  kind: string;
  name: string;
  first: number;
  rows: number;
  events: number;
  busy_ns: number;
}

interface ChosenStep {
  worker: string;
  span: string;
  label: string;
  total_ns: number;
  reason: string;
}

export interface Differences {
  name: string[];
  short_name: string[];
  kind: number[];
  baseline_calls: (number | null)[];
  baseline_ns: (number | null)[];
  baseline_event: (number | null)[];
  candidate_calls: (number | null)[];
  candidate_ns: (number | null)[];
  candidate_event: (number | null)[];
}

/** Differences by name between two steps or parts of them. */
export interface Compared {
  kinds: string[];
  differences?: Differences;
  differences_left_out?: { names: number; delta_ns: number };
}

export interface WireStep extends Compared {
  schema: string;
  absent: string;
  step: ChosenStep;
  steps?: { worker: string[]; span: string[]; label: string[]; total_ns: number[]; reason: string[]; drawable: boolean[] };
  steps_left_out?: number;
  other: { label: string; matched: number; renamed: number; alone: number } | null;
  hits: { events: number; total_ns: number } | null;
  total_ns: number;
  extent: [number, number];
  from: number;
  to: number;
  cell_ns: number;
  complete: boolean;
  events: number;
  names: [name: string, kind: number, key?: string][];
  /** in the order of `names` */
  short_names: string[];
  lanes: Lane[];
  rows: WireRow[];
  left_out: [string, number][];
}

/** Marks of one row, sorted by start. A mark is an event, or a run of events too short to be drawn. Times start at
 *  the step's zero. */
export interface Row {
  row: number;
  count: number;
  start: Float64Array;
  end: Float64Array;
  /** index in Picture.names; for a run, that of its longest event */
  name: Int32Array;
  /** event number; for a run, that of its first event. Null if every mark is one event: then `first` + index */
  event: Int32Array | null;
  first: number;
  events: Int32Array | null;
  total: Float64Array | null;
  /** event number of the counterpart on the other side, -1 without one or for runs; null if no other step was
   *  requested */
  match: Int32Array | null;
  /** candidate minus baseline in nanoseconds */
  change: Float64Array | null;
  /** number of the mark's events without a counterpart */
  alone: Int32Array | null;
  hits: Int32Array | null;
}

export interface Name {
  text: string;
  kind: number;
  key: string;
}

export interface Picture {
  wire: WireStep;
  names: Name[];
  /** by row number; undefined for rows without marks */
  rows: (Row | undefined)[];
}

export function pictureOf(wire: WireStep): Picture {
  const rows: (Row | undefined)[] = [];
  for (const row of wire.rows) rows[row.row] = rowOf(row, wire.from);
  return { wire, names: wire.names.map(([text, kind, key]) => ({ text, kind, key: key ?? text })), rows };
}

export function rowOf(wire: WireRow, from: number): Row {
  const count = wire.gap.length;
  const start = new Float64Array(count);
  const end = new Float64Array(count);
  let at = from;
  for (let mark = 0; mark < count; mark += 1) {
    start[mark] = at + wire.gap[mark]!;
    at = end[mark] = start[mark]! + wire.dur[mark]!;
  }
  const row: Row = {
    row: wire.row,
    count,
    start,
    end,
    name: Int32Array.from(wire.name),
    event: null,
    first: wire.first,
    events: null,
    total: null,
    match: wire.match ? matches(wire.match) : null,
    change: wire.change ? Float64Array.from(wire.change) : null,
    alone: null,
    hits: wire.hits && wire.hits.length > 0 ? Int32Array.from(wire.hits) : null,
  };
  if (row.match) row.alone = Int32Array.from(row.match, (other) => (other < 0 ? 1 : 0));
  const { merged } = wire;
  if (merged) {
    const events = (row.events = new Int32Array(count).fill(1));
    const total = (row.total = end.map((value, mark) => value - start[mark]!));
    merged.at.forEach((mark, place) => {
      events[mark] = merged.count[place]!;
      total[mark] = merged.total[place]!;
      if (row.alone && merged.alone) row.alone[mark] = merged.alone[place]!;
    });
    row.event = new Int32Array(count);
    for (let mark = 0, number = wire.first; mark < count; mark += 1) {
      row.event[mark] = number;
      number += events[mark]!;
    }
  }
  return row;
}

/** Decodes delta-encoded event numbers. Numbers are distinct, so a delta of 0 means none and decodes to -1. */
function matches(differences: number[]): Int32Array {
  const found = new Int32Array(differences.length);
  let last = 0;
  differences.forEach((step, place) => {
    if (step !== 0) last += step;
    found[place] = step === 0 ? -1 : last - 1;
  });
  return found;
}

export function eventOf(row: Row, mark: number): number {
  return row.event ? row.event[mark]! : row.first + mark;
}

export function eventsIn(row: Row, mark: number): number {
  return row.events ? row.events[mark]! : 1;
}

export function totalOf(row: Row, mark: number): number {
  return row.total ? row.total[mark]! : row.end[mark]! - row.start[mark]!;
}

/** Mark that shows an event, alone or as part of a run; null if the picture does not cover it. */
export function markOf(picture: Picture, event: number): { row: Row; mark: number } | null {
  for (const row of picture.rows) {
    if (!row || event < row.first || row.count === 0) continue;
    const last = row.count - 1;
    if (event >= eventOf(row, last) + eventsIn(row, last)) continue;
    if (!row.event) return { row, mark: event - row.first };
    return { row, mark: firstIndex(row.count, (mark) => row.event![mark]! > event) - 1 };
  }
  return null;
}
