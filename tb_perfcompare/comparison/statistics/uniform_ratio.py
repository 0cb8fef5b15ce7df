"""Uniform change: whether the same kernels all changed by one ratio, as with a different clock or device."""

from __future__ import annotations

import math

import numpy as np

from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.text_numbers import TextNumbers, join_rows

UNIFORM_SPREAD = 0.05
"""Kernels changed uniformly if the middle half (by time) of their per-launch ratios spans at most twice this ..."""

UNIFORM_PART = 1 / 6
"""... or this part of the logarithm of the median ratio, since larger changes are less exact ..."""

MOST_OF_CHANGE = 0.5
"""Share of the median ratio's logarithm that the quartile nearer to 1 must reach: if matrix products take as long and
only elementwise kernels 10 % longer, the median is 5 %, and the clock is the same."""

UNIFORM_CHANGE = 0.03
"""... and the median ratio is at least this far from 1."""

UNEVEN_CHANGE, MOVED = np.log(1.2), np.log(1.1)
"""Least change of the median row, and of a row to count as changed, as logarithms, if rows changed unevenly ..."""

NEARLY_ALL, MIN_MOVED = 0.8, 5
"""... and least share of the time, and share and number of sizeable rows, that changed in that direction ..."""

SIZEABLE = 0.01
"""... which are those with this share of the time."""

MAX_WEIGHT = 0.2
"""Largest weight of one entry as a share of all: a change of a single entry is not uniform."""

_ROUNDING = 1e-9
"""Tolerance for rounding of shares of the weight."""

DOMINANT_SHARE = 0.9
"""Share of the time above which one entry is taken to make the whole change."""


def uniform_ratio(a: GroupTable | None, b: GroupTable | None, numbers: TextNumbers | None = None) -> float | None:
    """Median over time of candidate / baseline time per launch, if the rows in both tables changed uniformly; None
    if not, or if they make less than half of the time of a side: then the ratio is not that of most of its work.
    Exchanging the sides gives the reciprocal. `numbers` may hold the names already."""
    found = _ratios(a, b, numbers)
    if found is None:
        return None
    low, middle, high = weighted_quartiles(*found[:2])
    uniform = _are_alike(low, middle, high) and abs(middle) >= UNIFORM_CHANGE and _is_of_most(low, middle, high)
    return float(np.exp(middle)) if uniform else None


def ratios_are_alike(a: GroupTable, b: GroupTable) -> bool:
    """Whether the rows in both tables changed by about one ratio, if at all."""
    found = _ratios(a, b, None)
    return found is not None and _are_alike(*weighted_quartiles(*found[:2]))


def _are_alike(low: float, middle: float, high: float) -> bool:
    return high - low <= max(2 * UNIFORM_SPREAD, UNIFORM_PART * abs(middle))


def uneven_ratios(
    a: GroupTable | None, b: GroupTable | None, numbers: TextNumbers | None = None
) -> tuple[float, float] | None:
    """Quartiles over time of candidate / baseline time per launch, the nearer to 1 first, if nearly all rows in both
    tables changed in one direction, by whatever ratios; else None, as of uniform_ratio. None if short launches changed
    more than long ones: then each launch costs more (less), whatever it does."""
    found = _ratios(a, b, numbers)
    if found is None:
        return None
    ratio, times, calls = found
    low, middle, high = weighted_quartiles(ratio, times)
    sign = math.copysign(1.0, middle)
    moved = sign * ratio >= MOVED
    if sign * weighted_quartiles(ratio, calls)[1] > sign * middle:
        return None
    sizeable = times >= SIZEABLE * times.sum()
    most = min(times[moved].sum() / times.sum(), np.count_nonzero(moved & sizeable) / np.count_nonzero(sizeable))
    few = np.count_nonzero(moved & sizeable) < MIN_MOVED
    if few or most < NEARLY_ALL or abs(middle) < UNEVEN_CHANGE or not _is_of_most(low, middle, high):
        return None
    nearer, farther = (low, high) if middle > 0 else (high, low)
    return float(np.exp(nearer)), float(np.exp(farther))


def _is_of_most(low: float, middle: float, high: float) -> bool:
    nearer = low if middle > 0 else -high
    return nearer >= MOST_OF_CHANGE * abs(middle)


def _ratios(
    a: GroupTable | None, b: GroupTable | None, numbers: TextNumbers | None
) -> tuple[Floats, Floats, Floats] | None:
    """(r,) ln of candidate / baseline time per launch of the rows of both tables, (r,) their time and (r,) their
    launches on both sides; None if these are few, one makes nearly all of it, or they make less than half of the time
    of a side."""
    if a is None or b is None:
        return None
    joined = join_rows(TextNumbers() if numbers is None else numbers, a.keys, b.keys, len(a.key_columns))
    both = (joined.at_a >= 0) & (joined.at_b >= 0)
    rows_a, rows_b = joined.at_a[both], joined.at_b[both]
    if len(rows_a) < 3:
        return None
    all_a, all_b = (table.measures_ns["total"].sum(axis=1).astype(float) for table in (a, b))
    time_a, time_b = all_a[rows_a], all_b[rows_b]
    calls_a, calls_b = a.calls.sum(axis=1)[rows_a], b.calls.sum(axis=1)[rows_b]
    good = (time_a > 0) & (time_b > 0) & (calls_a > 0) & (calls_b > 0)
    if good.sum() < 3 or time_a[good].sum() < 0.5 * all_a.sum() or time_b[good].sum() < 0.5 * all_b.sum():
        return None
    times = time_a[good] + time_b[good]
    if times.max() > DOMINANT_SHARE * times.sum():
        return None
    ratio = np.log((time_b[good] / calls_b[good]) / (time_a[good] / calls_a[good]))
    return ratio, times, (calls_a + calls_b)[good].astype(float)


def weighted_quartiles(values: Floats, weights: Floats) -> tuple[float, float, float]:
    """Values below which a quarter, half and three quarters of the weight lie, the middle of two values if exactly so
    much lies between them. No entry weighs more than MAX_WEIGHT."""
    weights = np.minimum(weights, MAX_WEIGHT * weights.sum())
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weights[order]) / weights.sum()
    ends = (values[order][np.searchsorted(share, np.array([0.25, 0.5, 0.75]) + off)] for off in (-_ROUNDING, _ROUNDING))
    low, middle, high = np.mean(list(ends), axis=0).tolist()
    return low, middle, high
