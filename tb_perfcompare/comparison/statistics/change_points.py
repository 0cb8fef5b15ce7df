"""Change points in a series of runs: binary segmentation with a permutation test.

A segment of n values x is split where |mean left - mean right| sqrt(k (n - k) / n) / s is largest over all k with at
least three values on either side; s is the deviation of the segment. The split is tested against the same maximum of
random orders of the segment: if nothing changed, every order is equally likely, whatever the distribution
(permutation test of divisive segmentation: Matteson & James, "A nonparametric approach for multiple change point
analysis of multivariate data", JASA 109, 2014; used in this way for the performance data of a build server by Daly
et al., "The use of change point detection to identify software performance regressions", ICPE 2020). Both parts are
then segmented in the same way. A stationary series only reaches the tests after the first if that one errs, so the
share of stationary series with any change point is at most the level of the test.
"""

from __future__ import annotations

import math

import numpy as np

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.hodges_lehmann import shift_of
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.quick_dataclass import dataclass

PERMUTATIONS = 999
"""Random orders of a segment, so that the smallest p is 1/1000."""

MIN_VALUES = 3
"""Fewest values on either side of a split: one or two are outliers, not a level. One outlier at the end of 30 values
passes as a level in 36 % of series with two, in 26 % with three (docs/guide/history.md)."""

_ROUNDING = 1e-9  # orders with the same maximum differ in the last digits of their sums


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """Change of level that begins at the value `start`. `shift` is the Hodges-Lehmann shift from the segment before
    to the one after, in the unit of the values; `p` is that of the permutation test that found it."""

    start: int
    shift: float
    p: float


def change_points(values: Floats, options: CompareOptions | None = None) -> tuple[ChangePoint, ...]:
    """Finds changes in the logarithms of times, one per run, in time order; the changes are in that order. A change
    counts if p is at most alpha and its shift exceeds the margin, |shift| > ln(1 + margin)."""
    options = options or CompareOptions()
    margin = math.log1p(options.margin)
    p_values: dict[int, float] = {}
    pending = [(0, len(values))]
    while pending:
        start, end = pending.pop()
        split = _split(values[start:end], options.seed)
        if split is None:
            continue
        position, p = start + split[0], split[1]
        if p <= options.alpha and abs(_shift(values[start:position], values[position:end])) > margin:
            p_values[position] = p
            pending += [(start, position), (position, end)]
    return _splits_beyond(values, p_values, margin)


def can_be_found(n: int, k: int, alpha: float) -> bool:
    """Whether a change after the k-th of n values could pass the test at all: even the clearest change is matched by
    2 of all ways to choose k values."""
    return MIN_VALUES <= k <= n - MIN_VALUES and alpha * math.comb(n, k) >= 2


def _splits_beyond(values: Floats, p_values: dict[int, float], margin: float) -> tuple[ChangePoint, ...]:
    """Splits with the shifts between final segments; splits whose shift there is within the margin are removed, the
    smallest first."""
    while True:
        ends = [0, *sorted(p_values), len(values)]
        changes = [
            ChangePoint(start, _shift(values[before:start], values[start:after]), p_values[start])
            for before, start, after in zip(ends, ends[1:], ends[2:], strict=False)
        ]
        least = min(changes, key=lambda change: abs(change.shift), default=None)
        if least is None or abs(least.shift) > margin:
            return tuple(changes)
        del p_values[least.start]


def _split(values: Floats, seed: int) -> tuple[int, float] | None:
    """(k, p) of the best split; None if there is none."""
    n = len(values)
    if n < 2 * MIN_VALUES or values.min() == values.max():
        return None
    centered = values - values.mean()
    statistics = _statistics(centered)
    best = int(statistics.argmax())
    orders = np.tile(centered, (PERMUTATIONS, 1))
    np.random.default_rng(seed).permuted(orders, axis=1, out=orders)
    reached = _statistics(orders).max(axis=1) >= statistics[best] * (1 - _ROUNDING)
    return best + MIN_VALUES, (1 + int(reached.sum())) / (1 + PERMUTATIONS)


def _statistics(centered: Floats) -> Floats:
    """(..., n) values with mean 0 -> the statistic for k from MIN_VALUES to n - MIN_VALUES. With the sum S of the left
    part it is |S| sqrt(n / (k (n - k))); s is the same for every order of the values and is left out."""
    n = centered.shape[-1]
    k = np.arange(MIN_VALUES, n - MIN_VALUES + 1)
    sums = np.cumsum(centered, axis=-1)[..., MIN_VALUES - 1 : n - MIN_VALUES]
    statistics: Floats = np.abs(sums) * np.sqrt(n / (k * (n - k)))
    return statistics


def _shift(before: Floats, after: Floats) -> float:
    return shift_of(before, after, 0)[0]
