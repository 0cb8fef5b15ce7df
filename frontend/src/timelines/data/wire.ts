// The picture of one step as api/step gives it, and as columns to draw.

/** Columns of one row; differences are undone by `rowOf`. */
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

export interface ChosenStep {
  worker: string;
  span: string;
  label: string;
  total_ns: number;
  reason: string;
}

export interface Differences {
  name: string[];
  kind: number[];
  baseline_calls: (number | null)[];
  baseline_ns: (number | null)[];
  baseline_event: (number | null)[];
  candidate_calls: (number | null)[];
  candidate_ns: (number | null)[];
  candidate_event: (number | null)[];
}

/** What differs by name between two steps, or in an area of them. */
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
  lanes: Lane[];
  rows: WireRow[];
  left_out: [string, number][];
}

/** The marks of one row, by start; a mark is an event, or a run of events too short to be seen. Times from the step's zero. */
export interface Row {
  row: number;
  count: number;
  start: Float64Array;
  end: Float64Array;
  /** place in Picture.names, of a run that of its longest event */
  name: Int32Array;
  /** number of the event, of a run that of its first; null where every mark is one event: then `first` + place */
  event: Int32Array | null;
  first: number;
  events: Int32Array | null;
  total: Float64Array | null;
  /** number of the counterpart on the other side, -1 without one or for runs; null where no other step was asked for */
  match: Int32Array | null;
  /** candidate minus baseline */
  change: Float64Array | null;
  /** events without a counterpart in the mark */
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
  /** by number of the row; undefined for rows without marks */
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

/** Distinct numbers from differences; 0 is "none". */
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

/** Where an event is drawn: alone, or in a run; null outside what this picture shows. */
export function markOf(picture: Picture, event: number): { row: Row; mark: number } | null {
  for (const row of picture.rows) {
    if (!row || event < row.first || row.count === 0) continue;
    const last = row.count - 1;
    if (event >= eventOf(row, last) + eventsIn(row, last)) continue;
    if (!row.event) return { row, mark: event - row.first };
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (row.event[middle]! <= event) low = middle;
      else high = middle - 1;
    }
    return { row, mark: low };
  }
  return null;
}
