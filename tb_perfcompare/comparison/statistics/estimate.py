"""Hodges-Lehmann shift between two samples of step times, with its interval and what it can detect.

Everything here is antisymmetric: exchanging the sides negates theta, its interval, the shift in nanoseconds and
Cliff's delta bit for bit, and does not alter p, inflation and the detectable effect. Formulas and sources:
docs/method/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.statistics.autocorrelation import Autocorrelation, Captures, independent
from tb_perfcompare.comparison.statistics.between_captures import (
    MIN_OWN_CAPTURES,
    POWER,
    BetweenCaptures,
    between_captures,
    capture_counts,
    centers_of,
    middle_half,
)
from tb_perfcompare.comparison.statistics.distributions import normal_quantile
from tb_perfcompare.comparison.statistics.hodges_lehmann import shift_of, shift_of_ns
from tb_perfcompare.comparison.statistics.mean_effect import exact_mean, outlying_steps
from tb_perfcompare.comparison.statistics.rank_test import BatchedRankTest, batched_rank_test, interval_rank, smallest_p
from tb_perfcompare.model.arrays import MAD_TO_SIGMA, Floats, Nanoseconds, median
from tb_perfcompare.quick_dataclass import dataclass

MAX_STEPS = 10_000
"""Largest number of steps per side that is recommended."""

LONGEST_STEP_NS = 2**62
"""Step times lie between 1 and below this (146 years), so that differences and searches over them stay within int64."""

RANK_EFFICIENCY = 0.955  # of rank tests relative to the t test for normal data, 3/pi
SIGMA_FLOOR = 0.001
LARGEST_EXPONENT = 700.0
"""exp of a larger number overflows a float."""

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
    """Shift of the candidate against the baseline. Positive means that the candidate takes longer.

    n                        steps of baseline and candidate
    theta, theta_low, _high  shift of ln(time) and its interval; `fraction_of` converts them to fractions
    steps_low, steps_high    the interval from steps alone; with several captures theta_low, _high reach at least as far
    difference               the same shift of the times themselves, in ns; None for times at equal machine speed
    level                    confidence level reached, >= 1 - alpha; None: too few steps, the ends are the whole range
    exact                    the interval and p come from the exact distribution of U
    rho, inflation           autocorrelation of neighboring steps, and the corresponding factor on standard errors
    scale, widening          inflation corrected for short series; factor by which the interval of steps was widened
    between                  comparison of the captures' centers of ln(time), if a side has several captures
    p, p_min                 two-sided p, the larger of steps and captures; the smallest possible with this many steps
    cliffs_delta             P(candidate above baseline) - P(below), -1..1
    sigma                    robust standard deviation of ln(time) within a side, at least 0.001; with kinds the value
                             that would give the same interval
    alpha                    requested error level
    log_mean_ratio           ln(mean candidate / mean baseline)
    outliers                 per side the indices of the steps above Q3 + 1.5 IQR
    kinds                    number of kinds of steps within which they were compared; 0: all are of one kind
    """

    n: tuple[int, int]
    theta: float
    theta_low: float
    theta_high: float
    steps_low: float
    steps_high: float
    difference: Difference | None
    level: float | None
    exact: bool
    rho: float
    inflation: float
    scale: float
    widening: float
    between: BetweenCaptures | None
    p: float
    p_min: float
    cliffs_delta: float
    sigma: float
    alpha: float
    log_mean_ratio: float
    outliers: tuple[tuple[int, ...], tuple[int, ...]]
    kinds: int = 0

    @property
    def detectable(self) -> float | None:
        """Smallest fraction that n and m steps like these detect in about 80 of 100 cases (70 at n = m = 15).

        At least the distance from the estimate to the end of its interval that faces zero: a smaller change has just
        not been detected. Sigma alone is too small for steps in two groups. None if it overflows a float.
        """
        n, m = self.n
        certain, likely = self._quantiles()
        exponent = (certain * self.widening + likely * self.scale) * self.sigma * math.sqrt(1 / n + 1 / m)
        exponent /= math.sqrt(RANK_EFFICIENCY)
        if self.level is not None:
            if self.theta >= 0:
                exponent = max(exponent, self.theta - self.steps_low)
            if self.theta <= 0:  # zero faces both ends
                exponent = max(exponent, self.steps_high - self.theta)
        return math.expm1(exponent) if exponent < LARGEST_EXPONENT else None

    def steps_needed(self, margin: float) -> int | None:
        """Steps per side with which `margin` would be detected in about 80 of 100 cases; None for a margin of zero,
        or if MAX_STEPS would be too few."""
        if margin <= 0:
            return None
        ratio = sum(self._quantiles()) * self.sigma * self.scale / math.log1p(margin)
        needed = 2 * ratio * ratio / RANK_EFFICIENCY
        return math.ceil(needed) if needed <= MAX_STEPS else None

    @property
    def by_steps(self) -> ShiftEstimate:
        """The estimate from steps alone, which holds for these captures, not for the configurations."""
        return replace(self, theta_low=self.steps_low, theta_high=self.steps_high, between=None)

    def mean_disagrees(self, margin: float) -> bool:
        """Whether the shift of the mean and that of the typical step differ by more than the margin."""
        return abs(self.log_mean_ratio - self.theta) > math.log1p(margin)

    @property
    def effect_word(self) -> str:
        """Cliff's delta in words: negligible, small, medium, large."""
        for limit, word in _CLIFF_WORDS:
            if abs(self.cliffs_delta) < limit:
                return word
        return "large"

    def _quantiles(self) -> tuple[float, float]:
        # together 2.80 at alpha = 0.05
        return normal_quantile(1 - self.alpha / 2), normal_quantile(POWER)


def estimate_shift(
    baseline_ns: Nanoseconds,
    candidate_ns: Nanoseconds,
    alpha: float,
    *,
    captures: Captures | None = None,
    variation_from: BetweenCaptures | None = None,
    at_pace: bool = False,
) -> ShiftEstimate:
    """Estimates the shift between two samples of step times in time order, each with at least one value.

    `captures` gives the capture of every step if a side has several: autocorrelation is measured within each, and
    the variation between captures widens the interval; it may be that of others (`variation_from`).
    With three captures on both sides the captures account for the autocorrelation of their steps, which then widens
    nothing. `at_pace`: the times are at equal machine speed and have no unit; captures of both sides share one
    deviation (`shared` of between_captures). Raises ValueError for an empty sample or a time outside
    1..LONGEST_STEP_NS-1.
    """
    _check_times(baseline_ns, candidate_ns)
    n, m = len(baseline_ns), len(candidate_ns)
    captures_decide = captures is not None and min(capture_counts(captures)) >= MIN_OWN_CAPTURES
    ordered = not (captures_decide and at_pace)  # if both, autocorrelation is neither used nor shown
    test = batched_rank_test(baseline_ns[np.newaxis], candidate_ns[np.newaxis], captures=captures, ordered=ordered)
    k, level = _rank_and_level(test, n, m, alpha, counted=captures_decide)
    # a range is not widened
    neighbors = test.neighbors if level is not None and not captures_decide else independent(1, n + m)
    widening = float(neighbors.widening(alpha)[0])
    logs = np.log(baseline_ns), np.log(candidate_ns)
    theta, steps_low, steps_high, p = _of_steps(logs, k, test, neighbors, alpha, counted=captures_decide)
    theta_low, theta_high = steps_low, steps_high
    between = _between_captures(logs, captures, alpha, variation_from, at_pace)
    if between is not None:
        p = max(p, float(between.p[0]))
        theta_low, theta_high = between.hull(steps_low, steps_high)
    return ShiftEstimate(
        n=(n, m),
        theta=theta,
        theta_low=max(theta_low, -LARGEST_EXPONENT),
        theta_high=min(theta_high, LARGEST_EXPONENT),
        steps_low=max(steps_low, -LARGEST_EXPONENT),
        steps_high=min(steps_high, LARGEST_EXPONENT),
        difference=(
            None if at_pace else _difference(baseline_ns, candidate_ns, k, level, widening, captures, alpha)
        ),
        level=level,
        exact=bool(test.countable[0]) and widening == 1,
        rho=float(test.neighbors.rho[0]),
        inflation=float(test.neighbors.inflation[0]),
        scale=float(neighbors.scale[0]),
        widening=widening,
        between=between,
        p=p,
        p_min=smallest_p(n, m),
        cliffs_delta=float(test.cliffs_delta[0]),
        sigma=_robust_sigma(*logs),
        alpha=alpha,
        log_mean_ratio=math.log(exact_mean(candidate_ns)) - math.log(exact_mean(baseline_ns)),
        outliers=(outlying_steps(baseline_ns), outlying_steps(candidate_ns)),
    )


def _check_times(*sides: Nanoseconds) -> None:
    for times in sides:
        if len(times) == 0 or times.min() <= 0 or times.max() >= LONGEST_STEP_NS:
            raise ValueError("step times must be at least one, above zero and below 2**62 ns")


def _of_steps(
    logs: tuple[Floats, Floats], k: int, test: BatchedRankTest, neighbors: Autocorrelation, alpha: float, *,
    counted: bool,
) -> tuple[float, float, float, float]:  # fmt: skip
    """Shift of ln(time), the ends of its interval, and p, from steps alone. `counted`: captures decide, so that the
    order of their steps does not matter."""
    theta, *ends = shift_of(*logs, k)
    middle, below, above = (np.array([value]) for value in (theta, *ends))
    low, high = (float(end[0]) for end in neighbors.interval(middle, below, above, alpha))
    if neighbors.widening(alpha)[0] > 1:
        return theta, low, high, max(float(test.p_alone[0]), float(neighbors.p(middle, below, above, alpha)[0]))
    return theta, low, high, float(test.p_alone[0] if counted else test.p[0])


def _rank_and_level(
    test: BatchedRankTest, n: int, m: int, alpha: float, *, counted: bool
) -> tuple[int, float | None]:
    """k of `interval_rank` for the first row, and the level: that of k, or 1 - alpha if steps are autocorrelated,
    since counting orderings assumes independence (unless `counted`)."""
    k, level = interval_rank(n, m, alpha, exact=bool(test.countable[0]), tie_factor=float(test.tie_factor[0]))
    return k, 1 - alpha if level is not None and test.neighbors.matters[0] and not counted else level


def _between_captures(
    sides: tuple[NDArray[Any], NDArray[Any]],
    captures: Captures | None,
    alpha: float,
    variation_from: BetweenCaptures | None = None,
    shared: bool = False,
) -> BetweenCaptures | None:
    if captures is None:
        return None
    middles = centers_of((sides[0][None], sides[1][None]), captures, middle_half)
    return between_captures(*middles, alpha, variation_from=variation_from, shared=shared)


def _difference(
    baseline_ns: Nanoseconds,
    candidate_ns: Nanoseconds,
    k: int,
    level: float | None,
    widening: float,
    captures: Captures | None,
    alpha: float,
) -> Difference:
    """Shift on plain values with an interval widened like that of the logarithms; ends that are not order statistics
    are rounded to whole ns."""
    middle, low, high = shift_of_ns(baseline_ns, candidate_ns, k)
    if widening > 1:
        about = float(middle)
        low, high = round(about - widening * (about - low)), round(about + widening * (high - about))
    between = _between_captures((baseline_ns, candidate_ns), captures, alpha)
    if between is not None:
        low, high = min(low, round(float(between.low[0]))), max(high, round(float(between.high[0])))
    return Difference(middle, low, high, level)


def _robust_sigma(baseline: Floats, candidate: Floats) -> float:
    """From the median distance of all steps to the median of their own side; at least SIGMA_FLOOR."""
    distances = np.concatenate([np.abs(side - median(side)) for side in (baseline, candidate)])
    return max(SIGMA_FLOOR, MAD_TO_SIGMA * float(median(distances)))
