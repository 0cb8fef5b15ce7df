"""Ownership of every instant of the steps in plain numpy.

The rule of ownership.py, applied to all intervals between changes at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Ints32, Nanoseconds, places_of, unique
from tb_perfcompare.model.summary.summary import DEVICE_CATEGORIES
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class _Segments:
    """Segments between consecutive edges (starts and ends of claims and steps).

    edges                  (k + 1,)
    length, step           (k,) step is -1 outside windows
    step_first, step_last  (s,) first segment of each step, and first after it
    """

    edges: Ints
    length: Ints
    step: Ints
    step_first: Ints
    step_last: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """One cell per claim and step it overlaps; claim i has the cells base[i] + step for low[i] <= step < high[i].

    first, last  (m,) segments of a claim: [first, last)
    claim, step  (cells,) of each cell
    """

    first: Ints
    last: Ints
    base: Ints
    low: Ints
    high: Ints
    claim: Ints
    step: Ints


AT_ONCE = 1 << 18
"""Claims swept at once; longer recordings are swept a few steps at a time to limit intermediate arrays."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """Claims whose ties are settled: `rank` (m,) orders them by start."""

    start_ns: Nanoseconds
    end_ns: Nanoseconds
    role: NDArray[np.int8]
    rank: Ints32


OwnedCells = tuple[Ints32, Ints32, Ints, Ints, Ints, Ints]


def shares_in_numpy(
    start_ns: Nanoseconds,
    end_ns: Nanoseconds,
    role: NDArray[np.int8],
    ties: tuple[AnyInts, ...],
    step_start: Nanoseconds,
    step_end: Nanoseconds,
) -> OwnedCells:
    """Returns the fields of Shares."""
    rank = places_of(np.lexsort((*reversed(ties), ~end_ns, start_ns)), len(role))
    ranked = _Ranked(start_ns, end_ns, role, rank)
    steps = len(step_start)
    parts = []
    for part in np.array_split(np.arange(steps), min(steps, -(-len(rank) // AT_ONCE) or 1)) if steps else ():
        span = slice(int(part[0]), int(part[-1]) + 1)
        start, end = step_start[span], step_end[span]
        parts.append(_sweep(*_clipped(ranked, int(start[0]), int(end[-1])), start, end, int(part[0])))
    none = np.zeros(0, dtype=np.int64)
    columns = tuple(np.concatenate(c) for c in zip(*parts, strict=True)) if parts else (none,) * 6
    return columns[0].astype(np.int32), columns[1].astype(np.int32), columns[2], columns[3], columns[4], columns[5]


def _sweep(
    claims: _Ranked, claim: Ints, step_start: Nanoseconds, step_end: Nanoseconds, step_offset: int
) -> tuple[Ints, ...]:
    """Returns the fields of Shares for consecutive steps; `claim` (m,) is the index of each claim among all claims."""
    segments = _segments(claims, step_start, step_end)
    cells = _cells(claims, segments)
    free = segments.step >= 0
    owned = np.zeros(len(cells.claim), dtype=np.int64)
    for role in unique(claims.role).tolist():
        rows = np.flatnonzero(claims.role == role)
        first, last = cells.first[rows], cells.last[rows]
        active = np.zeros(len(segments.length) + 1, dtype=np.int64)
        np.add.at(active, first, 1)
        np.subtract.at(active, last, 1)
        active = np.cumsum(active[:-1])
        wins = free & (active > 0)
        free &= active == 0
        top = _latest_started(first, last, claims.rank[rows], len(segments.length))
        if role in DEVICE_CATEGORIES:
            _share(owned, segments, cells, wins, active, rows, top)
        else:
            _add(owned, cells.base[rows[top[wins]]] + segments.step[wins], segments.length[wins])
    nonzero = np.flatnonzero(owned)
    gap_from, gap_to = _runs(free, segments.step)
    return (
        claim[cells.claim[nonzero]],
        cells.step[nonzero] + step_offset,
        owned[nonzero],
        segments.edges[gap_from],
        segments.edges[gap_to],
        segments.step[gap_from] + step_offset,
    )


def _runs(free: Flags, step: Ints) -> tuple[Ints, Ints]:
    """Returns (first segment, first segment after) of every run of free segments in one step."""
    held = np.where(free, step, -1)
    begins = np.flatnonzero((held >= 0) & (np.append(-1, held[:-1]) != held))
    ends = np.flatnonzero((held >= 0) & (np.append(held[1:], -1) != held)) + 1
    return begins, ends


def _clipped(claims: _Ranked, low: int, high: int) -> tuple[_Ranked, Ints]:
    """Returns the claims clipped to [low, high), without empty ones, and their rows."""
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
    edges = unique(np.concatenate([claims.start_ns, claims.end_ns, step_start, step_end]))
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


def _latest_started(first: Ints, last: Ints, rank: Ints32, segments: int) -> Ints:
    """(segments,) Index of the claim with the highest rank covering each segment, -1 if none does.

    Each range is the union of two blocks whose length is a power of two, so maxima are written once per block and
    pushed down from long blocks to short ones: O((claims + segments) log segments) without a loop over either.
    """
    order = np.argsort(rank, kind="stable")
    place = places_of(order, len(rank))
    span = last - first
    level = np.zeros(len(span), dtype=np.int64)
    np.log2(span, out=(logs := np.empty(len(span))))
    level[:] = logs
    best = np.full(segments, -1, dtype=np.int64)
    for k in range(int(level.max()), -1, -1):
        block = 1 << k
        at_level = level == k
        np.maximum.at(best, first[at_level], place[at_level])
        np.maximum.at(best, last[at_level] - block, place[at_level])
        if k:
            half = block >> 1
            pushed = best.copy()
            np.maximum(pushed[half:], best[:-half] if half < segments else best[:0], out=pushed[half:])
            best = pushed
    return np.where(best >= 0, order[np.maximum(best, 0)], -1)


def _share(owned: Ints, segments: _Segments, cells: _Cells, wins: Flags, active: Ints, rows: Ints, top: Ints) -> None:
    """Adds equal shares of the segments where a device category wins, exact to the nanosecond.

    `rows` are the claims of the category.
    """
    width = np.where(wins, active, 1)
    each = np.where(wins, segments.length // width, 0)
    left = np.where(wins, segments.length - each * width, 0)
    before = np.concatenate([[0], np.cumsum(each)])
    reached = cells.high[rows] - cells.low[rows]
    row = np.repeat(rows, reached)
    step = np.arange(len(row)) - np.repeat(np.cumsum(reached) - reached - cells.low[rows], reached)
    begin = np.maximum(cells.first[row], segments.step_first[step])
    finish = np.maximum(np.minimum(cells.last[row], segments.step_last[step]), begin)
    owned[cells.base[row] + step] += before[finish] - before[begin]
    uneven = np.flatnonzero(left)
    _add(owned, cells.base[rows[top[uneven]]] + segments.step[uneven], left[uneven])


def _add(owned: Ints, cell: Ints, amount: Ints) -> None:
    """owned[cell] += amount. Doubles are exact up to 2**53 ns, 104 days of owned time."""
    owned += np.bincount(cell, weights=amount, minlength=len(owned)).astype(np.int64)
