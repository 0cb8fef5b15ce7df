"""The Mann-Whitney test: exact without ties, normal with them, and widened when steps follow one another.

One implementation serves the step time (one row) and thousands of entities at once (rows of a matrix). All orderings
are made on the integers as measured, so ties are exact. Formulas: docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

EXACT_LIMIT = 50
"""Up to this many steps on each side the distribution of U is counted, beyond it the normal one is used."""

INFLATION_IGNORED = 1.1
"""Up to this inflation the exact distribution is kept: smaller values are indistinguishable from chance."""

_RHO_MAX = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class BatchedRankTest:
    """g independent tests, all arrays of shape (g,).

    twice_u       int64: 2 U, where U counts pairs with the candidate above the baseline, a tie counting half
    cliffs_delta  float64 in -1..1: 2U/(nm) - 1, above 0 when the candidate is larger
    tie_factor    float64 in 0..1: what ties leave of the variance of U; 1 without ties, 0 when all values are equal
    rho           float64 in 0..0.9: rank autocorrelation of neighbouring steps
    inflation     float64 >= 1: factor on standard errors that goes with rho
    exact         bool: p comes from the exact distribution
    p             float64 in 0..1, two-sided
    """

    twice_u: NDArray[np.int64]
    cliffs_delta: NDArray[np.float64]
    tie_factor: NDArray[np.float64]
    rho: NDArray[np.float64]
    inflation: NDArray[np.float64]
    exact: NDArray[np.bool_]
    p: NDArray[np.float64]


def batched_rank_test(
    baseline: NDArray[np.int64],
    candidate: NDArray[np.int64],
    *,
    captures: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None,
    ordered: bool = True,
) -> BatchedRankTest:
    """Two-sided Mann-Whitney tests of the rows of (g, n) against those of (g, m), n and m at least 1.

    captures  per side the capture of each column, (n,) and (m,); None when each side is one capture
    ordered   columns of one capture are in time order; without it no autocorrelation is looked for
    """
    groups, n = baseline.shape
    m = candidate.shape[1]
    ranks, tie_sum = _doubled_ranks(np.concatenate([baseline, candidate], axis=1))
    twice_u = ranks[:, n:].sum(axis=1) - m * (m + 1)
    total = n + m
    tie_factor = 1.0 - tie_sum / (total * (total - 1.0) * (total + 1.0))
    rho = _rank_autocorrelation(baseline, candidate, captures) if ordered else np.zeros(groups)
    inflation = np.sqrt((1.0 + rho) / (1.0 - rho))
    exact = (tie_sum == 0) & (inflation <= INFLATION_IGNORED) & (max(n, m) <= EXACT_LIMIT)
    widening = np.where(inflation <= INFLATION_IGNORED, 1.0, inflation)
    p = _normal_p(twice_u, n, m, tie_factor, widening)
    if exact.any():
        least = np.minimum(twice_u, 2 * n * m - twice_u)[exact] // 2
        p[exact] = exact_p_table(min(n, m), max(n, m))[least]
    return BatchedRankTest(twice_u, (twice_u - n * m) / (n * m), tie_factor, rho, inflation, exact, p)


def smallest_p(n: int, m: int) -> float:
    """The p of complete separation, 2/C(n+m, n): no two-sided test of n against m steps can give less."""
    return min(1.0, 2 / math.comb(n + m, n))


def interval_rank(
    n: int, m: int, alpha: float, *, exact: bool, tie_factor: float = 1.0, inflation: float = 1.0
) -> tuple[int, float | None]:
    """(k, level): the interval runs from the k-th smallest to the k-th largest difference and has that level.

    k is the largest with P(U <= k-1) <= alpha/2, so that level >= 1 - alpha. (0, None) when no k exists: then too
    few steps were taken. The normal branch is not trusted to go below what any ordering of n and m steps can reach.
    """
    if exact:
        total = math.comb(n + m, n)
        # alpha is meant as written: 0.05 is 1/20, not the binary fraction next to it
        allowed = Fraction(repr(float(alpha))) * total / 2
        k = sum(1 for count in _tail_counts(min(n, m), max(n, m)) if count <= allowed)
        if k == 0:
            return 0, None
        return k, 1 - 2 * _tail_counts(min(n, m), max(n, m))[k - 1] / total
    if smallest_p(n, m) > alpha:
        return 0, None
    widening = inflation if inflation > INFLATION_IGNORED else 1.0
    deviation = widening * math.sqrt(n * m * (n + m + 1) / 12 * tie_factor)
    k = math.floor(n * m / 2 - normal_quantile(1 - alpha / 2) * deviation)
    if k < 1:
        return 0, None
    if deviation == 0:
        return k, 1.0
    return k, 1 - math.erfc((n * m / 2 - k) / deviation / math.sqrt(2))


def normal_quantile(probability: float) -> float:
    """The standard normal quantile."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(probability)


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
def exact_p_table(n: int, m: int) -> NDArray[np.float64]:
    """Two-sided p by the smaller of U and nm - U; a quotient of integers, rounded once."""
    total = math.comb(n + m, n)
    return np.array([min(1.0, 2 * count / total) for count in _tail_counts(n, m)])


def _normal_p(
    twice_u: NDArray[np.int64], n: int, m: int, tie_factor: NDArray[np.float64], widening: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Two-sided p from the normal approximation; 1 where all values are equal.

    The continuity correction mends a discrete distribution known exactly; a widened one is not, and its interval has
    no such correction either.
    """
    deviation = widening * np.sqrt(n * m * (n + m + 1) / 12 * tie_factor)
    distance = np.maximum(np.abs(twice_u - n * m) - (widening == 1.0), 0) / 2
    z = np.divide(distance, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    return np.array([math.erfc(value) for value in (z / math.sqrt(2)).tolist()], dtype=np.float64)


def _doubled_ranks(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(g, s) values -> (g, s) twice the rank in the row, ties sharing their mean rank, and (g,) sum of t^3 - t."""
    size = values.shape[1]
    order = np.argsort(values, axis=1, kind="stable")
    in_order = np.take_along_axis(values, order, axis=1)
    changes = np.ones((values.shape[0], size + 1), dtype=bool)
    changes[:, 1:size] = in_order[:, 1:] != in_order[:, :-1]
    place = np.arange(size, dtype=np.int64)
    first = np.maximum.accumulate(np.where(changes[:, :size], place, 0), axis=1)
    last = np.minimum.accumulate(np.where(changes[:, 1:], place, size)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty_like(first)
    np.put_along_axis(ranks, order, first + last + 2, axis=1)
    tied = last - first + 1
    # t equal values contribute t^2 - 1 each
    return ranks, (tied * tied - 1).sum(axis=1)


def _rank_autocorrelation(
    baseline: NDArray[np.int64],
    candidate: NDArray[np.int64],
    captures: tuple[NDArray[np.int32], NDArray[np.int32]] | None,
) -> NDArray[np.float64]:
    """(g,) rho of neighbouring steps from ranks within each capture, plus 1/n for what a mean of n steps takes away.

    Ranks stay inside a capture: steps of two captures are no neighbours, and how far captures differ is judged apart,
    by the noise floor. With one capture per side the small-sample term is 2/(n+m).
    """
    sides = [
        _stretches(baseline, captures[0] if captures else None),
        _stretches(candidate, captures[1] if captures else None),
    ]
    # added up per side first: a sum of two does not depend on which side comes first
    (products_a, squares_a), (products_b, squares_b) = (_neighbour_products(stretches) for stretches in sides)
    products, squares = products_a + products_b, squares_a + squares_b
    raw = np.divide(products, squares, out=np.zeros_like(products), where=squares > 0)
    lost = (len(sides[0]) + len(sides[1])) / (baseline.shape[1] + candidate.shape[1])
    return np.where(squares > 0, np.clip(raw + lost, 0.0, _RHO_MAX), 0.0)


def _neighbour_products(stretches: list[NDArray[np.int64]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(g,) sums of r_i r_(i+1) and of r_i^2, r being ranks about their mean, over the length of their stretch."""
    products = np.zeros(stretches[0].shape[0])
    squares = np.zeros(stretches[0].shape[0])
    for stretch in stretches:
        steps = stretch.shape[1]
        centred = _doubled_ranks(stretch)[0] - (steps + 1)
        products += (centred[:, :-1] * centred[:, 1:]).sum(axis=1) / steps**2
        squares += (centred * centred).sum(axis=1) / steps**2
    return products, squares


def _stretches(side: NDArray[np.int64], capture: NDArray[np.int32] | None) -> list[NDArray[np.int64]]:
    """The side cut into its captures, columns of each in order."""
    if capture is None:
        return [side]
    return [side[:, capture == which] for which in np.unique(capture)]
