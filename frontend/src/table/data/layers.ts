// Merges the layers of a network: modules whose names or paths differ only in numbers become one row, with what runs in them.

import { columnAt, roleAt, type Cell, type Column, type Table } from '../../contract/wire';
import { formatCount } from '../../ui/format';
import { isCut } from './rows';

const NUMBER = /_\d+(?=\/|$)/g;
const MODULE = 'module';
const TIMES = ' × ';

/** Indexes of the columns that identify a row, -1 for absent ones: the module's name; its kernel in a table of a module's
 *  kernels; in the call tree the enclosing frames, depth and kind. */
interface Places {
  name: number;
  kernel: number;
  below: number;
  depth: number;
  kind: number;
  part: number;
  status: number;
  /** indexes of A's and B's main time */
  times: number[];
}

const KERNELS = 'kernels_by_module';
const LAYERED = ['modules', 'modules_ledger', 'call_tree', KERNELS];

/** Column indexes of a table of modules, of their kernels or of the call tree; null for other tables. */
function placesOf(id: string, table: Table): Places | null {
  if (!LAYERED.includes(id)) return null;
  const at = (name: string): number => columnAt(table, name);
  const [status, key] = [roleAt(table, 'status'), roleAt(table, 'key')];
  const [name, kernel] = id === KERNELS ? [at(MODULE), key] : [key, -1];
  return { name, kernel, below: at('below'), depth: at('depth'), kind: at('kind'), part: at('category'), status, times: [at('baseline_us'), at('candidate_us')] };
}

function isModule(at: Places, cells: Cell[]): boolean {
  return at.kind < 0 || cells[at.kind] === MODULE;
}

/** Whether any modules differ only in their numbers; for a call tree with rows not fetched, whether there may be such modules. */
export function hasLayers(id: string, table: Table): boolean {
  const at = placesOf(id, table);
  if (at === null) return false;
  if (at.depth >= 0 && isCut(table)) return table.rows.some((cells) => isModule(at, cells));
  const seen = new Map<string, string>();
  return table.rows.some((cells) => {
    const name = String(cells[at.name]);
    const plain = name.replace(NUMBER, '');
    if (!isModule(at, cells) || plain === name) return false;
    const before = seen.get(plain);
    seen.set(plain, name);
    return before !== undefined && before !== name;
  });
}

/** Merges the table's layers; in the call tree, layers below the same frame, and equally named frames within them. Needs all rows. */
export function mergeLayers(id: string, table: Table): Table {
  const at = placesOf(id, table);
  if (at === null) return table;
  const { rows } = table;
  const below: number[][] = rows.map(() => []);
  const roots: number[] = [];
  const open: number[] = [];
  rows.forEach((cells, row) => {
    const depth = at.depth < 0 ? 0 : Number(cells[at.depth]);
    open.length = Math.min(open.length, depth);
    (open.length > 0 ? below[open[open.length - 1]!]! : roots).push(row);
    if (at.depth >= 0) open.push(row);
  });
  const out: Cell[][] = [];
  const walk = (siblings: number[], around: string[]): void => {
    const groups = new Map<string, number[]>();
    for (const row of siblings) {
      const key = keyOf(at, rows[row]!);
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    for (const group of groups.values()) {
      const cells = together(table.columns, at, group.map((row) => rows[row]!));
      if (at.below >= 0) cells[at.below] = around.join(' / ');
      out.push(cells);
      walk(group.flatMap((row) => below[row]!), [...around, String(cells[at.name])]);
    }
  };
  walk(roots, []);
  const { total_rows: _, ...head } = table;
  return { ...head, rows: out, per_step: false, callers: false };
}

/** Whether a row's key or path contains merged layers. */
export function isMerged(key: string): boolean {
  return key.includes(TIMES);
}

function keyOf(at: Places, cells: Cell[]): string {
  const name = String(cells[at.name]);
  return JSON.stringify([isModule(at, cells) ? name.replace(NUMBER, '') : name, cells[at.kernel] ?? '', cells[at.kind] ?? '', cells[at.part] ?? '']);
}

function together(columns: Column[], at: Places, group: Cell[][]): Cell[] {
  const [first] = group as [Cell[]];
  if (group.length === 1) return [...first];
  const cells = columns.map((column, index) => (index === at.depth ? first[index]! : adds(column) ? added(group, index) : same(group, index)));
  if (isModule(at, first)) {
    const name = commonName(group.map((row) => String(row[at.name])));
    // a side has the module if it has a time: pictures fetch no status
    const [a, b] = at.times.map((place) => group.filter((row) => typeof row[place] === 'number').length) as [number, number];
    cells[at.name] = `${a === b || a === 0 || b === 0 ? formatCount(Math.max(a, b)) : `${formatCount(a)} → ${formatCount(b)}`}${TIMES}${name}`;
  }
  const states = new Set(group.map((row) => row[at.status]));
  if (at.status >= 0) cells[at.status] = states.size === 1 ? first[at.status]! : 'both';
  return cells;
}

/** Drops the numbers that differ: `Net_0/Block_3/Linear_1` and `Net_0/Block_4/Linear_1` give `Net_0/Block/Linear_1`. */
function commonName(names: string[]): string {
  const parts = names.map((name) => name.split('/'));
  return parts[0]!.map((part, depth) => (parts.every((one) => one[depth] === part) ? part : part.replace(NUMBER, ''))).join('/');
}

/** Whether a column adds up over rows: times, calls, work and shares do; tests, rates and means do not. */
function adds({ kind, measure, statistic, unit }: Column): boolean {
  if (statistic === 'share' || statistic.endsWith('_effect')) return true;
  if (!['value', 'delta'].includes(statistic) || measure === 'mean') return false;
  return kind === 'time_us' || kind === 'count' || (kind === 'fraction' && measure === 'share') || unit === 'FLOP';
}

function added(group: Cell[][], index: number): Cell {
  const numbers = group.map((row) => row[index]).filter((cell) => typeof cell === 'number');
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0);
}

function same(group: Cell[][], index: number): Cell {
  const value = group[0]![index] ?? null;
  return group.every((row) => row[index] === value) ? value : null;
}
