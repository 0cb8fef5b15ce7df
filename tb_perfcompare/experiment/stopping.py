"""When an experiment may stop, and how sure each of its looks has to be (docs/guide/ab.md)."""

from __future__ import annotations

import math

from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.experiment.alpha_spending import nominal_levels

FIRST_LOOK = 3
"""Rounds before the first look, where as many are planned: fewer captures do not tell how captures differ."""

FIRST_WITHOUT_PACE = 4
"""The same where program and machine are not separated: on a machine with two speeds, three captures of one command
are all fast and three of the other all slow in 3 of 100 experiments."""

LOWEST_LEVEL = 0.0001

FEW_CAPTURES = 0.9
"""Part of alpha that is spent: bounds are those of normal sums; Student's statistics of few captures follow one another
less closely and would cross those of all of it in 5.5 of 100 experiments (tests/simulation/test_sequential.py)."""

_DIGITS = 3

_SETTLED = frozenset({Verdict.SLOWER, Verdict.FASTER, Verdict.SAME})


def first_look(most: int) -> int:
    """Rounds before the first look, of at most so many."""
    return min(FIRST_LOOK, most)


def planned_levels(most: int, alpha: float, candidates: int = 1) -> tuple[float, ...]:
    """Two-sided level of a comparison after 1, 2, ... `most` rounds, before the first look that of the first: at most
    `alpha` false alarms over all looks. `candidates` that are compared with one baseline share alpha (Bonferroni)."""
    first = first_look(most)
    levels = nominal_levels(range(first, most + 1), most, FEW_CAPTURES * alpha / candidates)
    return tuple(max(_rounded_down(level), LOWEST_LEVEL) for level in (*levels[:1] * (first - 1), *levels))


def _rounded_down(level: float) -> float:
    """With few digits: it is shown."""
    digits = _DIGITS - 1 - math.floor(math.log10(level))
    scale = 10.0**digits
    return math.floor(level * scale) / scale


def word(headline: Headline) -> Verdict:
    """The verdict on the program where it is separated from the machine: the sides take turns on one machine."""
    return headline.verdict if headline.program is None else headline.program.verdict


def is_settled(headline: Headline, rounds: int) -> bool:
    """Whether more rounds would hardly change the word, or could not: sides that are not comparable stay so."""
    if headline.verdict is Verdict.WITHHELD:
        return True
    return word(headline) in _SETTLED and (headline.program is not None or rounds >= FIRST_WITHOUT_PACE)


def rounds_needed(headline: Headline) -> int | None:
    """Rounds in all that are likely to settle it, None where unknown."""
    if headline.program is not None:
        return headline.program.captures_needed
    if word(headline) in _SETTLED:
        return FIRST_WITHOUT_PACE
    return None if headline.certainty is None else headline.certainty.captures_needed
