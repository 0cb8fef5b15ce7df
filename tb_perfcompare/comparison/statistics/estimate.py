"""How far two samples of step times are apart: the Hodges-Lehmann shift with its interval, and what it can tell.

Everything here is antisymmetric: exchanging the sides negates theta, its interval, the shift in nanoseconds and
Cliff's delta bit for bit and leaves p, inflation and the detectable effect as they are. Formulas and sources:
docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.statistics.mean_effect import exact_mean, outlying_steps
from tb_perfcompare.comparison.statistics.pair_differences import differences_at
from tb_perfcompare.comparison.statistics.rank_test import batched_rank_test, interval_rank, normal_quantile, smallest_p

LONGEST_STEP_NS = 2**62
"""Step times lie between 1 and below this (146 years), so that differences and their searches stay within int64."""

_POWER = 0.8
_RANK_EFFICIENCY = 0.955  # of rank tests against the t test for normal data, 3/pi
_SIGMA_FLOOR = 0.001
_MAD_TO_SIGMA = 1.4826
_LARGEST_EXPONENT = 700.0  # exp of more does not fit a float

_CLIFF_WORDS = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))


@dataclass(frozen=True, slots=True)
class Difference:
    """Shift of plain values, exact: Hodges-Lehmann estimate and interval in nanoseconds; `level` as in Shift."""

    estimate_ns: Fraction
    low_ns: int
    high_ns: int
    level: float | None


@dataclass(frozen=True, slots=True)
class ShiftEstimate:
    """Candidate against baseline. Positive means that the candidate takes longer.

    n                        steps of baseline and candidate
    theta, theta_low, _high  shift of ln(time) and its interval; `fraction_of` turns them into fractions
    difference               the same shift on the times themselves, in ns
    level                    confidence level reached, >= 1 - alpha; None: too few steps, the ends are the whole range
    exact                    the interval and p come from the exact distribution of U
    rho, inflation           rank autocorrelation of neighbouring steps, factor on standard errors
    p, p_min                 two-sided Mann-Whitney p, and the smallest p these numbers of steps can give
    cliffs_delta             P(candidate above baseline) - P(below), -1..1
    sigma                    robust standard deviation of ln(time) within a side, at least 0.001
    alpha                    the level asked for
    log_mean_ratio           ln(mean candidate / mean baseline)
    outliers                 per side the indices of the steps above Q3 + 1.5 IQR
    """

    n: tuple[int, int]
    theta: float
    theta_low: float
    theta_high: float
    difference: Difference
    level: float | None
    exact: bool
    rho: float
    inflation: float
    p: float
    p_min: float
    cliffs_delta: float
    sigma: float
    alpha: float
    log_mean_ratio: float
    outliers: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def detectable(self) -> float | None:
        """Smallest fraction that n and m steps like these detect in about 80 of 100 cases (70 at n = m = 15).

        None when no float holds it.
        """
        n, m = self.n
        exponent = self._quantiles() * self.sigma * self.inflation * math.sqrt(1 / n + 1 / m)
        exponent /= math.sqrt(_RANK_EFFICIENCY)
        return math.expm1(exponent) if exponent < _LARGEST_EXPONENT else None

    def steps_needed(self, margin: float) -> int | None:
        """Steps per side with which `margin` would be detected in about 80 of 100 cases; None for a margin of zero."""
        if margin <= 0:
            return None
        ratio = self._quantiles() * self.sigma * self.inflation / math.log1p(margin)
        return math.ceil(2 * ratio * ratio / _RANK_EFFICIENCY)

    def mean_disagrees(self, margin: float) -> bool:
        """True when the shift of the mean and that of the typical step differ by more than the margin."""
        return abs(self.log_mean_ratio - self.theta) > math.log1p(margin)

    @property
    def effect_word(self) -> str:
        """Cliff's delta in words: negligible, small, medium, large."""
        for limit, word in _CLIFF_WORDS:
            if abs(self.cliffs_delta) < limit:
                return word
        return "large"

    def _quantiles(self) -> float:
        # 2.80 at alpha = 0.05
        return normal_quantile(1 - self.alpha / 2) + normal_quantile(_POWER)


def estimate_shift(
    baseline_ns: NDArray[np.int64],
    candidate_ns: NDArray[np.int64],
    alpha: float,
    *,
    captures: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None,
) -> ShiftEstimate:
    """Estimate the shift between two samples of step times in time order, each with at least one value.

    `captures` gives the capture of every step when a side has several: autocorrelation is looked for inside each.
    Raises ValueError for an empty sample or a time outside 1..LONGEST_STEP_NS-1.
    """
    for times in (baseline_ns, candidate_ns):
        if len(times) == 0 or times.min() <= 0 or times.max() >= LONGEST_STEP_NS:
            raise ValueError("step times must be at least one, above zero and below 2**62 ns")
    n, m = len(baseline_ns), len(candidate_ns)
    test = batched_rank_test(baseline_ns[np.newaxis], candidate_ns[np.newaxis], captures=captures)
    exact = bool(test.exact[0])
    inflation = float(test.inflation[0])
    k, level = interval_rank(n, m, alpha, exact=exact, tie_factor=float(test.tie_factor[0]), inflation=inflation)
    logs = np.log(baseline_ns), np.log(candidate_ns)
    theta, theta_low, theta_high = _shift(*logs, k)
    middle, low_ns, high_ns = _shift_ns(baseline_ns, candidate_ns, k)
    return ShiftEstimate(
        n=(n, m),
        theta=theta,
        theta_low=theta_low,
        theta_high=theta_high,
        difference=Difference(middle, low_ns, high_ns, level),
        level=level,
        exact=exact,
        rho=float(test.rho[0]),
        inflation=inflation,
        p=float(test.p[0]),
        p_min=smallest_p(n, m),
        cliffs_delta=float(test.cliffs_delta[0]),
        sigma=_robust_sigma(*logs),
        alpha=alpha,
        log_mean_ratio=math.log(exact_mean(candidate_ns)) - math.log(exact_mean(baseline_ns)),
        outliers=(outlying_steps(baseline_ns), outlying_steps(candidate_ns)),
    )


def estimate_difference(baseline_ns: NDArray[np.int64], candidate_ns: NDArray[np.int64], alpha: float) -> Difference:
    """The shift of plain values in 0..2**62, zeros allowed: for parts of steps (an entity that is often absent)."""
    test = batched_rank_test(baseline_ns[np.newaxis], candidate_ns[np.newaxis])
    k, level = interval_rank(
        len(baseline_ns),
        len(candidate_ns),
        alpha,
        exact=bool(test.exact[0]),
        tie_factor=float(test.tie_factor[0]),
        inflation=float(test.inflation[0]),
    )
    return Difference(*_shift_ns(baseline_ns, candidate_ns, k), level)


def log_shift(baseline_ns: NDArray[np.int64], candidate_ns: NDArray[np.int64]) -> float:
    """Hodges-Lehmann shift of ln(time) alone."""
    return _shift(np.log(baseline_ns), np.log(candidate_ns), 0)[0]


def fraction_of(theta: float) -> float:
    """The fraction e^theta - 1 of a shift of logarithms, so that an exchange of the sides stays consistent.

    A fraction is not antisymmetric: +25 % one way is -20 % the other. For theta >= 0 this is expm1(theta) = x, and
    for -theta it is the float next to 1/(1 + x) - 1 computed from that x without rounding in between.
    """
    if theta >= 0:
        return math.expm1(theta) + 0.0
    other = Fraction(math.expm1(-theta))
    return float(-other / (1 + other))


def _shift(baseline: NDArray[np.float64], candidate: NDArray[np.float64], k: int) -> tuple[float, float, float]:
    """(median, k-th smallest, k-th largest) difference; k = 0 gives the whole range. Never a negative zero."""
    low, below, above, high = differences_at(baseline, candidate, _shift_ranks(len(baseline), len(candidate), k))
    return float(below + above) / 2 + 0.0, float(low) + 0.0, float(high) + 0.0


def _shift_ns(baseline: NDArray[np.int64], candidate: NDArray[np.int64], k: int) -> tuple[Fraction, int, int]:
    low, below, above, high = differences_at(baseline, candidate, _shift_ranks(len(baseline), len(candidate), k))
    return Fraction(int(below) + int(above), 2), int(low), int(high)


def _shift_ranks(n: int, m: int, k: int) -> tuple[int, int, int, int]:
    """Ranks of the lower end, of the two middle differences (the same one for an odd number), of the upper end."""
    pairs = n * m
    end = max(k, 1)
    return end, (pairs + 1) // 2, pairs // 2 + 1, pairs + 1 - end


def _robust_sigma(baseline: NDArray[np.float64], candidate: NDArray[np.float64]) -> float:
    """1.4826 x the median distance of all steps from the median of their own side, at least 0.001."""
    distances = np.concatenate([np.abs(side - np.median(side)) for side in (baseline, candidate)])
    return max(_SIGMA_FLOOR, _MAD_TO_SIGMA * float(np.median(distances)))
