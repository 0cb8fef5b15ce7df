"""Drift: whether the step time changed within a capture. Definition: docs/method/admission.md. And bimodal steps:
whether the steps of one side fall into two groups, which no single shift describes."""

from __future__ import annotations

import math

import numpy as np

from tb_perfcompare.comparison.statistics.autocorrelation import doubled_ranks
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of, log_shift
from tb_perfcompare.model.arrays import CaptureIndex, Floats, Nanoseconds, median, unique
from tb_perfcompare.quick_dataclass import dataclass

MIN_STEPS = 12
"""Fewest steps for a test."""

LEVEL = 0.01
"""Largest p of a drift."""

MIN_SHIFT = 0.03
"""Smallest fraction by which later steps are longer, or earlier ones."""

PERMUTATIONS = 2000
"""Random orders of the steps, up to _PERMUTED_UP_TO of these; more steps have the limit distribution."""

_SEED = 20240607
_PERMUTED_UP_TO = 200


@dataclass(frozen=True, slots=True)
class Drift:
    """`start`: first step after the change; `shift`: fraction by which later steps are longer; `p` of the test."""

    start: int
    shift: float
    p: float


def drift(total_ns: Nanoseconds) -> Drift | None:
    """Finds the change within (n,) step times in time order; None if there is no significant change."""
    count = len(total_ns)
    if count < MIN_STEPS or int(total_ns.min()) <= 0:
        return None
    centered = doubled_ranks(total_ns[None])[0][0] / 2 - (count + 1) / 2
    path = np.abs(np.cumsum(centered)[:-1])
    split = int(path.argmax()) + 1
    largest = float(path[split - 1])
    shift = log_shift(total_ns[:split], total_ns[split:])
    if abs(shift) < math.log1p(MIN_SHIFT):
        return None
    p = _permuted(centered, largest) if count <= _PERMUTED_UP_TO else _kolmogorov(centered, largest)
    return Drift(split, fraction_of(shift), p) if p < LEVEL else None


def _permuted(centered: Floats, largest: float) -> float:
    random = np.random.default_rng(_SEED)
    shuffled = random.permuted(np.broadcast_to(np.sort(centered), (PERMUTATIONS, len(centered))), axis=1)
    reached = (np.abs(np.cumsum(shuffled, axis=1)).max(axis=1) >= largest - 1e-9).sum()
    return float(reached + 1) / (PERMUTATIONS + 1)


def _kolmogorov(centered: Floats, largest: float) -> float:
    """P(sup of a Brownian bridge >= x) = 2 sum (-1)^(k-1) exp(-2 k^2 x^2)."""
    deviation = float(np.sqrt((centered * centered).sum()))
    x = largest / deviation if deviation else 0.0
    terms = sum((-1) ** (k - 1) * math.exp(-2 * k * k * x * x) for k in range(1, 101))
    return min(1.0, max(0.0, 2 * terms)) if x > 0.2 else 1.0


MIN_IN_GROUP = 3
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
    fewest = max(MIN_IN_GROUP, math.ceil(SMALLEST_SHARE * n))
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
