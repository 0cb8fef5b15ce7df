"""Which event encloses which on one thread.

Rule: events of a lane are taken in order of start, longer ones first; an event's parent is the latest earlier event
that is still open. An event that ends after its parent is clipped to it, so children never exceed their parents,
siblings never overlap, and self times are never negative.

Nesting, look-ups and sums have two implementations with equal results: a compiled one (native/nesting.c) and one here.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.native_passes import Tie, compiled, indices, packed, packed_tie, unpacked
from tb_perfcompare.model.arrays import AnyInts, Ints, Ints32, Nanoseconds, NodeIndex
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Nesting:
    """n rows in (lane, start, -end) order.

    order   (n,) rows of the input
    parent  (n,) parent as a row of this order, -1 at the top
    depth   (n,) 0 at the top
    end     (n,) clipped end
    inside  (n,) clipped time of direct children: end - start - inside is a row's self time
    clipped number of events that ended after their parent
    """

    order: Ints32
    parent: NodeIndex
    depth: Ints32
    end: Nanoseconds
    inside: Ints
    clipped: int


def nest(lane: AnyInts, start: Nanoseconds, dur: Nanoseconds, *ties: Tie, rows: AnyInts | None = None) -> Nesting:
    """Nests events by time: all of the columns, or these rows of them. Lanes are small numbers from 0 on.

    `ties` order events with equal lane, start and duration, the first column before the second, so that the result does
    not depend on file order.
    """
    module = compiled()
    if module is None:
        return _nest_in_python(lane, start, dur, ties, np.arange(len(start)) if rows is None else rows)
    order, parent, depth, clipped_end, inside, clipped = module.nest(
        packed(lane, np.int32),
        int(lane.max(initial=-1)) + 1,
        packed(start, np.int64),
        packed(dur, np.int64),
        tuple(packed_tie(tie) for tie in ties),
        None if rows is None else packed(rows, np.int32),
    )
    return Nesting(
        unpacked(order, np.int32),
        unpacked(parent, np.int32),
        unpacked(depth, np.int32),
        unpacked(clipped_end, np.int64),
        unpacked(inside, np.int64),
        clipped,
    )


def _nest_in_python(
    lane: AnyInts, start: Nanoseconds, dur: Nanoseconds, ties: tuple[Tie, ...], rows: AnyInts
) -> Nesting:
    order = rows[np.lexsort((*(tie[rows] for tie in reversed(ties)), ~dur[rows], start[rows], lane[rows]))]
    begin = start[order]
    ends = (begin + dur[order]).tolist()
    parent, depth = [-1] * len(order), [0] * len(order)
    open_rows: list[int] = []
    clipped, current = 0, None
    for row, (lane_of, begins) in enumerate(zip(lane[order].tolist(), begin.tolist(), strict=True)):
        if lane_of != current:
            open_rows, current = [], lane_of
        while open_rows and ends[open_rows[-1]] <= begins:
            open_rows.pop()
        if open_rows:
            outer = parent[row] = open_rows[-1]
            depth[row] = len(open_rows)
            if ends[row] > ends[outer]:
                ends[row] = ends[outer]
                clipped += 1
        open_rows.append(row)
    parents, clipped_end, inside = np.array(parent, dtype=np.int32), np.array(ends, np.int64), np.zeros_like(begin)
    inner = np.flatnonzero(parents >= 0)
    np.add.at(inside, parents[inner], (clipped_end - begin)[inner])
    return Nesting(order.astype(np.int32), parents, np.array(depth, np.int32), clipped_end, inside, clipped)


def sorted_order(first: Ints, second: Ints, *ties: Tie) -> Ints32:
    """(n,) Rows sorted by `first`, then by larger `second`, then by ties, then by row.

    With start and end: by start, longer spans first.
    """
    module = compiled()
    if module is None:
        return np.lexsort((*(tie[:] for tie in reversed(ties)), ~second, first)).astype(np.int32)
    columns = packed(first, np.int64), packed(second, np.int64), tuple(packed_tie(tie) for tie in ties)
    return unpacked(module.order(*columns), np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Enclosers:
    """n nested events for look-ups, in (lane, start, -end) order.

    lane, start, end, parent  (n,) as in a Nesting
    """

    lane: AnyInts
    start: Nanoseconds
    end: Nanoseconds
    parent: AnyInts


def innermost(nodes: Enclosers, lane: AnyInts, at: Ints) -> Ints32:
    """(q,) Row of the innermost node on the same lane that is open at each instant, -1 if none."""
    if not len(nodes.start) or not len(at):
        return np.full(len(at), -1, dtype=np.int32)
    module = compiled()
    if module is None:
        return _innermost_in_numpy(nodes, lane, at)
    return unpacked(
        module.innermost(
            packed(nodes.lane, np.int32),
            int(nodes.lane.max()) + 1,
            packed(nodes.start, np.int64),
            packed(nodes.end, np.int64),
            indices(nodes.parent),
            packed(lane, np.int32),
            packed(at, np.int64),
        ),
        np.int32,
    )


def _innermost_in_numpy(nodes: Enclosers, lane: AnyInts, at: Ints) -> Ints32:
    count = len(nodes.start)
    merged = np.lexsort((
        np.repeat(np.array([0, 1]), [count, len(at)]), np.concatenate([nodes.start, at]),
        np.concatenate([nodes.lane, lane]),
    ))  # fmt: skip
    latest = np.maximum.accumulate(np.where(merged < count, np.arange(len(merged)), -1))
    latest_row = np.empty(len(merged), dtype=np.int64)
    latest_row[merged] = np.where(latest >= 0, merged[latest], -1)
    row = latest_row[count:]
    row = np.where((row >= 0) & (nodes.lane[row] == lane), row, -1)
    while (closed := (row >= 0) & (nodes.end[row] <= at)).any():
        row = np.where(closed, nodes.parent[row], row)
    return row.astype(np.int32)


def with_descendants(parent: AnyInts, depth: AnyInts, own: Ints) -> Ints:
    """(n,) Own value plus those of all descendants. Parents must come before their children."""
    module = compiled()
    if module is not None:
        return unpacked(module.sum_upwards(indices(parent), packed(own, np.int64)), np.int64)
    total = own.copy()
    for rows in reversed(by_level(depth)[1:]):
        np.add.at(total, parent[rows], total[rows])
    return total


def least_below(parent: AnyInts, depth: AnyInts, own: Ints) -> Ints:
    """(n,) Smallest of the own value and those of all descendants. Parents must come before their children."""
    module = compiled()
    if module is not None:
        return unpacked(module.least_upwards(indices(parent), packed(own, np.int64)), np.int64)
    least = own.copy()
    for rows in reversed(by_level(depth)):
        inner = rows[parent[rows] >= 0]
        np.minimum.at(least, parent[inner], least[inner])
    return least


def by_level(depth: AnyInts) -> list[Ints]:
    """Returns the rows of each depth, outermost first; depths without rows are omitted."""
    deepest = int(depth.max(initial=0))
    if deepest < np.iinfo(np.int16).max:
        depth = depth.astype(np.int16)  # numpy sorts these by counting
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(depth[order])) + 1) if len(order) else []
