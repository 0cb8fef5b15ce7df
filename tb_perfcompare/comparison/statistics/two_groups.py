"""Bimodal steps: whether the steps of one side fall into two groups, which no single shift describes."""

from __future__ import annotations

import math

import numpy as np

from tb_perfcompare.model.arrays import CaptureIndex, Nanoseconds, median, unique
from tb_perfcompare.quick_dataclass import dataclass

MIN_STEPS = 3
"""Fewest steps in a group ..."""

SMALLEST_SHARE = 0.2
"""... and its least share of the side's steps: anything less is a few slow steps."""

MIN_GAP_SHARE = 0.05
"""Least width of the gap as a share of the median step."""

_GAP = 5.0
"""The gap must be at least _GAP/(n + 1) of the range, which 99 of 100 normal samples of 6 to 100 steps do not have."""


@dataclass(frozen=True, slots=True)
class TwoGroups:
    """Steps below and above the widest gap: their number, and the median of each group in ns."""

    low_count: int
    low_ns: float
    high_count: int
    high_ns: float


def two_groups(times_ns: Nanoseconds, capture: CaptureIndex | None = None) -> TwoGroups | None:
    """Finds the two groups of (n,) step times, None without a clear gap. Definition: docs/method/statistics.md.

    With the capture of each step, groups that coincide with captures do not count: that is the noise floor.
    """
    n = len(times_ns)
    fewest = max(MIN_STEPS, math.ceil(SMALLEST_SHARE * n))
    if n < 2 * fewest:
        return None
    ordered = np.sort(times_ns)
    gaps = np.diff(ordered)[fewest - 1 : n - fewest]
    widest = int(gaps.argmax())
    gap, spread = float(gaps[widest]), float(ordered[-1] - ordered[0])
    if gap < _GAP / (n + 1) * spread or gap < MIN_GAP_SHARE * float(median(ordered)) or not spread:
        return None
    low, high = ordered[: widest + fewest], ordered[widest + fewest :]
    if capture is not None:
        groups = [unique(capture[side]) for side in (times_ns <= low[-1], times_ns > low[-1])]
        if sum(map(len, groups)) == len(unique(capture)):
            return None
    return TwoGroups(len(low), float(median(low)), len(high), float(median(high)))
