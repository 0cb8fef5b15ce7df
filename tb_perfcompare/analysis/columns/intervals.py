"""Sets of time intervals as sorted arrays."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import AnyInts, Ints, Nanoseconds, is_run_start, places_of


def union(start: Nanoseconds, end: Nanoseconds) -> tuple[Ints, Ints]:
    """Returns disjoint sorted intervals that cover the same instants; touching intervals join, empty ones vanish."""
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


def union_by_lane(lanes: AnyInts, start: Nanoseconds, end: Nanoseconds) -> tuple[Ints, Ints, Ints]:
    """Returns (lane, start, end) of the union of each lane's intervals, sorted by lane, for any number of lanes."""
    nonempty = np.flatnonzero(end > start)
    order = nonempty[np.lexsort((start[nonempty], lanes[nonempty]))]
    lane, start, end = lanes[order].astype(np.int64), start[order], end[order]
    if not len(lane):
        return lane, start, end
    is_first = is_run_start(lane)
    # compare ends by rank: combined with the lane number, nanoseconds would overflow
    by_end = np.argsort(end, kind="stable")
    place = places_of(by_end, len(end))
    reach = end[by_end[np.maximum.accumulate(np.cumsum(is_first) * len(end) + place) % len(end)]]
    opens = is_first.copy()
    opens[1:] |= start[1:] > reach[:-1]
    first = np.flatnonzero(opens)
    last = np.append(first[1:], len(start)) - 1
    return lane[first], start[first], reach[last]


def covered(start: Nanoseconds, end: Nanoseconds, low: int, high: int) -> int:
    """Length of [low, high) that is covered by any interval."""
    start, end = union(np.clip(start, low, high), np.clip(end, low, high))
    return int((end - start).sum())


def covered_in_windows(intervals: tuple[Ints, Ints], low: Nanoseconds, high: Nanoseconds) -> Ints:
    """(s,) Length of each window [low, high) that is covered by disjoint sorted intervals."""
    start, end = intervals
    if not len(start):
        return np.zeros(len(low), dtype=np.int64)
    before = np.concatenate([[0], np.cumsum(end - start)])

    def until(at: Ints) -> Ints:
        last = np.searchsorted(start, at, side="right") - 1
        inside = np.minimum(at, end[last]) - start[last]
        covered_ns: Ints = np.where(last >= 0, before[np.maximum(last, 0)] + inside, 0)
        return covered_ns

    return until(high) - until(low)
