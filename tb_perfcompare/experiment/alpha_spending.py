"""Significance levels for repeated tests of incoming data that keep the overall false-alarm rate.

Alpha spending (K. Lan, D. DeMets, Biometrika 70, 1983): a function gives the part of alpha that may be spent by each
look. Bounds of the standardised statistic follow from the recursion of P. Armitage, C. McPherson, B. Rowe (J. R. Stat.
Soc. A 132, 1969) over sums of independent increments; intervals at the same levels are repeated confidence intervals
(C. Jennison, B. Turnbull, J. R. Stat. Soc. B 51, 1989): all of them hold simultaneously with probability 1 - alpha.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from tb_perfcompare.comparison.statistics.distributions import normal_quantile
from tb_perfcompare.model.arrays import Floats

_POINTS = 401
_HALVINGS = 24
_TABLED = 20_001
_LARGEST = 8.0


def spent(fraction: float, alpha: float) -> float:
    """Returns the part of alpha that may be spent once this fraction of all data is in.

    After Pocock: the level is nearly the same at each look.
    """
    return alpha * math.log1p((math.e - 1) * min(fraction, 1.0))


def nominal_levels(rounds: Sequence[int], most: int, alpha: float) -> tuple[float, ...]:
    """Returns the two-sided level of the test at each look, after these rounds, ascending, of at most `most`.

    The probability that equal sides differ at any look is at most `alpha`; exactly `alpha` if the last look is at
    `most`.
    """
    levels: list[float] = []
    density: tuple[Floats, Floats] | None = None
    before, used = 0, 0.0
    for count in rounds:
        allowed = spent(count / most, alpha)
        if density is None:
            bound = normal_quantile(1 - allowed / 2)
        else:
            bound = _bound(density, count - before, count, allowed - used)
        levels.append(math.erfc(bound / math.sqrt(2)))
        density = _density_within_bounds(density, before, count, bound)
        before, used = count, allowed
    return tuple(levels)


def _bound(density: tuple[Floats, Floats], more: int, count: int, allowed: float) -> float:
    """Returns the bound |z| that the statistic after `count` rounds exceeds with probability `allowed`.

    The probability includes that of having continued so far.
    """
    points, weights = density
    low, high = 0.0, _LARGEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        edge = middle * math.sqrt(count)
        above = float(weights @ _tail((edge - points) / math.sqrt(more)))  # as likely as below, by symmetry
        if 2 * above > allowed:
            low = middle
        else:
            high = middle
    return high


def _density_within_bounds(
    density: tuple[Floats, Floats] | None, before: int, count: int, bound: float
) -> tuple[Floats, Floats]:
    """Points and probabilities of the sum of `count` standard normal rounds that has stayed within all bounds."""
    edge = bound * math.sqrt(count)
    points = np.linspace(-edge, edge, _POINTS)
    width = np.full(_POINTS, points[1] - points[0])
    width[[0, -1]] /= 2
    if density is None:
        return points, width * _normal(points / math.sqrt(count)) / math.sqrt(count)
    old, weights = density
    spread = math.sqrt(count - before)
    return points, width * (_normal((points[:, None] - old[None, :]) / spread) @ weights) / spread


def _normal(z: Floats) -> Floats:
    values: Floats = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return values


def _tail(z: Floats) -> Floats:
    tail: Floats = np.interp(z, *_tail_table())
    return tail


@functools.cache
def _tail_table() -> tuple[Floats, Floats]:
    """z and its upper tail probability; linear interpolation is accurate to 1e-8."""
    z = np.linspace(-_LARGEST, _LARGEST, _TABLED)
    return z, np.array([math.erfc(value / math.sqrt(2)) / 2 for value in z.tolist()])
