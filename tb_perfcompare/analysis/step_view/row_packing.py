"""The row of each event in its lane, so that no two events of a row overlap.

Properly nested events are as deep as they are nested. Where events of a lane overlap partly, each is in the first free
row below the event that encloses it.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.nesting import nest
from tb_perfcompare.model.arrays import AnyInts, Ints, Nanoseconds


def pack(lane: Ints, start: Nanoseconds, end: Nanoseconds, tie: AnyInts) -> tuple[Ints, Ints]:
    """((n,) row within the lane, (n,) the event that encloses it, -1 at the top). `tie` orders events of equal lane,
    start and end."""
    nesting = nest(lane, start, end, tie)
    order = nesting.order
    depth = np.empty(len(lane), dtype=np.int64)
    depth[order] = nesting.depth
    parent = np.full(len(lane), -1, dtype=np.int64)
    inner = nesting.parent >= 0
    parent[order[inner]] = order[nesting.parent[inner]]
    clipped = nesting.end < end[order]
    for tangled in np.unique(lane[order][clipped]).tolist():
        rows = order[lane[order] == tangled]
        depth[rows] = _first_free(start[rows].tolist(), end[rows].tolist())
    return depth, parent


def _first_free(starts: list[int], ends: list[int]) -> list[int]:
    """Rows of events in (start, -end) order: the first free one, below the innermost event that encloses the whole."""
    row_ends: list[int] = []
    open_events: list[tuple[int, int]] = []
    found = []
    for start, end in zip(starts, ends, strict=True):
        open_events = [(until, row) for until, row in open_events if until > start]
        below = max((row + 1 for until, row in open_events if until >= end), default=0)
        row = next((row for row in range(below, len(row_ends)) if row_ends[row] <= start), max(below, len(row_ends)))
        row_ends.extend([start] * (row + 1 - len(row_ends)))
        row_ends[row] = end
        open_events.append((end, row))
        found.append(row)
    return found
