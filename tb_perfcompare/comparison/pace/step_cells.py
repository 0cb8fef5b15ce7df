"""Parts of single steps, and the fastest quarter of each in every capture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tb_perfcompare.model.arrays import CaptureIndex, Flags, Floats, Ints, is_run_start, unique
from tb_perfcompare.model.summary.categories import OTHER
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.quick_dataclass import dataclass

FASTEST_SHARE = 1 / 4
"""Share of the steps that have a part that is used: the fastest."""

MIN_SEEN_SHARE = 1 / 2
"""Share of the steps that have to have a part: rarer ones are merged with those of their operator."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Parts in single steps of one side: c cells ordered by capture, part and time per call.

    capture  (s,) int32 of each step
    part     (c,) int64 number of the part
    step     (c,) int64
    calls    (c,) float64, above zero
    each_ns  (c,) float64 time per call
    named    (p,) for each part, a row of the recorded parts whose key begins with its category and operator
    """

    capture: CaptureIndex
    part: Ints
    step: Ints
    calls: Floats
    each_ns: Floats
    named: Ints


class FastestCalls(NamedTuple):
    """Parts of each capture: the capture's place among those kept, the part, its calls per step, and ns per call in
    the fastest quarter of the steps that have it."""

    place: Ints
    part: Ints
    calls: Floats
    each_ns: Floats


def fastest_calls(of: Cells, kept: Flags) -> FastestCalls:
    """All parts in the kept steps."""
    captures, counts = np.unique(of.capture[kept], return_counts=True)
    inside = kept[of.step]
    part, each, calls = of.part[inside], of.each_ns[inside], of.calls[inside]
    place = np.searchsorted(captures, of.capture[of.step[inside]])
    if not len(part):
        return FastestCalls(place, part, calls, each)
    first = np.flatnonzero(is_run_start(part) | is_run_start(place))
    size = np.diff(np.concatenate([first, [len(part)]]))
    fastest = np.maximum((FASTEST_SHARE * size).astype(np.int64), 1)
    used = np.arange(len(part)) - np.repeat(first, size) < np.repeat(fastest, size)
    low = np.add.reduceat(np.where(used, each, 0.0), first) / fastest
    return FastestCalls(place[first], part[first], np.add.reduceat(calls, first) / counts[place[first]], low)


def cells(capture: CaptureIndex, part: Ints, step: Ints, time_ns: Floats, calls: Floats, named: Ints) -> Cells:
    """Builds sorted cells. Cells with time but no calls, such as gaps, count as called once."""
    calls = np.where(calls > 0, calls, 1.0)
    each = time_ns / calls
    order = np.lexsort((each, part, capture[step]))
    return Cells(capture, part[order], step[order], calls[order], each[order], named)


def cells_of_steps(parts: SplitTime, capture: CaptureIndex) -> Cells:
    """Cells of all of a side's steps. Parts that few steps of a capture have, such as inputs of varying lengths, are
    merged by operator, then by category."""
    part = parts.row.astype(np.int64)
    step, time, calls = parts.step.astype(np.int64), parts.time_ns.astype(np.float64), parts.calls.astype(np.float64)
    calls = np.where(calls > 0, calls, 1.0)
    first_row = np.arange(len(parts))  # a row of each part, whose key names it
    for coarser in (_without_shape, _without_neighbors):
        few = rare_parts(part, step, capture)
        if not few.any():
            break
        renamed = {number: coarser(parts.keys[first_row[number]]) for number in unique(part[few]).tolist()}
        index: dict[tuple[str, ...], int] = {}
        first_rows = first_row.tolist()
        new = np.arange(len(first_rows))
        for number, key in renamed.items():
            if key not in index:
                index[key] = len(first_rows)
                first_rows.append(first_row[number])
            new[number] = index[key]
        part = np.where(few, new[part], part)
        first_row = np.array(first_rows)
        code, place = np.unique(part * len(capture) + step, return_inverse=True)
        time, calls = (np.bincount(place, values, len(code)).astype(np.float64) for values in (time, calls))
        part, step = code // len(capture), code % len(capture)
    return cells(capture, part, step, time, calls, first_row)


def rare_parts(part: Ints, step: Ints, capture: CaptureIndex) -> Flags:
    """(c,) whether fewer than half of the steps of its capture have the cell's part."""
    number = capture[step].astype(np.int64)
    steps = np.bincount(capture)
    code = part * len(steps) + number
    few: Flags = np.bincount(code)[code] < MIN_SEEN_SHARE * steps[number]
    return few


def _without_shape(key: tuple[str, ...]) -> tuple[str, ...]:
    return key[:3]


def _without_neighbors(key: tuple[str, ...]) -> tuple[str, ...]:
    return key[:1] if key[0] == OTHER else key[:2]
