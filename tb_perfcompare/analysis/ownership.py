"""Every nanosecond of a step has exactly one owner.

At each instant the first active class in StepCategory order owns. Inside a device class the events running at once
share the time equally (the nanosecond that does not divide goes to the latest started); inside a host class the
innermost, that is the latest started, event owns. What nothing claims is Other. So the owned times of a step sum to
its window to the nanosecond. (Method: docs/ledger.md.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.steps import Windows
from tb_perfcompare.model.summary import DEVICE_CATEGORIES, StepCategory

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Claims:
    """Events that may own time; m rows, in any order.

    start_ns, end_ns  (m,) int64
    role              (m,) int8 StepCategory, never OTHER
    entity            (m,) int64 row of the owner's entity
    rank              (m,) int64 distinct; order by (start, -end, ...) that does not depend on file order
    """

    start_ns: Ints
    end_ns: Ints
    role: NDArray[np.int8]
    entity: Ints
    rank: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Segments:
    """Elementary stretches between all edges. edges (k + 1,), length (k,), step (k,) -1 outside windows."""

    edges: Ints
    length: Ints
    step: Ints
    step_first: Ints
    step_last: Ints


AT_ONCE = 1 << 18
"""Claims swept together; longer recordings are swept a few steps at a time, so that the work in between stays small."""


def owned_time(claims: Claims, windows: Windows, entities: int) -> tuple[Ints, Ints]:
    """(entities, s) int64 owned nanoseconds and (s,) int64 time nobody claims."""
    steps = len(windows.label)
    owned = np.zeros((entities, steps), dtype=np.int64)
    rest = np.zeros(steps, dtype=np.int64)
    for part in np.array_split(np.arange(steps), min(steps, -(-len(claims.rank) // AT_ONCE) or 1)) if steps else ():
        span = slice(int(part[0]), int(part[-1]) + 1)
        start, end = windows.start_ns[span], windows.end_ns[span]
        rest[span] = _sweep(_inside(claims, int(start[0]), int(end[-1])), start, end, owned[:, span])
    return owned, rest


def _sweep(claims: Claims, step_start: Ints, step_end: Ints, out: Ints) -> Ints:
    """Adds owned time to `out` (entities, s); returns the (s,) rest."""
    segments = _segments(claims, step_start, step_end)
    first, last = np.searchsorted(segments.edges, claims.start_ns), np.searchsorted(segments.edges, claims.end_ns)
    free = segments.step >= 0
    for role in StepCategory:
        if role is StepCategory.OTHER:
            break
        rows = np.flatnonzero(claims.role == role)
        if not len(rows):
            continue
        active = np.zeros(len(segments.length) + 1, dtype=np.int64)
        np.add.at(active, first[rows], 1)
        np.subtract.at(active, last[rows], 1)
        active = np.cumsum(active[:-1])
        mine = free & (active > 0)
        free &= active == 0
        top = _latest_started(first[rows], last[rows], claims.rank[rows], len(segments.length))
        if role in DEVICE_CATEGORIES:
            _share(out, segments, mine, active, first[rows], last[rows], claims.entity[rows], top)
        else:
            _add(out, claims.entity[rows][top[mine]], segments.step[mine], segments.length[mine])
    rest = np.bincount(segments.step[free], weights=segments.length[free], minlength=len(step_start))
    return rest.astype(np.int64)


def _inside(claims: Claims, low: int, high: int) -> Claims:
    """Claims cut to [low, high); those outside or empty cannot own anything there."""
    start, end = np.maximum(claims.start_ns, low), np.minimum(claims.end_ns, high)
    keep = np.flatnonzero(end > start)
    return Claims(start[keep], end[keep], claims.role[keep], claims.entity[keep], claims.rank[keep])


def _segments(claims: Claims, step_start: Ints, step_end: Ints) -> _Segments:
    edges = np.sort(np.concatenate([claims.start_ns, claims.end_ns, step_start, step_end]), kind="stable")
    # np.unique hashes integers, which is far slower than sorting stamps that are nearly sorted already.
    edges = edges[np.append(True, edges[1:] != edges[:-1])]
    middle = edges[:-1]
    step = np.searchsorted(step_start, middle, side="right") - 1
    # Empty windows share their start with the next one and own no segment.
    step = np.where((step >= 0) & (middle < step_end[np.maximum(step, 0)]), step, -1)
    return _Segments(
        edges,
        np.diff(edges),
        step,
        np.searchsorted(edges, step_start),
        np.searchsorted(edges, step_end),
    )


def _latest_started(first: Ints, last: Ints, rank: Ints, segments: int) -> Ints:
    """(segments,) position of the claim with the highest rank covering each segment, -1 where none does.

    Each range is the union of two blocks whose length is a power of two, so maxima are written once per block and
    pushed down from long blocks to short ones: O((claims + segments) log segments) without a loop over either.
    """
    order = np.argsort(rank, kind="stable")
    place = np.empty(len(rank), dtype=np.int64)
    place[order] = np.arange(len(rank))
    span = last - first
    level = np.zeros(len(span), dtype=np.int64)
    np.log2(span, out=(logs := np.empty(len(span))))
    level[:] = logs
    best = np.full(segments, -1, dtype=np.int64)
    for k in range(int(level.max()), -1, -1):
        block = 1 << k
        here = level == k
        np.maximum.at(best, first[here], place[here])
        np.maximum.at(best, last[here] - block, place[here])
        if k:
            half = block >> 1
            pushed = best.copy()
            np.maximum(pushed[half:], best[:-half] if half < segments else best[:0], out=pushed[half:])
            best = pushed
    return np.where(best >= 0, order[np.maximum(best, 0)], -1)


def _share(
    out: Ints,
    segments: _Segments,
    mine: NDArray[np.bool_],
    active: Ints,
    first: Ints,
    last: Ints,
    entity: Ints,
    top: Ints,
) -> None:
    """Equal shares of device segments, exact to the nanosecond."""
    width = np.where(mine, active, 1)
    each = np.where(mine, segments.length // width, 0)
    left = np.where(mine, segments.length - each * width, 0)
    before = np.concatenate([[0], np.cumsum(each)])
    step_low = np.searchsorted(segments.step_last, first, side="right")
    step_high = np.searchsorted(segments.step_first, last, side="left")
    repeat = np.maximum(step_high - step_low, 0)
    row = np.repeat(np.arange(len(first)), repeat)
    step = np.arange(len(row)) - np.repeat(np.cumsum(repeat) - repeat, repeat) + step_low[row]
    begin = np.maximum(first[row], segments.step_first[step])
    finish = np.maximum(np.minimum(last[row], segments.step_last[step]), begin)
    _add(out, entity[row], step, before[finish] - before[begin])
    odd = np.flatnonzero(left)
    _add(out, entity[top[odd]], segments.step[odd], left[odd])


def _add(out: Ints, entity: Ints, step: Ints, amount: Ints) -> None:
    """out[entity, step] += amount. Doubles carry integers exactly up to 2**53 ns, 104 days of owned time."""
    entities, steps = out.shape
    flat = np.bincount(entity * steps + step, weights=amount, minlength=entities * steps)
    out += flat.astype(np.int64).reshape(entities, steps)
