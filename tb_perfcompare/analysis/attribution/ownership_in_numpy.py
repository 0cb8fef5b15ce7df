"""Who owns every instant of the steps, without a compiler: the rule of ownership.py, all stretches between changes at
once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Ints32, Nanoseconds
from tb_perfcompare.model.summary.summary import DEVICE_CATEGORIES, StepCategory
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class _Segments:
    """Elementary stretches between all edges. edges (k + 1,), length (k,), step (k,) -1 outside windows."""

    edges: Ints
    length: Ints
    step: Ints
    step_first: Ints
    step_last: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """A cell per claim and step that it reaches: those of claim i are base[i] + step, from `low`[i] to below `high`[i].

    first, last  (m,) segments of a claim, from and to below
    claim, step  (cells,) what a cell is of
    """

    first: Ints
    last: Ints
    base: Ints
    low: Ints
    high: Ints
    claim: Ints
    step: Ints


AT_ONCE = 1 << 18
"""Claims swept together in numpy; longer recordings are swept a few steps at a time, so that the work in between stays
small."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """Claims with one rank instead of ties."""

    start_ns: Nanoseconds
    end_ns: Nanoseconds
    role: NDArray[np.int8]
    rank: Ints


Found = tuple[Ints32, Ints32, Ints, Ints, Ints, Ints]


def shares_in_numpy(
    start_ns: Nanoseconds,
    end_ns: Nanoseconds,
    role: NDArray[np.int8],
    ties: tuple[AnyInts, ...],
    step_start: Nanoseconds,
    step_end: Nanoseconds,
) -> Found:
    """The fields of Shares."""
    rank = np.empty(len(role), dtype=np.int64)
    rank[np.lexsort((*reversed(ties), ~end_ns, start_ns))] = np.arange(len(rank))
    ranked = _Ranked(start_ns, end_ns, role, rank)
    steps = len(step_start)
    parts = []
    for part in np.array_split(np.arange(steps), min(steps, -(-len(rank) // AT_ONCE) or 1)) if steps else ():
        span = slice(int(part[0]), int(part[-1]) + 1)
        start, end = step_start[span], step_end[span]
        parts.append(_sweep(*_inside(ranked, int(start[0]), int(end[-1])), start, end, int(part[0])))
    none = np.zeros(0, dtype=np.int64)
    columns = tuple(np.concatenate(c) for c in zip(*parts, strict=True)) if parts else (none,) * 6
    return columns[0].astype(np.int32), columns[1].astype(np.int32), columns[2], columns[3], columns[4], columns[5]


def _sweep(
    claims: _Ranked, claim: Ints, step_start: Nanoseconds, step_end: Nanoseconds, step_offset: int
) -> tuple[Ints, ...]:
    """The fields of Shares for some of the steps; `claim` (m,) says which row of all claims each one is."""
    segments = _segments(claims, step_start, step_end)
    cells = _cells(claims, segments)
    free = segments.step >= 0
    owned = np.zeros(len(cells.claim), dtype=np.int64)
    for role in StepCategory:
        rows = np.flatnonzero(claims.role == role)
        if not len(rows):
            continue
        first, last = cells.first[rows], cells.last[rows]
        active = np.zeros(len(segments.length) + 1, dtype=np.int64)
        np.add.at(active, first, 1)
        np.subtract.at(active, last, 1)
        active = np.cumsum(active[:-1])
        mine = free & (active > 0)
        free &= active == 0
        top = _latest_started(first, last, claims.rank[rows], len(segments.length))
        if role in DEVICE_CATEGORIES:
            _share(owned, segments, cells, mine, active, rows, top)
        else:
            _add(owned, cells.base[rows[top[mine]]] + segments.step[mine], segments.length[mine])
    some = np.flatnonzero(owned)
    gap_from, gap_to = _runs(free, segments.step)
    return (
        claim[cells.claim[some]],
        cells.step[some] + step_offset,
        owned[some],
        segments.edges[gap_from],
        segments.edges[gap_to],
        segments.step[gap_from] + step_offset,
    )


def _runs(free: Flags, step: Ints) -> tuple[Ints, Ints]:
    """(first segment, first segment after) of every run of free segments of one step."""
    held = np.where(free, step, -1)
    begins = np.flatnonzero((held >= 0) & (np.append(-1, held[:-1]) != held))
    ends = np.flatnonzero((held >= 0) & (np.append(held[1:], -1) != held)) + 1
    return begins, ends


def _inside(claims: _Ranked, low: int, high: int) -> tuple[_Ranked, Ints]:
    """Claims cut to [low, high), and their rows; those outside or empty cannot own anything there."""
    start, end = np.maximum(claims.start_ns, low), np.minimum(claims.end_ns, high)
    keep = np.flatnonzero(end > start)
    return _Ranked(start[keep], end[keep], claims.role[keep], claims.rank[keep]), keep


def _cells(claims: _Ranked, segments: _Segments) -> _Cells:
    first, last = np.searchsorted(segments.edges, claims.start_ns), np.searchsorted(segments.edges, claims.end_ns)
    low = np.searchsorted(segments.step_last, first, side="right")
    high = np.maximum(np.searchsorted(segments.step_first, last, side="left"), low)
    reached = high - low
    base = np.cumsum(reached) - reached - low
    claim = np.repeat(np.arange(len(first)), reached)
    return _Cells(first, last, base, low, high, claim, np.arange(len(claim)) - base[claim])


def _segments(claims: _Ranked, step_start: Nanoseconds, step_end: Nanoseconds) -> _Segments:
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


def _share(owned: Ints, segments: _Segments, cells: _Cells, mine: Flags, active: Ints, rows: Ints, top: Ints) -> None:
    """Equal shares of device segments, exact to the nanosecond. `rows` are the claims of the category."""
    width = np.where(mine, active, 1)
    each = np.where(mine, segments.length // width, 0)
    left = np.where(mine, segments.length - each * width, 0)
    before = np.concatenate([[0], np.cumsum(each)])
    reached = cells.high[rows] - cells.low[rows]
    row = np.repeat(rows, reached)
    step = np.arange(len(row)) - np.repeat(np.cumsum(reached) - reached - cells.low[rows], reached)
    begin = np.maximum(cells.first[row], segments.step_first[step])
    finish = np.maximum(np.minimum(cells.last[row], segments.step_last[step]), begin)
    owned[cells.base[row] + step] += before[finish] - before[begin]
    odd = np.flatnonzero(left)
    _add(owned, cells.base[rows[top[odd]]] + segments.step[odd], left[odd])


def _add(owned: Ints, cell: Ints, amount: Ints) -> None:
    """owned[cell] += amount. Doubles carry integers exactly up to 2**53 ns, 104 days of owned time."""
    owned += np.bincount(cell, weights=amount, minlength=len(owned)).astype(np.int64)
