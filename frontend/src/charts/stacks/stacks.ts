// Breakdown of every step of both runs, as columns to draw.

import { columnAt, type Table } from '../../contract/wire';
import { stepTimes, type StepTime } from '../../table/data/rows';

/** Parts of a step by precedence: time covered by several belongs to the first. Table columns are named after them. */
export const PARTS = ['kernel', 'memcpy', 'memset', 'communication', 'runtime', 'dataloader', 'cpu_exec', 'other'] as const;

export const COLUMNS = ['side', 'capture', 'step', 'total_us', 'admitted', 'reason', 'backlog_us', ...PARTS.map((part) => `${part}_us`)];

/** A step. Its parts are NaN if it is not compared. */
export interface Stack extends StepTime {
  parts: Float64Array;
}

/** Whether the table breaks down its steps. */
export function hasParts(table: Table): boolean {
  return PARTS.every((part) => table.columns.some((column) => column.name === `${part}_us`));
}

/** Labels of the parts from the server. */
export function labelsOf(table: Table): string[] {
  return PARTS.map((part) => table.columns.find((column) => column.name === `${part}_us`)?.label ?? part);
}

/** Steps of both sides, capture by capture in the order they ran, including steps not compared. */
export function stacksOf(table: Table): { a: Stack[]; b: Stack[] } {
  const parts = PARTS.map((part) => columnAt(table, `${part}_us`));
  const stacks = stepTimes(table).map((step): Stack => {
    const cells = table.rows[step.row]!;
    return { ...step, parts: Float64Array.from(parts, (index) => (typeof cells[index] === 'number' ? cells[index] : NaN)) };
  });
  return { a: inOrder(stacks.filter(({ side }) => side === 'a')), b: inOrder(stacks.filter(({ side }) => side === 'b')) };
}

const NUMBERS = /^(\d+)(?: \((\d+)\))?$/;

/** Sorts steps as they ran; the table lists the steps not compared last. */
function inOrder(stacks: Stack[]): Stack[] {
  const captures = [...new Set(stacks.map((stack) => stack.capture))];
  const key = (stack: Stack): [number, number, number] => {
    const found = NUMBERS.exec(stack.step);
    return [captures.indexOf(stack.capture), Number(found?.[2] ?? 1), found ? Number(found[1]) : Infinity];
  };
  const keys = new Map(stacks.map((stack) => [stack, key(stack)]));
  // equal keys, Infinity too, keep their order
  return [...stacks].sort((one, other) => keys.get(one)!.reduce((order, part, at) => order || Math.sign(part - keys.get(other)![at]!) || 0, 0));
}

/** A column: one step, or the mean of several if columns would be too narrow. */
export interface Bar {
  first: number;
  /** number of steps in it */
  count: number;
  us: number;
  parts: Float64Array;
  backlog: number;
  admitted: boolean;
}

/** Combines `each` steps per column; parts are means over its compared steps. */
export function barsOf(stacks: Stack[], each: number): Bar[] {
  const bars: Bar[] = [];
  for (let first = 0; first < stacks.length; first += each) {
    const some = stacks.slice(first, first + each);
    const compared = some.filter((stack) => stack.admitted);
    const mean = (values: number[]): number => (values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : NaN);
    bars.push({
      first,
      count: some.length,
      us: mean((compared.length > 0 ? compared : some).map((stack) => stack.us)),
      parts: Float64Array.from(PARTS, (_, part) => mean(compared.map((stack) => stack.parts[part]!))),
      backlog: mean(compared.map((stack) => stack.backlog)),
      admitted: compared.length > 0,
    });
  }
  return bars;
}

/** Number of steps per column that makes columns at least `least` pixels wide. */
export function stepsPerBar(steps: number, width: number, least: number): number {
  return Math.max(1, Math.ceil((steps * least) / Math.max(1, width)));
}

/** Top of the axis: fits all compared steps; other steps may exceed it. */
export function topOf(stacks: Stack[]): number {
  const times = stacks.filter((stack) => stack.admitted).map((stack) => stack.us);
  return Math.max(1e-3, ...(times.length > 0 ? times : stacks.map((stack) => stack.us))) * 1.04;
}

/** Start and end of a column's parts, in microseconds or as shares of the step; `only` selects one part, -1 all. */
export function segments(bar: Bar, share: boolean, only: number): { part: number; from: number; to: number }[] {
  const whole = share ? bar.us || 1 : 1;
  let from = 0;
  const found: { part: number; from: number; to: number }[] = [];
  bar.parts.forEach((us, part) => {
    if (Number.isNaN(us) || us === 0 || (only >= 0 && part !== only)) return;
    found.push({ part, from, to: from + us / whole });
    from += us / whole;
  });
  return found;
}

/** Short names that distinguish a side's captures, by full name `run/worker/span`; empty if there is only one. */
export function captureNames(stacks: Stack[]): Map<string, string> {
  const captures = [...new Set(stacks.map(({ capture }) => capture))];
  if (captures.length < 2) return new Map();
  const parts = captures.map((capture) => [capture.slice(0, capture.lastIndexOf('/')), capture.slice(capture.lastIndexOf('/') + 1)] as const);
  const [workers, spans] = [0, 1].map((at) => new Set(parts.map((part) => part[at])).size);
  return new Map(
    parts.map(([place, span], at) => {
      const worker = place.slice(place.lastIndexOf('/') + 1);
      return [captures[at]!, [workers! > 1 ? worker : '', spans! > 1 ? `span ${span}` : ''].filter(Boolean).join(', ')];
    }),
  );
}
