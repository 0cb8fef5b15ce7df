"""Sets of time intervals as sorted arrays."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Ints, Nanoseconds


def union(start: Nanoseconds, end: Nanoseconds) -> tuple[Ints, Ints]:
    """Disjoint sorted intervals covering the same instants; touching ones join, empty ones vanish."""
    keep = end > start
    start, end = start[keep], end[keep]
    if not len(start):
        return start, end
    order = np.argsort(start, kind="stable")
    start, reach = start[order], np.maximum.accumulate(end[order])
    opens = np.empty(len(start), dtype=bool)
    opens[0] = True
    opens[1:] = start[1:] > reach[:-1]
    first = np.flatnonzero(opens)
    last = np.append(first[1:], len(start)) - 1
    return start[first], reach[last]


def covered(start: Nanoseconds, end: Nanoseconds, low: int, high: int) -> int:
    """Length of the part of [low, high) covered by any of the intervals."""
    start, end = union(np.clip(start, low, high), np.clip(end, low, high))
    return int((end - start).sum())


def within(intervals: tuple[Ints, Ints], low: Nanoseconds, high: Nanoseconds) -> Ints:
    """(s,) length of the part of each window [low, high) that disjoint sorted intervals cover."""
    start, end = intervals
    if not len(start):
        return np.zeros(len(low), dtype=np.int64)
    before = np.concatenate([[0], np.cumsum(end - start)])

    def until(at: Ints) -> Ints:
        last = np.searchsorted(start, at, side="right") - 1
        inside = np.minimum(at, end[last]) - start[last]
        found: Ints = np.where(last >= 0, before[np.maximum(last, 0)] + inside, 0)
        return found

    return until(high) - until(low)
