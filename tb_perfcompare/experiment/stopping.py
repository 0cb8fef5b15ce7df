"""When an experiment may stop, and the significance level of each of its looks (docs/guide/ab.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.statistics.distributions import normal_quantile
from tb_perfcompare.model.arrays import Floats

FIRST_LOOK = 3
"""Rounds before the first look, if as many are planned: fewer captures do not show how much captures vary."""

FIRST_WITHOUT_PACE = 4
"""Rounds before the first look if program and machine are not separated.

On a machine with two speeds, in 3 of 100 experiments three captures of one command are all fast and three of the other
all slow.
"""

LOWEST_LEVEL = 0.0001

FEW_CAPTURES = 0.9
"""Part of alpha that is spent.

The bounds assume normal sums, but Student's statistics of few captures are less correlated and would cross the bounds
of the full alpha in 5.5 of 100 experiments (tests/simulation/test_sequential.py).
"""

_DIGITS = 3

_SETTLED = frozenset({Verdict.SLOWER, Verdict.FASTER, Verdict.SAME})


def first_look(most: int) -> int:
    """Returns the number of rounds before the first look, of at most `most`."""
    return min(FIRST_LOOK, most)


def planned_levels(most: int, alpha: float, candidates: int = 1) -> tuple[float, ...]:
    """Returns the two-sided level of a comparison after 1, 2, ... `most` rounds.

    At most `alpha` false alarms over all looks; before the first look, the level is that of the first. `candidates`
    that are compared with one baseline share alpha (Bonferroni).
    """
    first = first_look(most)
    levels = nominal_levels(range(first, most + 1), most, FEW_CAPTURES * alpha / candidates)
    return tuple(max(_rounded_down(level), LOWEST_LEVEL) for level in (*levels[:1] * (first - 1), *levels))


def _rounded_down(level: float) -> float:
    """Rounds down to few digits, as the level is shown."""
    digits = _DIGITS - 1 - math.floor(math.log10(level))
    scale = 10.0**digits
    return math.floor(level * scale) / scale


def program_verdict(headline: Headline) -> Verdict:
    """Returns the verdict on the program if it is separated from the machine, as variants alternate on one machine."""
    return headline.verdict if headline.program is None else headline.program.verdict


def is_settled(headline: Headline, rounds: int) -> bool:
    """Whether more rounds would hardly change the verdict, or cannot, as for sides that are not comparable."""
    if headline.verdict is Verdict.WITHHELD:
        return True
    return program_verdict(headline) in _SETTLED and (headline.program is not None or rounds >= FIRST_WITHOUT_PACE)


def rounds_needed(headline: Headline) -> int | None:
    """Returns the total number of rounds that will probably settle it, None if unknown."""
    if headline.program is not None:
        return headline.program.captures_needed
    if program_verdict(headline) in _SETTLED:
        return FIRST_WITHOUT_PACE
    return None if headline.certainty is None else headline.certainty.captures_needed


_POINTS = 401
_HALVINGS = 24
_LARGEST = 8.0


def _spent(fraction: float, alpha: float) -> float:
    """Returns the part of alpha that may be spent once this fraction of all data is in.

    After Pocock: the level is nearly the same at each look.
    """
    return alpha * math.log1p((math.e - 1) * min(fraction, 1.0))


def nominal_levels(rounds: Sequence[int], most: int, alpha: float) -> tuple[float, ...]:
    """Returns the two-sided level of the test at each look, after these rounds, ascending, of at most `most`.

    The probability that equal sides differ at any look is at most `alpha`; exactly `alpha` if the last look is at
    `most`.
    Alpha spending (K. Lan, D. DeMets, Biometrika 70, 1983): a function gives the part of alpha that may be spent by
    each look. Bounds of the standardized statistic follow from the recursion of P. Armitage, C. McPherson, B. Rowe
    (J. R. Stat. Soc. A 132, 1969) over sums of independent increments; intervals at the same levels are repeated
    confidence intervals (C. Jennison, B. Turnbull, J. R. Stat. Soc. B 51, 1989): all hold simultaneously with
    probability 1 - alpha.
    """
    levels: list[float] = []
    density: tuple[Floats, Floats] | None = None
    before, used = 0, 0.0
    for count in rounds:
        allowed = _spent(count / most, alpha)
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
    return np.array([math.erfc(value) for value in (z / math.sqrt(2)).tolist()]) / 2
