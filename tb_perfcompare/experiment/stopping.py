"""When an experiment may stop, and the significance level of each of its looks (docs/guide/ab.md)."""

from __future__ import annotations

import math

from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.experiment.alpha_spending import nominal_levels

FIRST_LOOK = 3
"""Rounds before the first look, if as many are planned: fewer captures do not show how much captures vary."""

FIRST_WITHOUT_PACE = 4
"""The same if program and machine are not separated.

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


def word(headline: Headline) -> Verdict:
    """Returns the verdict on the program if it is separated from the machine, as variants alternate on one machine."""
    return headline.verdict if headline.program is None else headline.program.verdict


def is_settled(headline: Headline, rounds: int) -> bool:
    """Whether more rounds would hardly change the verdict, or cannot, as for sides that are not comparable."""
    if headline.verdict is Verdict.WITHHELD:
        return True
    return word(headline) in _SETTLED and (headline.program is not None or rounds >= FIRST_WITHOUT_PACE)


def rounds_needed(headline: Headline) -> int | None:
    """Returns the total number of rounds that will probably settle it, None if unknown."""
    if headline.program is not None:
        return headline.program.captures_needed
    if word(headline) in _SETTLED:
        return FIRST_WITHOUT_PACE
    return None if headline.certainty is None else headline.certainty.captures_needed
