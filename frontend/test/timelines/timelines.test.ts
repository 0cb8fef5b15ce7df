import { describe, expect, it } from 'vitest';
import { readChoice, stepQuery, traceUrl, writeChoice } from '../../src/timelines/data/fetch';
import { isWhole, length, moved, placed, rangeAfterWheel, zoomed } from '../../src/charts/time_range';
import { around, firstEndingAfter, instant, markAt, rulerOf, unitOf } from '../../src/timelines/data/instants';
import { bestPicture, type SideState } from '../../src/timelines/data/use_pictures';
import { eventOf, eventsIn, markOf, pictureOf, rowOf, totalOf, type Lane, type WireRow, type WireStep } from '../../src/timelines/data/wire';
import { layoutOf, readFolds, rowAt as rowAtHeight, scrollFor, topOf, writeFolds } from '../../src/timelines/drawing/layout';
import { fitted } from '../../src/charts/canvas';
import { Pixels, type Scene } from '../../src/timelines/drawing/paint';
import { blend, inkOn, parse, pixel, type Palette } from '../../src/timelines/drawing/palette';
import { Drag, rangeShowing, rangeAfterKey } from '../../src/timelines/gestures';
import { commonRange, differencesOf, firstRange, nextDifference, readSelected, readRange, writeRange } from '../../src/timelines/state';

const THIN = '\u202f';

function lane(key: string, first: number, rows: number): Lane {
  return { key, kind: key.split('.')[0]!, name: key, first, rows, events: 1, busy_ns: 1 };
}

function wire(rows: WireRow[], part: Partial<WireStep> = {}): WireStep {
  return {
    schema: 'tb_perfcompare.step/1', absent: '', step: { worker: 'w', span: '1', label: '3', total_ns: 100, reason: '' }, other: null, hits: null,
    total_ns: 100, extent: [0, 100], from: 0, to: 100, cell_ns: 0, complete: true, events: 4, kinds: ['step', 'operator'], names: [['a', 1], ['b#2', 1, 'b']], short_names: ['a', 'b#2'],
    lanes: [lane('stream.0', 0, 1), lane('host.0', 1, 3)], rows, left_out: [], ...part,
  };
}

describe('differences', () => {
  const step = pictureOf(
    wire([], {
      differences: {
        name: ['slower', 'same', 'gone', 'new'], short_name: ['slower', 'same', 'gone', 'new'], kind: [1, 1, 1, 1],
        baseline_calls: [1, 1, 1, null], baseline_ns: [10, 5, 20, null], baseline_event: [3, 4, 5, null],
        candidate_calls: [1, 1, null, 1], candidate_ns: [50, 5, null, 8], candidate_event: [7, 8, null, 9],
      },
    }),
  );
  it('are those of names whose times differ, each at its event on the side that takes more', () => {
    expect(differencesOf(step.wire)).toEqual([
      { at: 0, delta_ns: 40, side: 'b', event: 7 },
      { at: 2, delta_ns: -20, side: 'a', event: 5 },
      { at: 3, delta_ns: 8, side: 'b', event: 9 },
    ]);
    expect(differencesOf(null)).toEqual([]);
  });
  it('follow each other round in a circle, from the largest on', () => {
    const all = differencesOf(step.wire);
    const from = (side: 'a' | 'b', event: number, by: 1 | -1): number => nextDifference(all, { side, event }, by)!.event;
    expect(nextDifference(all, null, 1)!.event).toBe(7);
    expect([from('b', 7, 1), from('a', 5, 1), from('b', 9, 1)]).toEqual([5, 9, 7]);
    expect([from('b', 7, -1), from('b', 5, -1)]).toEqual([9, 9]);
    expect(nextDifference([], null, 1)).toBe(null);
  });
});

describe('the first view', () => {
  const step = (total_ns: number, extent: [number, number]) => pictureOf(wire([], { total_ns, extent }));
  it('is the longer step with a little room, without what is outside', () => {
    const [a, b] = [step(1000, [-400, 1000]), step(2000, [-50, 3000])];
    expect(firstRange(commonRange(a, b), a, b)).toEqual({ from: -20, to: 2020 });
  });
  it('is all where hardly anything is outside', () => {
    const [a, b] = [step(1000, [-10, 1000]), step(1000, [0, 1005])];
    expect(firstRange(commonRange(a, b), a, b)).toEqual(commonRange(a, b));
  });
  it('follows a moved B, and waits for the steps', () => {
    const [a, b] = [step(1000, [-900, 1000]), step(1000, [-900, 1000])];
    expect(firstRange(commonRange(a, b, 500), a, b, 500)).toEqual({ from: -15, to: 1515 });
    expect(firstRange({ from: 0, to: 1 }, null, null)).toEqual({ from: 0, to: 1 });
  });
});

describe('columns of a row', () => {
  it('are differences that add up', () => {
    const row = rowOf({ row: 0, first: 7, gap: [5, 0, 10], dur: [10, 3, 2], name: [0, 1, 0] }, 100);
    expect([...row.start]).toEqual([105, 115, 128]);
    expect([...row.end]).toEqual([115, 118, 130]);
    expect([0, 1, 2].map((mark) => eventOf(row, mark))).toEqual([7, 8, 9]);
  });
  it('say which marks are runs and of how many events', () => {
    const row = rowOf({ row: 0, first: 7, gap: [0, 0, 0], dur: [10, 30, 2], name: [0, 0, 0], merged: { at: [1], count: [5], total: [12], alone: [2] }, match: [4, 0, 3], change: [1, -2, 0] }, 0);
    expect([0, 1, 2].map((mark) => [eventOf(row, mark), eventsIn(row, mark), totalOf(row, mark)])).toEqual([
      [7, 1, 10],
      [8, 5, 12],
      [13, 1, 2],
    ]);
    expect([...row.match!]).toEqual([3, -1, 6]);
    expect([...row.alone!]).toEqual([0, 2, 0]);
  });
  it('find an event by its number, in a run too', () => {
    const picture = pictureOf(
      wire([
        { row: 0, first: 0, gap: [0, 0], dur: [10, 10], name: [0, 0] },
        { row: 2, first: 2, gap: [0, 5], dur: [10, 10], name: [1, 1], merged: { at: [0], count: [3], total: [6] } },
      ]),
    );
    expect([0, 1, 2, 3, 4, 5, 6].map((event) => markOf(picture, event)?.mark ?? -1)).toEqual([0, 1, 0, 0, 0, 1, -1]);
    expect(picture.names[1]).toEqual({ text: 'b#2', kind: 1, key: 'b' });
  });
});

describe('what is in view', () => {
  const whole = { from: -100, to: 1_000_000 };
  it('zooms about an instant, which stays where it is, and not beyond the ends', () => {
    const near = zoomed(whole, whole, 250_000, 0.5);
    expect((250_000 - near.from) / length(near)).toBeCloseTo((250_000 + 100) / length(whole));
    expect(zoomed(whole, near, 250_000, 100)).toEqual(whole);
    expect(length(zoomed(whole, near, 250_000, 1e-12))).toBe(20);
    expect(isWhole(whole, near)).toBe(false);
  });
  it('moves up to the ends and keeps its length', () => {
    const range = { from: 0, to: 1000 };
    expect(moved(whole, range, -5000)).toEqual({ from: -100, to: 900 });
    expect(moved(whole, range, 1e9)).toEqual({ from: 999_000, to: 1_000_000 });
    expect(placed(whole, 500, 1e9)).toEqual(whole);
  });
  it('brings an event into view with as little change as that takes', () => {
    const range = { from: 0, to: 1000 };
    expect(rangeShowing(whole, range, 5000, 5100, 1000)).toEqual({ from: 4550, to: 5550 });
    expect(length(rangeShowing(whole, range, 0, 5000, 1000))).toBeGreaterThan(5000);
    const shown = rangeShowing(whole, range, 500, 501, 1000);
    expect((1 / length(shown)) * 1000).toBeCloseTo(24, 0);
    expect(rangeShowing(whole, range, 100, 300, 1000)).toBe(range);
    expect(around(whole, 100, 200)).toEqual({ from: 0, to: 300 });
  });
  it('finds marks at an instant, the nearest within reach', () => {
    const row = rowOf({ row: 0, first: 0, gap: [0, 10, 0], dur: [10, 0, 5], name: [0, 0, 0] }, 0);
    expect([5, 14, 17, 22, 24].map((at) => markAt(row, at, 3))).toEqual([0, -1, 1, 2, 2]);
    expect([-5, 5, 10, 30].map((at) => firstEndingAfter(row, at))).toEqual([0, 0, 1, 3]);
    expect(markAt(row, 12, 3)).toBe(0);
  });
  it('follows keys and the wheel', () => {
    const range = { from: 0, to: 1000 };
    expect(length(rangeAfterKey('w', whole, range, 500)!)).toBe(800);
    expect(length(rangeAfterKey('-', whole, range, 500)!)).toBe(1250);
    expect(rangeAfterKey('d', whole, range, 500)).toEqual({ from: 150, to: 1150 });
    expect(rangeAfterKey('Home', whole, moved(whole, range, 5000), 0)).toEqual({ from: -100, to: 900 });
    expect(rangeAfterKey('0', whole, range, 500)).toBe(whole);
    expect(rangeAfterKey('q', whole, range, 500)).toBeNull();
    const wheel = (part: Partial<WheelEvent>): WheelEvent => ({ deltaX: 0, deltaY: 0, deltaMode: 0, shiftKey: false, ctrlKey: false, ...part }) as WheelEvent;
    expect(length(rangeAfterWheel(wheel({ deltaY: -300 }), whole, range, 500, 1))).toBe(500);
    expect(rangeAfterWheel(wheel({ deltaY: 100, shiftKey: true }), whole, range, 500, 2)).toEqual({ from: 200, to: 1200 });
    expect(length(rangeAfterWheel(wheel({ deltaY: -60, ctrlKey: true }), whole, range, 500, 1))).toBe(500);
  });
  it('follows a finger, and two', () => {
    const drag = new Drag();
    const finger = (pointerId: number, clientX: number, clientY = 0): PointerEvent => ({ pointerId, clientX, clientY }) as PointerEvent;
    const range = { from: 0, to: 1000 };
    drag.down(finger(1, 100), range, 40);
    expect(drag.move(finger(1, 102), whole, 0, 1)).toBeNull();
    expect(drag.move(finger(1, 50, 10), whole, 0, 1)).toEqual({ range: { from: 50, to: 1050 }, scrollTop: 30 });
    drag.down(finger(2, 150, 10), range, 40);
    expect(length(drag.move(finger(2, 250, 10), whole, 0, 1)!.range)).toBe(500);
    drag.up(finger(2, 250, 10), range, 40);
    expect(drag.active).toBe(true);
  });
});

describe('the ruler', () => {
  it('has round instants in the unit that suits them', () => {
    expect(rulerOf({ from: 0, to: 7_400_000 }, 1000).ticks.slice(0, 3).map((tick) => tick.label)).toEqual([`0${THIN}ms`, `1${THIN}ms`, `2${THIN}ms`]);
    expect(rulerOf({ from: -500, to: 1500 }, 1000).ticks.map((tick) => tick.at)).toEqual([-500, 0, 500, 1000, 1500]);
    expect(unitOf(1.5e9)[1]).toBe('s');
    expect(instant(-2500, [1e3, 'µs'], 500)).toBe(`\u22122.5${THIN}µs`);
  });
  it('counts from a base where labels would be too long', () => {
    const ruler = rulerOf({ from: 60_000_123, to: 60_001_123 }, 1000);
    expect(ruler.baseLabel).toBe(`60.000${THIN}ms`);
    expect(ruler.ticks[0]!.label).toBe(`+200${THIN}ns`);
    expect(ruler.ticks[0]!.at).toBe(60_000_200);
  });
});

describe('lanes', () => {
  const lanes = [lane('stream.0', 0, 1), lane('host.0', 1, 3), lane('python.0', 4, 40)];
  it('stand below each other; Python functions begin folded and keep their rows', () => {
    const layout = layoutOf(lanes, new Set());
    expect(layout.boxes.map(({ top, height, folded }) => [top, height, folded])).toEqual([
      [4, 16, false],
      [26, 48, false],
      [80, 32, true],
    ]);
    expect(layout.top[43]! + layout.tall[43]!).toBeLessThanOrEqual(112.2);
    expect([0, 5, 25, 30, 80, 111, 300].map((y) => rowAtHeight(layout, y))).toEqual([-1, 0, -1, 1, 4, 42, -1]);
  });
  it('fold and open by their keys', () => {
    const turned = readFolds('host.0,python.0');
    const layout = layoutOf(lanes, turned);
    expect(layout.boxes.map(({ folded }) => folded)).toEqual([false, true, false]);
    expect(writeFolds(turned)).toBe('host.0,python.0');
  });
  it('that are pinned come first and stay where they are', () => {
    const layout = layoutOf(lanes, new Set(), new Set(['host.0']));
    expect(layout.boxes.map(({ lane: { key }, top, pinned }) => [key, top, pinned])).toEqual([
      ['host.0', 4, true],
      ['stream.0', 58, false],
      ['python.0', 80, false],
    ]);
    expect([5, 59, 80].map((y) => rowAtHeight(layout, y, 0))).toEqual([1, 0, 4]);
    expect([5, 59].map((y) => rowAtHeight(layout, y, 22))).toEqual([1, 5]);
    expect([1, 0].map((row) => topOf(layout, row, 22))).toEqual([4, 36]);
    expect(scrollFor(layout, 1, 22, 70)).toBe(22);
    expect(scrollFor(layout, 0, 22, 70)).toBeLessThan(22);
  });
  it('scroll only as far as a row needs', () => {
    const layout = layoutOf(lanes, new Set(['python.0']));
    expect(scrollFor(layout, 1, 0, 100)).toBe(0);
    expect(scrollFor(layout, 43, 0, 100)).toBeGreaterThan(500);
  });
});

describe('colors', () => {
  it('are read as they are written and mixed by channel', () => {
    expect(parse('#fff')).toEqual([255, 255, 255]);
    expect(parse(' #0a141e ')).toEqual([10, 20, 30]);
    expect(pixel([10, 20, 30])).toBe(0xff1e140a);
    expect(blend(0xff000000, 0xff6432c8, 0.5)).toBe(0xff321964);
    expect([inkOn([250, 240, 120]), inkOn([20, 40, 90])]).toEqual(['#14141d', '#f6f6fb']);
  });
  it('leave room for the ends of names', () => {
    expect([fitted('aten::convolution', 20), fitted('aten::convolution', 9), fitted('aten::mm', 2)]).toEqual(['aten::convolution', 'aten::co…', '']);
    expect(fitted('vectorized_elementwise_kernel_tail', 18)).toBe('vectorized_…l_tail');
  });
});

class FakeImage {
  readonly data: Uint8ClampedArray;
  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.data = new Uint8ClampedArray(4 * width * height);
  }
}

describe('the picture of a row', () => {
  const [paper, ink] = [0xffffffff, 0xff000000];
  const palette: Palette = {
    kinds: [0, 1].map(() => new Uint32Array(4).fill(ink)), inks: ['#000', '#000'], ink, back: paper, grid: 0xffdddddd, even: 0xff808080, more: 0xff0000ff, less: 0xff00ff00,
    a: 0xffff0000, b: 0xffff00ff, css: { ink: '', ink2: '', line: '', page: '', panel: '', a: '', b: '' },
  };
  const lanes = [lane('stream.0', 0, 1)];
  /** grey of the pixels of the row's middle line: 255 is paper */
  const drawn = (row: WireRow, part: Partial<Scene> = {}): number[] => {
    (globalThis as Record<string, unknown>)['ImageData'] = FakeImage;
    const picture = pictureOf(wire([row], { lanes }));
    const scene: Scene = { picture, layout: layoutOf(lanes, new Set()), range: { from: 0, to: 100 }, ticks: [], colors: 'kind', side: 'a', found: null, lit: null, scrollTop: 0, ...part };
    const image = new Pixels().draw(scene, 10, 24, 1, palette);
    return [...new Uint32Array(image.data.buffer).slice(80, 90)].map((word) => word & 255);
  };
  it('has wide events in full and keeps neighbors apart', () => {
    expect(drawn({ row: 0, first: 0, gap: [0, 0], dur: [50, 30], name: [0, 0] })).toEqual([0, 0, 0, 0, 255, 0, 0, 0, 255, 255]);
  });
  it('has narrow events by their share of a pixel, faint ones too', () => {
    const [first, , second, , third] = drawn({ row: 0, first: 0, gap: [0, 12, 22], dur: [8, 1, 0], name: [0, 0, 0] });
    expect(first).toBe(51);
    expect(second).toBe(Math.round(255 * (1 - 0.42)));
    expect(third).toBe(second);
  });
  it('has runs as dense as what they hold', () => {
    const run = { row: 0, first: 0, gap: [20], dur: [40], name: [0], merged: { at: [0], count: [9], total: [32] } };
    expect(drawn(run)).toEqual([255, 255, 51, 51, 51, 51, 255, 255, 255, 255]);
  });
  it('pales what is not searched for', () => {
    const row = { row: 0, first: 0, gap: [0, 0], dur: [30, 30], name: [0, 1] };
    const [one, , , other] = drawn(row, { found: [true, false] });
    expect([one, other]).toEqual([0, Math.round(255 * 0.8)]);
  });
  it('has both of a pair in one color of change, and hatches what is alone', () => {
    const row = { row: 0, first: 0, gap: [0, 0], dur: [60, 30], name: [0, 1], match: [0, 1], change: [-60, -30] };
    const shades = drawn(row, { colors: 'change' });
    expect(shades.slice(0, 5)).toEqual([140, 140, 140, 0, 0]);
    expect(shades[7]).not.toBe(255);
  });
});

describe('what a link holds', () => {
  it('is a step by label, with its file where several have it', () => {
    expect(readChoice('')).toEqual({ step: 'typical', worker: '', span: '' });
    for (const text of ['worst', 'same', '12', '1%20(2)|host%7C0|3']) expect(writeChoice(readChoice(text))).toBe(text);
    expect(readChoice('1%20(2)|host%7C0|3')).toEqual({ step: '1 (2)', worker: 'host|0', span: '3' });
  });
  it('is a stretch and an event', () => {
    expect(readRange(writeRange({ from: -12.4, to: 7e6 }))).toEqual({ from: -12, to: 7_000_000 });
    expect([readRange('5_5'), readRange('x')]).toEqual([null, null]);
    expect(readSelected('b:412')).toEqual({ side: 'b', event: 412 });
    expect(readSelected('c:1')).toBeNull();
  });
});

describe('requests', () => {
  const pair = new URLSearchParams({ baseline: 'x/a', baseline_worker: 'w0', candidate: 'x/b', step_window: 'marker' });
  const choices = { a: readChoice('worst'), b: readChoice('7|w1|2') };
  it('name one side and the other', () => {
    expect(stepQuery(pair, 'a', choices).toString()).toBe('run=x%2Fa&worker=w0&step=worst&other=x%2Fb&other_step=7&other_step_worker=w1&other_step_span=2&side=baseline&step_window=marker');
    expect(stepQuery(pair, 'b', choices).get('run')).toBe('x/b');
    expect(stepQuery(pair, 'b', choices).get('side')).toBe('candidate');
  });
  it('ask for one step or for both as a file', () => {
    expect(new URL(traceUrl(pair, 'b', choices, false)).searchParams.has('other')).toBe(false);
    expect(new URL(traceUrl(pair, 'a', choices, true)).searchParams.get('other')).toBe('x/b');
  });
});

describe('pictures', () => {
  it('the finest that covers what is in view is drawn', () => {
    const row: WireRow = { row: 0, first: 0, gap: [0], dur: [100], name: [0] };
    const whole = pictureOf(wire([row], { cell_ns: 50, complete: false }));
    const detail = pictureOf(wire([row], { cell_ns: 5, from: 20, to: 60, complete: false }));
    const state: SideState = { whole, details: [detail], failure: null, absent: '', progress: null, waiting: false };
    expect(bestPicture(state, { from: 30, to: 50 })).toBe(detail);
    expect(bestPicture(state, { from: 30, to: 70 })).toBe(whole);
  });
  it('have one scale, moved or not', () => {
    const one = pictureOf(wire([], { extent: [-100, 1000] }));
    const other = pictureOf(wire([], { extent: [0, 2000] }));
    expect(commonRange(one, other)).toEqual({ from: -121, to: 2021 });
    expect(commonRange(one, other, -500)).toEqual({ from: -520, to: 1520 });
    expect(commonRange(null, null)).toEqual({ from: 0, to: 1 });
  });
});
