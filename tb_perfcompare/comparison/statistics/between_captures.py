"""Captures as the outer level of variance: the difference of two configurations, judged by captures of each.

Steps of one capture share its clocks, placement and caches, so no number of them predicts the next capture. Each
capture contributes one figure, its center; Student's interval of the difference of the two sides' means of centers
is valid for two captures as well as for twenty. Formulas and rates: docs/method/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.distributions import f_quantile, quantile, quantiles, student_p
from tb_perfcompare.comparison.statistics.hodges_lehmann import log_shift
from tb_perfcompare.comparison.statistics.rank_test import batched_rank_test
from tb_perfcompare.model.arrays import CaptureIndex, Flags, Floats, SidePair, SideTimes, each_side, median, unique
from tb_perfcompare.quick_dataclass import dataclass

MAX_CAPTURES = 10_000
"""Largest number of captures per side that is recommended."""

MIN_OWN_CAPTURES = 3
"""Captures from which a side's own deviation is used."""

CLEARLY_UNLIKE = 0.975
"""Quantile of F beyond which the deviations of two sides count as different."""

POWER = 0.8
"""Probability with which a change counted as detectable is found."""


@dataclass(frozen=True, slots=True, eq=False)
class BetweenCaptures:
    """Comparison of g rows, arrays of shape (g,); all in the unit of the centers, candidate minus baseline.

    counts      captures of baseline and candidate, at least three together
    middle      difference of the means of the centers
    low, high   its interval of level 1 - alpha
    deviation   standard deviation of a capture's center about its side's mean, pooled over both sides
    degrees_of_freedom  of the interval
    p           two-sided
    """

    counts: tuple[int, int]
    middle: Floats
    low: Floats
    high: Floats
    deviation: Floats
    degrees_of_freedom: Floats
    p: Floats

    def hull(self, low: float, high: float) -> tuple[float, float]:
        """Smallest interval that contains low to high and that of the first row, without a negative zero."""
        return min(low, float(self.low[0])) + 0.0, max(high, float(self.high[0])) + 0.0


def between_captures(
    baseline: Floats,
    candidate: Floats,
    alpha: float,
    *,
    variation_from: BetweenCaptures | None = None,
    shared: bool = False,
) -> BetweenCaptures | None:
    """Compares (g, k) and (g, l) centers of captures; None with one capture per side, which does not show how captures
    vary.

    `variation_from` provides the variation between captures instead. With `shared`, both sides have one deviation
    unless theirs clearly differ (an F test at CLEARLY_UNLIKE), which needs three captures of each.
    """
    k, m = baseline.shape[1], candidate.shape[1]
    if variation_from is None and k + m < 3:
        return None
    means = baseline.mean(axis=1), candidate.mean(axis=1)
    middle = means[1] - means[0]
    if variation_from is None:
        sides = zip((baseline, candidate), means, strict=True)
        squares = [((side - mean[:, None]) ** 2).sum(axis=1) for side, mean in sides]
        deviation, error, degrees_of_freedom = _error(squares[0], squares[1], k, m, shared)
    else:
        deviation, degrees_of_freedom = variation_from.deviation, variation_from.degrees_of_freedom
        error = deviation * math.sqrt(1 / k + 1 / m)
    half = quantiles(degrees_of_freedom, 1 - alpha / 2) * error
    distance = np.divide(middle, error, out=np.where(middle == 0, 0.0, np.inf), where=error > 0)
    p = student_p(distance, degrees_of_freedom)
    return BetweenCaptures((k, m), middle, middle - half, middle + half, deviation, degrees_of_freedom, p)


def _error(
    squares_a: Floats, squares_b: Floats, k: int, m: int, shared: bool
) -> tuple[Floats, Floats, Floats]:
    """(g,) deviation of a capture, standard error of the difference of the means, and its degrees of freedom.

    With three captures on both sides each side has its own deviation (Welch), with `shared` only if theirs clearly
    differ; with fewer captures they share one.
    """
    # summed per side first, so that the result does not depend on the order of the sides
    pooled = np.sqrt((squares_a + squares_b) / (k + m - 2))
    together = np.full(len(pooled), float(k + m - 2))
    if min(k, m) < MIN_OWN_CAPTURES:
        return pooled, pooled * math.sqrt(1 / k + 1 / m), together
    variance_a, variance_b = squares_a / (k - 1) / k, squares_b / (m - 1) / m
    variance = variance_a + variance_b
    denominator = variance_a**2 / (k - 1) + variance_b**2 / (m - 1)
    degrees_of_freedom = np.divide(variance**2, denominator, out=together.copy(), where=denominator > 0)
    if not shared:
        return pooled, np.sqrt(variance), degrees_of_freedom
    alike = ~_clearly_unlike(squares_a / (k - 1), squares_b / (m - 1), k, m)
    own = np.where(alike, pooled * math.sqrt(1 / k + 1 / m), np.sqrt(variance))
    return pooled, own, np.where(alike, together, degrees_of_freedom)


def _clearly_unlike(variance_a: Floats, variance_b: Floats, k: int, m: int) -> Flags:
    """(g,) whether the larger variance exceeds what two samples of these sizes show by chance."""
    unlike: Flags = (variance_a > variance_b * f_quantile(k - 1, m - 1, CLEARLY_UNLIKE)) | (
        variance_b > variance_a * f_quantile(m - 1, k - 1, CLEARLY_UNLIKE)
    )
    return unlike


def centers(
    values: NDArray[np.generic], capture: CaptureIndex, center: Callable[[NDArray[np.generic]], Floats]
) -> Floats:
    """(g, s) values -> (g, k) `center` of the columns of each capture, captures in order of their numbers."""
    return np.stack([center(values[:, capture == which]) for which in unique(capture)], axis=1)


def centers_of(
    sides: tuple[NDArray[Any], NDArray[Any]], captures: Captures, center: Callable[[NDArray[np.generic]], Floats]
) -> SidePair:
    """`centers` of both sides."""
    return each_side(lambda side, capture: centers(side, capture, center), sides, captures)


def middles(values: SidePair, captures: Captures) -> SidePair:
    """(n,), (m,) values -> (1, k), (1, l) middle half of each capture."""
    return centers_of((values[0][None], values[1][None]), captures, middle_half)


def gaps(centers_a: Floats, centers_b: Floats, ranges: float = 1.0) -> Floats:
    """(g, k), (g, l) centers of captures -> (g,) distance between the two sides' ranges, negative if the second
    side's values are smaller; zero unless the distance exceeds the range of either side, `ranges` times."""
    up, down = centers_b.min(axis=1) - centers_a.max(axis=1), centers_a.min(axis=1) - centers_b.max(axis=1)
    gap = np.maximum(up, down)
    far = gap > ranges * np.maximum(np.ptp(centers_a, axis=1), np.ptp(centers_b, axis=1))
    apart: Floats = np.where(far, np.where(up > down, gap, -gap), 0.0)
    return apart


def middle_half(values: NDArray[np.generic]) -> Floats:
    """(g, s) -> (g,) mean of each row without its lowest and highest quarter, rounded down."""
    cut = values.shape[1] // 4
    kept: Floats = np.sort(values, axis=1)[:, cut : values.shape[1] - cut].mean(axis=1, dtype=np.float64)
    return kept


def row_means(values: NDArray[np.generic]) -> Floats:
    """(g, s) -> (g,) means."""
    means: Floats = values.mean(axis=1, dtype=np.float64)
    return means


def capture_counts(captures: Captures) -> tuple[int, int]:
    """Numbers of captures with steps: baseline, candidate."""
    return len(unique(captures[0])), len(unique(captures[1]))


def detectable(deviation: float, degrees_of_freedom: float, counts: tuple[int, int], alpha: float) -> float:
    """Smallest difference that this many captures like these show in about 80 of 100 cases."""
    both = quantile(degrees_of_freedom, 1 - alpha / 2) + quantile(degrees_of_freedom, POWER)
    return both * deviation * math.sqrt(1 / counts[0] + 1 / counts[1])


def captures_needed(deviation: float, difference: float, alpha: float) -> int | None:
    """Captures per side, at least two, with which a difference would show in about 80 of 100 cases.

    None if MAX_CAPTURES are too few or the difference is not above zero.
    """

    def enough(each: int) -> bool:
        return detectable(deviation, 2 * each - 2, (each, each), alpha) <= difference

    if difference <= 0 or not enough(MAX_CAPTURES):
        return None
    low, high = 1, MAX_CAPTURES
    while high - low > 1:
        each = (low + high) // 2
        low, high = (low, each) if enough(each) else (each, high)
    return high


ALL_PAIRS_UP_TO = 8
"""Captures on a side up to which all pairs are compared; beyond that only the four fastest and the four slowest."""


def noise_floor(times: SideTimes, captures: Captures) -> float | None:
    """Largest |Hodges-Lehmann shift of ln(time)| between two captures of one side, None if no side has two.

    SideTimes are positive; `captures` gives the capture of each.
    """
    shifts = []
    for side, capture in zip(times, captures, strict=True):
        parts = sorted((side[capture == which] for which in unique(capture)), key=median)
        if len(parts) > ALL_PAIRS_UP_TO:
            parts = parts[: ALL_PAIRS_UP_TO // 2] + parts[-(ALL_PAIRS_UP_TO // 2) :]
        shifts += [abs(log_shift(one, other)) for i, one in enumerate(parts) for other in parts[i + 1 :]]
    return max(shifts, default=None)


def median_test(times: SideTimes, captures: Captures) -> float | None:
    """Two-sided p of a rank test on the medians of captures, each one observation of its configuration.

    Exact unless medians are equal. None with fewer than three captures on a side.
    """
    counts = capture_counts(captures)
    if min(counts) < 3:
        return None
    medians = [
        median(side[capture == which])
        for side, capture in zip(times, captures, strict=True)
        for which in unique(capture)
    ]
    places = np.unique(medians, return_inverse=True)[1].astype(np.int64)[np.newaxis]
    return float(batched_rank_test(places[:, : counts[0]], places[:, counts[0] :], ordered=False).p[0])
