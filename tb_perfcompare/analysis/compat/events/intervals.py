"""Sorted disjoint time ranges: union, intersection, difference, length.

Ranges are half-open in spirit, but empty ones are kept where torch-tb-profiler keeps them: an empty range strictly
inside a longer one cuts it in two, and for float time stamps the order of additions depends on such cuts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
"""Microseconds: int64 if the trace has whole ones, float64 if they have fractions, Python's numbers if some have."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """`start` (k,) and `end` (k,) in microseconds, both ascending."""

    start: Numbers
    end: Numbers

    def __len__(self) -> int:
        return len(self.start)

    def total(self) -> int | float:
        """Sum of the lengths, added left to right; the integer 0 if there are no ranges."""
        return running_total(self.end - self.start)


def running_total(values: Numbers) -> int | float:
    """Sum added strictly left to right (numpy's own sum adds pairwise); the integer 0 if there are no values."""
    if not len(values):
        return 0
    last: int | float = scalar(np.cumsum(values)[-1])
    return last


def scalar(value: Any) -> Any:
    """A number of an array as Python has it."""
    return value.item() if isinstance(value, np.generic) else value


def union(start: Numbers, end: Numbers) -> Ranges:
    """Disjoint ranges covering the given ones; touching ranges join."""
    if not len(start):
        return Ranges(start, end)
    order = np.argsort(start, kind="stable")
    start = start[order]
    reach = np.maximum.accumulate(end[order])
    first = np.concatenate(([0], np.flatnonzero(start[1:] > reach[:-1]) + 1))
    last = np.concatenate((first[1:] - 1, [len(start) - 1]))
    return Ranges(start[first], reach[last])


def intersect(left: Ranges, right: Ranges) -> Ranges:
    """What both cover. A range must reach strictly into another one to meet it."""
    first = np.searchsorted(left.end, right.start, side="right")
    after = np.searchsorted(left.start, right.end, side="left")
    count = np.maximum(after - first, 0)
    of_right = np.repeat(np.arange(len(right)), count)
    of_left = first[of_right] + (np.arange(len(of_right)) - np.repeat(np.cumsum(count) - count, count))
    start = np.maximum(left.start[of_left], right.start[of_right])
    end = np.minimum(left.end[of_left], right.end[of_right])
    if start.dtype == object:  # of two equal numbers, 5 and 5.0, the one the original goes on with
        touch = np.flatnonzero((of_left[1:] == of_left[:-1]) & (start[1:] == end[:-1]).astype(np.bool_))
        start[touch + 1] = end[touch]
    return Ranges(start, end)


def subtract(left: Ranges, right: Ranges) -> Ranges:
    """`left` without `right`; every range of `right` that reaches strictly into one of `left` cuts it."""
    first = np.searchsorted(right.end, left.start, side="right")
    after = np.searchsorted(right.start, left.end, side="left")
    cuts = np.maximum(after - first, 0)
    pieces = cuts + 1
    of_left = np.repeat(np.arange(len(left)), pieces)
    ends = np.cumsum(pieces) - 1
    number = np.arange(len(of_left)) - (ends - cuts)[of_left]
    start, end = left.start[of_left], left.end[of_left]
    inner = number > 0
    start[inner] = right.end[(first[of_left] + number - 1)[inner]]
    inner = number < cuts[of_left]
    end[inner] = right.start[(first[of_left] + number)[inner]]
    keep = (start < end) | (cuts[of_left] == 0)
    return Ranges(start[keep], end[keep])
