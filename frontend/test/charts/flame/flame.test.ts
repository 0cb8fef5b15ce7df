import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { around, changeOf, childrenOf, COLUMNS, frameAt, layout, LEVELS, levelOf, moved, oneSided, pathOf, placeOf, readOptions, search, treeOf, DEFAULT_OPTIONS, weightOf, writeOptions, type FlameOptions } from '../../../src/charts/flame/flame';
import { markedChange } from '../../../src/charts/flame/parts';
import type { Cell, Table } from '../../../src/contract/wire';
import { PLAIN, column } from '../../samples';

type Row = [frame: string, depth: number, kind: string, a: number | null, b: number | null, merged?: number];

/** Shares are of the first row; own time is what the frames below leave. */
function table(rows: Row[]): Table {
  const cells = rows.map(([frame, depth, kind, a, b, merged = 0], at): Record<string, Cell> => {
    const below = rows.slice(at + 1).findIndex((row) => row[1] <= depth);
    const inside = rows.slice(at + 1, below < 0 ? undefined : at + 1 + below).filter((row) => row[1] === depth + 1);
    const own = (value: number | null, side: 3 | 4): number | null => (value === null ? null : value - inside.reduce((sum, row) => sum + (row[side] ?? 0), 0));
    return {
      frame, depth, kind, category: 'Kernel', merged, baseline_us: a, candidate_us: b, delta_us: (b ?? 0) - (a ?? 0),
      baseline_share: a === null ? null : a / rows[0]![3]!, candidate_share: b === null ? null : b / rows[0]![4]!,
      baseline_own_us: own(a, 3), candidate_own_us: own(b, 4), own_delta_us: (own(b, 4) ?? 0) - (own(a, 3) ?? 0), baseline_calls: 1, candidate_calls: 2,
    };
  });
  return { ...PLAIN, title: 'Call tree', columns: COLUMNS.map((name) => column(name, 'plain', 'number')), rows: cells.map((row) => COLUMNS.map((name) => row[name] ?? null)), notes: [] };
}

const rows: Row[] = [
  ['step', 0, 'step', 100, 140],
  ['Net_0', 1, 'module', 60, 100],
  ['conv', 2, 'operator', 40, 40],
  ['gemm', 3, 'device work', 30, null],
  ['wgrad', 3, 'device work', null, 36],
  ['Net_0 / head', 2, 'operator', 10, 50],
  ['(smaller frames)', 2, 'smaller frames', 6, 6, 3],
  ['loader', 1, 'operator', 30, 40],
];
const tree = treeOf(table(rows))!;
const options = (part: Partial<FlameOptions> = {}): FlameOptions => ({ ...DEFAULT_OPTIONS, ...part });
const names = (frames: number[]): string[] => frames.map((frame) => tree.name[frame]!);

describe('the call tree', () => {
  it('knows from the order of the rows which frame holds which', () => {
    expect([...tree.parent]).toEqual([-1, 0, 1, 2, 2, 1, 1, 0]);
    expect([...tree.end]).toEqual([8, 7, 5, 4, 5, 6, 7, 8]);
    expect(names(around(tree, 3))).toEqual(['step', 'Net_0', 'conv', 'gemm']);
  });
  it('is none without its columns or rows', () => {
    expect(treeOf(table([]))).toBeNull();
    expect(treeOf({ ...table(rows), columns: table(rows).columns.slice(1) })).toBeNull();
  });
  it('is as wide as the mean of both runs, or as one of them', () => {
    expect(weightOf(tree, 1, options())).toBe(80);
    expect(weightOf(tree, 3, options())).toBe(15);
    expect(weightOf(tree, 3, options({ width: 'b' }))).toBe(0);
    expect(weightOf(tree, 1, options({ width: 'a', measure: 'share' }))).toBeCloseTo(0.6);
  });
  it('has widths that add up: own time and the frames below are the frame', () => {
    for (const width of ['both', 'a', 'b'] as const)
      for (let frame = 0; frame < tree.count; frame += 1) {
        const own = [tree.own[0][frame], tree.own[1][frame]].map((us) => (Number.isNaN(us!) ? 0 : us!));
        const mine = width === 'a' ? own[0]! : width === 'b' ? own[1]! : (own[0]! + own[1]!) / 2;
        const below = childrenOf(tree, frame, options({ width })).reduce((sum, one) => sum + weightOf(tree, one, options({ width })), 0);
        expect(below + mine).toBeCloseTo(weightOf(tree, frame, options({ width })));
      }
  });
  it('puts the widest first, the small ones together last, or all as they ran', () => {
    expect(names(childrenOf(tree, 1, options()))).toEqual(['conv', 'Net_0 / head', '(smaller frames)']);
    expect(names(childrenOf(tree, 1, options({ width: 'b' })))).toEqual(['Net_0 / head', 'conv', '(smaller frames)']);
    expect(names(childrenOf(tree, 1, options({ width: 'b', order: 'run' })))).toEqual(['conv', 'Net_0 / head', '(smaller frames)']);
  });
});

describe('the change of a frame', () => {
  it('is told as a part of the larger side, so that new and gone are all of it', () => {
    expect(changeOf(tree, 1, 'time')).toEqual({ delta: 40, ratio: 0.4 });
    expect(changeOf(tree, 4, 'time')).toEqual({ delta: 36, ratio: 1 });
    expect(changeOf(tree, 3, 'time').ratio).toBe(-1);
  });
  it('of shares is what grew more than the rest', () => {
    expect(changeOf(tree, 7, 'share').delta).toBeCloseTo(40 / 140 - 0.3);
    expect(changeOf(tree, 7, 'time').delta).toBe(10);
  });
  it('is written with an arrow that its sign agrees with, in time and in shares', () => {
    expect([1, 4, 3].map((frame) => markedChange(tree, frame, options()))).toEqual(['▲ +40.0\u202fµs', '▲ +36.0\u202fµs', '▼ −30.0\u202fµs']);
    // 30 of 100 against 40 of 140: longer, and a smaller share
    expect(markedChange(tree, 7, options())).toBe('▲ +10.0\u202fµs');
    expect(markedChange(tree, 7, options({ measure: 'share' }))).toBe('▼ −1.43\u202fpp');
  });
  it('has a color by its size and sign', () => {
    expect([0, 0.01, -0.01, 0.02, -0.06, 0.2, 1, -1].map(levelOf)).toEqual([0, 0, 0, 1, -2, 3, 4, -4]);
  });
  it('is summed for what only one side has, each instant once', () => {
    expect(oneSided(tree, 'added')).toEqual({ count: 1, us: 36 });
    expect(oneSided(tree, 'removed')).toEqual({ count: 1, us: 30 });
  });
});

describe('the picture', () => {
  const places = (zoom: number, over: Partial<FlameOptions> = {}, least = 0): string[] =>
    layout(tree, zoom, options(over), least).flat().map(({ frame, row, from, to }) => `${row} ${tree.name[frame]} ${from.toFixed(3)} ${to.toFixed(3)}`);
  it('lies row by row below the whole', () => {
    expect(places(0).slice(0, 3)).toEqual(['0 step 0.000 1.000', '1 Net_0 0.000 0.667', '1 loader 0.667 0.958']);
  });
  it('fills its width with the frame shown alone, those around it above', () => {
    expect(places(2, { width: 'b' })).toEqual(['0 step 0.000 1.000', '1 Net_0 0.000 1.000', '2 conv 0.000 1.000', '3 wgrad 0.000 0.900', '3 gemm 0.900 0.900']);
  });
  it('leaves out what is too narrow, with all in it', () => {
    expect(places(0, {}, 0.2).map((place) => place.split(' ')[1])).toEqual(['step', 'Net_0', 'loader', 'conv', 'Net_0']);
    expect(layout(tree, 4, options({ width: 'a' }), 0.01).flat().length).toBe(4);
  });
  it('is walked by keys', () => {
    const drawn = layout(tree, 0, options(), 0);
    const go = (from: number, key: string): string | null => {
      const next = moved(drawn, tree, from, key);
      return next === null ? null : tree.name[next]!;
    };
    expect([go(0, 'ArrowDown'), go(1, 'ArrowRight'), go(7, 'ArrowLeft'), go(2, 'ArrowDown'), go(2, 'ArrowUp'), go(4, 'Home')]).toEqual(['Net_0', 'loader', 'Net_0', 'wgrad', 'Net_0', 'step']);
    expect([go(0, 'ArrowUp'), go(7, 'ArrowRight'), go(3, 'ArrowDown'), go(0, 'x')]).toEqual([null, null, null, null]);
  });
});

describe('links', () => {
  it('name a frame by its path, whatever the names hold', () => {
    for (let frame = 0; frame < tree.count; frame += 1) expect(frameAt(tree, placeOf(tree, frame))).toBe(frame);
    expect(placeOf(tree, 3)).toBe('Net_0 / conv / gemm');
    expect(pathOf(tree, 3)).toBe('step / Net_0 / conv');
    expect(pathOf(tree, 0)).toBe('');
  });
  it('lead to the innermost frame that is there', () => {
    expect(tree.name[frameAt(tree, 'Net_0 / conv / gone / deeper')]).toBe('conv');
    expect(frameAt(tree, 'nowhere')).toBe(0);
  });
  it('hold what is chosen and leave out what is usual', () => {
    for (const text of ['', 'b', 'share', 'run', 'a,share,run']) expect(writeOptions(readOptions(text))).toBe(text);
    expect(readOptions('nonsense,share')).toEqual({ width: 'both', measure: 'share', order: 'size' });
  });
});

describe('a search', () => {
  const find = (word: string) => search(tree, (_, name) => name.includes(word));
  it('finds frames by name or kind and adds their time once', () => {
    expect(names([...find('Net_0').frames])).toEqual(['Net_0', 'Net_0 / head']);
    expect(find('Net_0').us).toEqual([60, 100]);
    expect(find('device work')).toMatchObject({ us: [30, 36], delta: 6 });
  });
  it('says nothing of a side that has none of them', () => {
    expect(find('gemm')).toMatchObject({ us: [30, NaN], delta: -30 });
    expect(find('x')).toMatchObject({ us: [NaN, NaN], delta: 0 });
  });
});

describe('the colors', () => {
  const read = (name: string): string => readFileSync(`src/${name}`, 'utf8');
  const colors = (css: string, theme: 'light' | 'dark'): Map<string, string> =>
    new Map([...css.matchAll(/(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g)].map((found) => [found[1]!, found[theme === 'light' ? 2 : 3]!]));
  const light = (color: string): number => {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  };
  it.each(['light', 'dark'] as const)('keep names readable in the %s theme', (theme) => {
    const ink = light(colors(read('ui/theme.css'), theme).get('--ink')!);
    const fills = colors(read('charts/flame/flame.css'), theme);
    expect(fills.size).toBe(2 * LEVELS.length + 1);
    for (const [name, fill] of fills) {
      const [low, high] = [ink, light(fill)].sort((a, b) => a - b) as [number, number];
      expect((high + 0.05) / (low + 0.05), name).toBeGreaterThan(4.5);
    }
  });
});
