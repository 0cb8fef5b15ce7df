"""Nesting in plain numpy: the rule of nesting.py, applied to all events at once.

If events nest properly, a row's depth follows from how many rows started and ended before it. Events that end after
their parent are clipped, the first of each cluster per pass, until none is left.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Nanoseconds, NodeIndex

_MAX_PASSES = 64


def nest_in_numpy(
    lane: AnyInts, start: Nanoseconds, end: Nanoseconds, ties: tuple[AnyInts, ...]
) -> tuple[Ints, Ints, Ints, Ints, Ints, int]:
    """Returns the fields of a Nesting."""
    order = np.lexsort((*reversed(ties), ~end, start, lane))
    lane, start, end = lane[order], start[order], end[order].copy()
    clipped = 0
    for _ in range(_MAX_PASSES):
        depth, parent = _parents(lane, start, end)
        over = np.flatnonzero((parent >= 0) & (end > end[parent]))
        if not len(over):
            return order, parent, depth, end, _inside(parent, end - start), clipped
        first = over[_first_of_clusters(lane[over], start[over], end[over])]
        clipped += len(first)
        end[first] = end[parent[first]]
    depth, parent, more_clipped = _stack_walk(lane, start, end)
    return order, parent, depth, end, _inside(parent, end - start), clipped + more_clipped


def _inside(parent: NodeIndex, span: Ints) -> Ints:
    inner = parent >= 0
    inside: Ints = np.bincount(parent[inner], weights=span[inner], minlength=len(parent)).astype(np.int64)
    return inside


def _first_of_clusters(lane: AnyInts, start: Nanoseconds, end: Nanoseconds) -> Flags:
    """(k,) Of events that end after their parent, those that no earlier such event of their lane reaches.

    Only the parents of these are certain.
    """
    jump = np.empty(len(lane), dtype=np.int64)
    jump[0] = 0
    jump[1:] = np.cumsum(lane[1:] != lane[:-1])
    # One running maximum for all lanes: each lane is shifted above the previous one.
    span = int(end.max() - start.min()) + 1
    base = start.min()
    reach = np.maximum.accumulate((end - base) + jump * span)
    first = np.ones(len(lane), dtype=bool)
    first[1:] = (start[1:] - base) + jump[1:] * span >= reach[:-1]
    return first


def _stack_walk(lane: AnyInts, start: Nanoseconds, end: Nanoseconds) -> tuple[Ints, Ints, int]:
    """Applies the rule row by row, for lanes that repeated passes do not settle. Clips `end` in place."""
    depth = np.zeros(len(start), dtype=np.int64)
    parent = np.full(len(start), -1, dtype=np.int64)
    stack: list[int] = []
    clipped, current_lane = 0, None
    for row, (row_lane, start_ns) in enumerate(zip(lane.tolist(), start.tolist(), strict=True)):
        if row_lane != current_lane:
            stack, current_lane = [], row_lane
        while stack and end[stack[-1]] <= start_ns:
            stack.pop()
        if stack:
            parent[row] = stack[-1]
            depth[row] = len(stack)
            if end[row] > end[stack[-1]]:
                end[row] = end[stack[-1]]
                clipped += 1
        stack.append(row)
    return depth, parent, clipped


def _parents(lane: AnyInts, start: Nanoseconds, end: Nanoseconds) -> tuple[Ints, Ints]:
    """Returns (depth, parent) of rows in (lane, start, -end) order.

    An event is open at a later row of its lane if it ends after that row starts. So a row's depth is the number of
    earlier rows of its lane minus those that have ended, and its parent is the nearest earlier row one level up. Exact
    for properly nested events; the caller clips until they are.
    """
    n = len(start)
    row = np.arange(n, dtype=np.int64)
    if n == 0:
        return row, row
    first_of_lane = np.empty(n, dtype=np.int64)
    new = np.empty(n, dtype=bool)
    new[0] = True
    new[1:] = lane[1:] != lane[:-1]
    lane_index = np.cumsum(new) - 1
    lane_first = np.flatnonzero(new)
    first_of_lane = lane_first[lane_index]
    ended = _ended_before(lane_index, start, end, first_of_lane)
    depth = row - first_of_lane - ended
    # A zero-length event at another row's start counts as ended there, although it precedes that row.
    level = depth * np.int64(n) + row
    by_level = np.argsort(level, kind="stable")
    sorted_level = level[by_level]
    at = np.searchsorted(sorted_level, (depth - 1) * np.int64(n) + row) - 1
    parent = np.where(depth > 0, by_level[np.maximum(at, 0)], -1)
    return depth, parent


def _ended_before(lane_index: Ints, start: Nanoseconds, end: Nanoseconds, first_of_lane: Ints) -> Ints:
    """(n,) Number of earlier rows of the lane with end <= this row's start."""
    ends = np.lexsort((end, lane_index))
    # Rank of each start among the ends of its lane: one sort of both together, ends before starts at equal times.
    n = len(start)
    times = np.concatenate([end[ends], start])
    lanes = np.concatenate([lane_index[ends], lane_index])
    is_start = np.repeat(np.array([0, 1]), n)
    merged = np.lexsort((is_start, times, lanes))
    ends_so_far = np.cumsum(is_start[merged] == 0)
    position = np.empty(2 * n, dtype=np.int64)
    position[merged] = ends_so_far
    counted = position[n:] - first_of_lane
    # Zero-length rows at the same instant that come later in the order do not count.
    return counted - _later_empty(lane_index, start, end)


def _later_empty(lane_index: Ints, start: Nanoseconds, end: Nanoseconds) -> Ints:
    """(n,) Number of zero-length rows with the same lane and start, at this row or later."""
    n = len(start)
    empty = (end <= start).astype(np.int64)
    group = np.empty(n, dtype=bool)
    group[0] = True
    group[1:] = (lane_index[1:] != lane_index[:-1]) | (start[1:] != start[:-1])
    last = np.append(np.flatnonzero(group)[1:], n)[np.cumsum(group) - 1]
    before = np.concatenate([[0], np.cumsum(empty)])
    later: Ints = before[last] - before[:-1]
    return later


def innermost_in_numpy(
    node_lane: AnyInts, start: Nanoseconds, end: Nanoseconds, parent: AnyInts, lane: AnyInts,
    at: Ints,
) -> Ints:  # fmt: skip
    """Same as `innermost`; needs at least one node."""
    nodes_count = len(start)
    lanes, times = np.concatenate([node_lane, lane]), np.concatenate([start, at])
    is_query = np.repeat(np.array([0, 1]), [nodes_count, len(at)])
    merged = np.lexsort((is_query, times, lanes))
    latest = np.maximum.accumulate(np.where(is_query[merged] == 0, np.arange(len(merged)), -1))
    latest_row = np.empty(len(merged), dtype=np.int64)
    latest_row[merged] = np.where(latest >= 0, merged[np.maximum(latest, 0)], -1)
    row = latest_row[nodes_count:]
    row = np.where((row >= 0) & (node_lane[np.maximum(row, 0)] == lane), row, -1)
    while True:
        closed = (row >= 0) & (end[np.maximum(row, 0)] <= at)
        if not closed.any():
            return row
        row = np.where(closed, parent[np.maximum(row, 0)], row)
