// Prepares the call paths of a row for drawing: figures and labels.

import type { CallPath, Figures, RowPaths, PathSplit } from '../contract/sent';
import { shortOf, type ShortNames } from '../ui/names';

/** Values of baseline and candidate; null if the side has no such path. */
export type Pair = Figures['calls'];
type PathFrame = RowPaths['frames'][number];

/** Values per step of both sides (times in microseconds) and their difference, in which an absent side counts as 0. */
export interface Difference {
  a: number | null;
  b: number | null;
  delta: number;
}

export function differenceOf(pair: Pair | undefined, denominator: number, unit: number): Difference {
  const [a, b] = (pair ?? [null, null]).map((value) => (value === null ? null : value / denominator / unit)) as [number | null, number | null];
  return { a, b, delta: ((pair?.[1] ?? 0) - (pair?.[0] ?? 0)) / denominator / unit };
}

export interface FrameText {
  /** the name to show, and in little space */
  text: string;
  short: string;
  /** file name and line of a Python function, `module.py:1130`; "" for other frames */
  place: string;
  /** the name as recorded */
  full: string;
  kind: string;
  table: string;
}

const FUNCTION = /^(.*?)([^/\\]+)\((\d+)\): (.*)$/;

/** Splits `a/b/module.py(1130): forward` into the function and its place. */
export function frameText([kind, name, table]: PathFrame, names?: ShortNames): FrameText {
  const found = kind === 'python' ? FUNCTION.exec(name) : null;
  const plain = (text: string): string => found?.[4] ?? text.replace(/^nn\.Module: /, '');
  return { text: plain(name), short: plain(shortOf(names, name)), place: found ? `${found[2]}:${found[3]}` : '', full: name, kind, table };
}

/** Frames of Python itself and of torch, which do not show where in the reader's program a call came from. */
const MACHINERY = /^<built-in |(^|[/\\])torch[/\\]|^runpy\.py|importlib|(^|[/\\])(contextlib|threading|_bootstrap)\w*\.py/;

/** The innermost `most` frames outside Python's and torch's own code; if there are none, the innermost of all. */
export function informativeFrames(frames: FrameText[], most = 2): FrameText[] {
  const own = frames.filter(({ full, kind }) => kind !== 'python' || !MACHINERY.test(full));
  return (own.length > 0 ? own : frames).slice(-most);
}

/** The frames in each path's label: its informative frames and, if other paths have the same label, the innermost frame that
 *  differs between them. */
export function labels(paths: FrameText[][]): FrameText[][] {
  const short = paths.map((frames) => informativeFrames(frames));
  const alike = new Map<string, number[]>();
  short.forEach((frames, at) => {
    const key = frames.map(({ text, place }) => `${text} ${place}`).join('\n');
    alike.set(key, [...(alike.get(key) ?? []), at]);
  });
  for (const group of alike.values()) {
    if (group.length < 2) continue;
    const longest = Math.max(...group.map((at) => paths[at]!.length));
    for (let back = 1; back <= longest; back += 1) {
      const names = group.map((at) => paths[at]!.at(-back)?.full ?? '');
      if (new Set(names).size === 1) continue;
      group.forEach((at) => {
        const frame = paths[at]!.at(-back);
        if (frame && !short[at]!.includes(frame)) short[at] = [frame, ...short[at]!];
      });
      break;
    }
  }
  return short;
}

/** A path ready to be drawn. */
export interface DrawnPath {
  key: string;
  frames: FrameText[];
  label: FrameText[];
  /** frame index -> place (or name) of the candidate's frame, if it differs from the baseline's */
  others: Map<number, string>;
  time: Difference;
  calls: Difference;
}

export function drawn(found: RowPaths, way: PathSplit, measure: string): { paths: DrawnPath[]; rest: { paths: number; time: Difference; calls: Difference } | null } {
  const figures = (of: Figures) => ({ time: differenceOf(of.times[measure], found.denominator, 1000), calls: differenceOf(of.calls, found.denominator, 1) });
  const frames = (numbers: number[]): FrameText[] => numbers.map((number) => frameText(found.frames[number]!, found.short_names));
  const paths = way.paths.map((path: CallPath, index) => {
    const here = frames(path.frames);
    const there = path.candidate_frames ? frames(path.candidate_frames) : [];
    const others = new Map(there.flatMap((frame, at) => (frame.full === here[at]?.full ? [] : [[at, frame.place || frame.full] as [number, string]])));
    return { key: `${index} ${path.frames.join(',')}`, frames: here, label: here, others, ...figures(path) };
  });
  labels(paths.map((path) => path.frames)).forEach((label, at) => (paths[at]!.label = label));
  paths.sort((one, other) => Math.abs(other.time.delta) - Math.abs(one.time.delta));
  const rest = figures(way.rest);
  const some = way.rest.paths > 0 || [rest.time, rest.calls].some(({ a, b }) => (a ?? 0) !== 0 || (b ?? 0) !== 0);
  return { paths, rest: some ? { paths: way.rest.paths, ...rest } : null };
}
