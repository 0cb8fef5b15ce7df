// Pairs compared in this browser, by log directory. If the browser refuses storage, there are none.

import type { Pair, RunsAnswer, Side } from '../contract/wire';
import { findRun, sameSide } from './selection';

const KEY = 'tb_perfcompare.recent';
const KEPT = 24;
const SHOWN = 5;

interface Compared {
  roots: string;
  a: Side;
  b: Side;
}

function isSide(value: unknown): value is Side {
  const side = value as Partial<Side> | null;
  return typeof side === 'object' && side !== null && typeof side.run === 'string' && [side.worker, side.span].every((part) => part === null || typeof part === 'string');
}

function read(): Compared[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    if (!Array.isArray(found)) return [];
    return (found as Partial<Compared>[]).filter((one): one is Compared => typeof one?.roots === 'string' && isSide(one.a) && isSide(one.b));
  } catch {
    return []; // storage refused, or not written by this page
  }
}

/** Stores a pair; call it once its comparison has arrived. */
export function remember(answer: RunsAnswer, a: Side, b: Side): void {
  const roots = answer.roots.join('\n');
  const others = read().filter((one) => one.roots !== roots || !sameSide(one.a, a) || !sameSide(one.b, b));
  try {
    localStorage.setItem(KEY, JSON.stringify([{ roots, a, b }, ...others].slice(0, KEPT)));
  } catch {
    // storage refused or full
  }
}

/** The latest pairs of this log directory, except the one on screen and those with missing runs. */
export function recentPairs(answer: RunsAnswer, a: Side | null, b: Side | null): Pair[] {
  const roots = answer.roots.join('\n');
  return read()
    .filter((one) => one.roots === roots && findRun(answer, one.a.run) && findRun(answer, one.b.run) && !(sameSide(one.a, a) && sameSide(one.b, b)))
    .slice(0, SHOWN)
    .map((one) => ({ baseline: one.a, candidate: one.b, reason: '' }));
}
