"""Mann-Whitney test: exact without ties, normal with them, and widened for autocorrelated steps.

One implementation serves the step time (one row) and thousands of entities at once (rows of a matrix). All ranks are
computed on the integers as measured, so ties are exact. Formulas: docs/method/statistics.md.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np

from tb_perfcompare.comparison.statistics.autocorrelation import (
    Autocorrelation,
    Captures,
    Families,
    autocorrelation,
    doubled_ranks,
    independent,
)
from tb_perfcompare.comparison.statistics.distributions import normal_quantile, student_p
from tb_perfcompare.model.arrays import Flags, Floats, Ints
from tb_perfcompare.quick_dataclass import dataclass

EXACT_LIMIT = 50
"""Steps on each side up to which the exact distribution of U is used, beyond it the normal one."""


@dataclass(frozen=True, slots=True, eq=False)
class BatchedRankTest:
    """g independent tests, all arrays of shape (g,).

    twice_u       int64: 2 U, where U counts pairs with the candidate above the baseline, a tie counting half
    cliffs_delta  float64 in -1..1: 2U/(nm) - 1, above 0 if the candidate is larger
    tie_factor    float64 in 0..1: factor of ties on the variance of U; 1 without ties, 0 if all values are equal
    neighbors    autocorrelation of the steps
    countable     bool: the exact distribution of U is used, as there are few steps and no equal values
    p_alone       float64 in 0..1, two-sided, for independent steps
    p             the same for autocorrelated steps: Student's p of U over its inflated deviation
    """

    twice_u: Ints
    cliffs_delta: Floats
    tie_factor: Floats
    neighbors: Autocorrelation
    countable: Flags
    p_alone: Floats
    p: Floats


def batched_rank_test(
    baseline: Ints,
    candidate: Ints,
    *,
    captures: Captures | None = None,
    ordered: bool = True,
    alike: Families = (),
) -> BatchedRankTest:
    """Two-sided Mann-Whitney tests of the rows of (g, n) against those of (g, m), n and m at least 1.

    captures  per side the capture of each column, (n,) and (m,); None if each side is one capture
    ordered   columns of one capture are in time order; otherwise autocorrelation is not measured
    alike     families of rows: none gets a lower autocorrelation than the median row of its family
    """
    groups, n = baseline.shape
    m = candidate.shape[1]
    ranks, tie_sum = doubled_ranks(np.concatenate([baseline, candidate], axis=1))
    twice_u = ranks[:, n:].sum(axis=1) - m * (m + 1)
    total = n + m
    tie_factor = 1.0 - tie_sum / (total * (total - 1.0) * (total + 1.0))
    neighbors = (
        autocorrelation(baseline, candidate, captures, alike=alike) if ordered else independent(groups, total)
    )
    countable = (tie_sum == 0) & (max(n, m) <= EXACT_LIMIT)
    deviation = np.sqrt(n * m * (n + m + 1) / 12 * tie_factor)
    p_alone = np.empty(groups)
    p_alone[~countable] = _normal_p(twice_u[~countable], n, m, deviation[~countable])
    if countable.any():
        least = np.minimum(twice_u, 2 * n * m - twice_u)[countable] // 2
        p_alone[countable] = exact_p_table(min(n, m), max(n, m))[least]
    p = p_alone.copy()
    if (dependent := neighbors.matters & (deviation > 0)).any():
        distance = np.abs(twice_u - n * m)[dependent] / 2 / (deviation * neighbors.inflation)[dependent]
        # correction can only weaken the evidence
        p[dependent] = np.maximum(p_alone[dependent], student_p(distance, neighbors.degrees_of_freedom[dependent]))
    return BatchedRankTest(twice_u, (twice_u - n * m) / (n * m), tie_factor, neighbors, countable, p_alone, p)


def smallest_p(n: int, m: int) -> float:
    """p of complete separation, 2/C(n+m, n): the smallest that a two-sided test of n against m steps can give."""
    return min(1.0, 2 / math.comb(n + m, n))


def interval_rank(
    n: int, m: int, alpha: float, *, exact: bool, tie_factor: float = 1.0
) -> tuple[int, float | None]:
    """(k, level): the interval of independent steps runs from the k-th smallest to the k-th largest difference.

    k is the largest with P(U <= k-1) <= alpha/2, so that level >= 1 - alpha. (0, None) if no k exists: too few
    steps. The normal approximation is not trusted below what any ordering of n and m steps can reach.
    """
    if exact:
        total, counts = math.comb(n + m, n), _tail_counts(min(n, m), max(n, m))
        # alpha is meant as written: 0.05 is 1/20, not the binary fraction next to it
        k = bisect_right(counts, math.floor(Fraction(repr(float(alpha))) * total / 2))
        if k == 0:
            return 0, None
        return k, 1 - 2 * counts[k - 1] / total
    if smallest_p(n, m) > alpha:
        return 0, None
    deviation = math.sqrt(n * m * (n + m + 1) / 12 * tie_factor)
    k = math.floor(n * m / 2 - normal_quantile(1 - alpha / 2) * deviation)
    if k < 1:
        return 0, None
    if deviation == 0:
        return k, 1.0
    return k, 1 - math.erfc((n * m / 2 - k) / deviation / math.sqrt(2))


@lru_cache(maxsize=256)
def _tail_counts(n: int, m: int) -> tuple[int, ...]:
    """Orderings with U <= u for u = 0..nm//2, n <= m: partial sums of the Gaussian binomial's coefficients.

    The coefficients of prod_i (1 - q^(m+i))/(1 - q^i), i = 1..n, count partitions into at most n parts of at most m.
    Integers throughout: C(100, 50) has 97 bits.
    """
    size = n * m // 2 + 1
    counts = [0] * size
    counts[0] = 1
    for i in range(1, n + 1):
        for u in range(size - 1, m + i - 1, -1):
            counts[u] -= counts[u - m - i]
        for u in range(i, size):
            counts[u] += counts[u - i]
    return tuple(accumulate(counts))


@lru_cache(maxsize=256)
def exact_p_table(n: int, m: int) -> Floats:
    """Two-sided p indexed by the smaller of U and nm - U; a quotient of integers, rounded once."""
    total = math.comb(n + m, n)
    return np.array([min(1.0, 2 * count / total) for count in _tail_counts(n, m)])


def _normal_p(twice_u: Ints, n: int, m: int, deviation: Floats) -> Floats:
    """Two-sided p from the normal approximation with continuity correction; 1 if all values are equal."""
    distance = np.maximum(np.abs(twice_u - n * m) - 1, 0) / 2
    z = np.divide(distance, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    return np.array([math.erfc(value) for value in (z / math.sqrt(2)).tolist()], dtype=np.float64)
