"""Autocorrelation of steps: how much wider an interval has to be because neighboring steps resemble each other.

rho is computed from the ranks of steps within each capture and corrected for the bias of short series; the widening
also accounts for the error of estimating rho and the spread from so few independent steps. Formulas and rates:
docs/method/statistics.md.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.statistics.distributions import normal_quantile, quantiles, student_p
from tb_perfcompare.model.arrays import CaptureIndex, Flags, Floats, Ints, Ints32, median, stable_order, unique
from tb_perfcompare.quick_dataclass import dataclass

Captures = tuple[Ints32, Ints32]
Families = tuple[slice, ...]
"""Groups of rows that belong together: slices of all rows."""

INFLATION_IGNORED = 1.05
"""Inflation up to which steps count as independent: smaller values are indistinguishable from chance."""

_RHO_MAX = 0.9

_BIAS_OF_SHORT_SERIES = 5.0
"""For a capture of l steps the estimate is about rho (1 - 5/l) - 1/l."""

# Limits on the correction for short series: without them, chance would be amplified until nothing is significant.
_MIN_SHOWN_SHARE = 0.7
_MIN_SPREAD_SHARE = 0.5
_MIN_DEGREES_OF_FREEDOM = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Autocorrelation:
    """Autocorrelation of g rows of steps, arrays of shape (g,).

    rho        float64 in 0..0.9: autocorrelation of neighboring steps
    inflation  float64 >= 1: sqrt((1 + rho)/(1 - rho)), the factor on standard errors that corresponds to rho; at most
               sqrt(l) for captures of l steps, which are worth at least one independent step
    steps      number of steps, both sides together
    """

    rho: Floats
    inflation: Floats
    steps: int

    @property
    def matters(self) -> Flags:
        """(g,) whether steps do not count as independent."""
        return self.inflation > INFLATION_IGNORED

    @property
    def degrees_of_freedom(self) -> Floats:
        """(g,) degrees of freedom: the equivalent number of independent steps, less the two means."""
        return np.maximum(self.steps / self.inflation**2 - 2, _MIN_DEGREES_OF_FREEDOM)

    @property
    def scale(self) -> Floats:
        """(g,) factor on the standard errors of the shift of independent steps, 1 if they count as such.

        Besides the inflation, it corrects for the spread within n steps being smaller than that of the process:
        sqrt(1 - (inflation^2 - 1)/(n - 1)), n the mean of both sides.
        """
        shown = 1 - (self.inflation**2 - 1) / max(self.steps / 2 - 1, 1.0)
        scale: Floats = np.where(self.matters, self.inflation / np.sqrt(np.maximum(shown, _MIN_SPREAD_SHARE)), 1.0)
        return scale

    def of_rows(self, rows: Ints) -> Autocorrelation:
        return Autocorrelation(self.rho[rows], self.inflation[rows], self.steps)

    def widening(self, alpha: float) -> Floats:
        """(g,) factor by which the interval of independent steps is too narrow: the scale, and Student's quantile
        instead of the normal one."""
        if not self.matters.any():
            return np.ones(len(self.rho))
        ratio = quantiles(self.degrees_of_freedom, 1 - alpha / 2) / normal_quantile(1 - alpha / 2)
        widening: Floats = np.where(self.matters, self.scale * ratio, 1.0)
        return widening

    def interval(self, middle: Floats, low: Floats, high: Floats, alpha: float) -> tuple[Floats, Floats]:
        """(g,) ends of the interval, computed from those for independent steps by moving each away from the middle."""
        factor = self.widening(alpha)
        return (
            np.where(factor == 1, low, middle - factor * (middle - low)),
            np.where(factor == 1, high, middle + factor * (high - middle)),
        )

    def p(self, middle: Floats, low: Floats, high: Floats, alpha: float) -> Floats:
        """(g,) two-sided p consistent with `interval`: at most alpha if the interval excludes zero."""
        reach = np.where(middle > 0, middle - low, high - middle) * self.scale / normal_quantile(1 - alpha / 2)
        distance = np.divide(middle, reach, out=np.where(middle == 0, 0.0, np.inf), where=reach > 0)
        return student_p(distance, self.degrees_of_freedom)


def autocorrelation(
    baseline: Ints, candidate: Ints, captures: Captures | None, *, alike: Families = ()
) -> Autocorrelation:
    """Estimates the autocorrelation of the rows of (g, n) and (g, m), with the columns of a capture in time order.

    No row gets a lower autocorrelation than the median row of its family (`alike`): among many rows some look
    independent by chance, and those would stand out. Ranks are computed within a capture: steps of two captures are
    not neighbors, and the variation between captures is treated separately.
    """
    sides = [
        _stretches(baseline, captures[0] if captures else None),
        _stretches(candidate, captures[1] if captures else None),
    ]
    # summed per side first, so that the result does not depend on the order of the sides
    (products_a, squares_a), (products_b, squares_b) = (_neighbor_products(stretches) for stretches in sides)
    products, squares = products_a + products_b, squares_a + squares_b
    raw = np.divide(products, squares, out=np.zeros_like(products), where=squares > 0)
    steps = baseline.shape[1] + candidate.shape[1]
    length = steps / (len(sides[0]) + len(sides[1]))
    for family in alike:
        measured = raw[family][squares[family] > 0]
        if len(measured):
            raw[family] = np.maximum(raw[family], median(measured))
    ranked = np.clip((raw + 1 / length) / max(1 - _BIAS_OF_SHORT_SERIES / length, _MIN_SHOWN_SHARE), 0.0, 1.0)
    # converts the correlation of ranks to that of normally distributed values
    rho = np.where(squares > 0, np.minimum(2 * np.sin(np.pi / 6 * ranked), _RHO_MAX), 0.0)
    return Autocorrelation(rho, np.sqrt(np.minimum((1.0 + rho) / (1.0 - rho), max(length, 1.0))), steps)


def independent(rows: int, steps: int) -> Autocorrelation:
    """Result for rows whose columns have no order."""
    return Autocorrelation(np.zeros(rows), np.ones(rows), steps)


def doubled_ranks(values: Ints) -> tuple[Ints, Ints]:
    """(g, s) values -> (g, s) twice the rank within the row, ties sharing their mean rank, and (g,) sum of t^3 - t
    over ties."""
    size = values.shape[1]
    order = stable_order(values)
    in_order = np.take_along_axis(values, order, axis=1)
    changes = np.ones((values.shape[0], size + 1), dtype=bool)
    changes[:, 1:size] = in_order[:, 1:] != in_order[:, :-1]
    position = np.arange(size, dtype=np.int64)
    first = np.maximum.accumulate(np.where(changes[:, :size], position, 0), axis=1)
    last = np.minimum.accumulate(np.where(changes[:, 1:], position, size)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty_like(first)
    np.put_along_axis(ranks, order, first + last + 2, axis=1)
    tied = last - first + 1
    # each of t equal values contributes t^2 - 1
    return ranks, (tied * tied - 1).sum(axis=1)


def _neighbor_products(stretches: list[Ints]) -> tuple[Floats, Floats]:
    """(g,) sums of r_i r_(i+1) and of r_i^2, where r are ranks relative to their mean, divided by the capture's
    length."""
    products = np.zeros(stretches[0].shape[0])
    squares = np.zeros(stretches[0].shape[0])
    for stretch in stretches:
        steps = stretch.shape[1]
        centered = doubled_ranks(stretch)[0] - (steps + 1)
        products += (centered[:, :-1] * centered[:, 1:]).sum(axis=1) / steps**2
        squares += (centered * centered).sum(axis=1) / steps**2
    return products, squares


def _stretches(side: Ints, capture: CaptureIndex | None) -> list[Ints]:
    """Cuts the side into its captures, columns of each in order."""
    if capture is None:
        return [side]
    return [side[:, capture == which] for which in unique(capture)]
