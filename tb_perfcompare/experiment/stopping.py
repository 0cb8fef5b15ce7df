"""When an experiment may stop, and how sure each of its looks has to be (docs/method/statistics.md)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.experiment.alpha_spending import nominal_levels

FIRST_LOOK = 3
"""Rounds before the first look, where as many are planned: fewer captures do not tell how captures differ."""

LOWEST_LEVEL = 0.0001

FEW_CAPTURES = 0.93
"""Part of alpha that is spent: bounds are those of normal sums, and Student's statistics of few captures, which follow
one another less closely, cross them in 5.2 instead of 5 of 100 experiments (tests/simulation/test_sequential.py)."""

_SETTLED = frozenset({Verdict.SLOWER, Verdict.FASTER, Verdict.SAME})


@dataclass(frozen=True)
class Plan:
    """At most `most` rounds, and at most `alpha` false alarms over all looks at them. `candidates` that are compared
    with one baseline share alpha (Bonferroni)."""

    most: int
    alpha: float
    candidates: int = 1

    @property
    def first(self) -> int:
        """Rounds before the first look."""
        return min(FIRST_LOOK, self.most)

    @cached_property
    def _levels(self) -> tuple[float, ...]:
        return nominal_levels(range(self.first, self.most + 1), self.most, FEW_CAPTURES * self.alpha / self.candidates)

    def level(self, rounds: int) -> float:
        """Two-sided level of the comparison after so many rounds; before the first look that of the first."""
        return max(self._levels[max(rounds - self.first, 0)], LOWEST_LEVEL)


def word(headline: Headline) -> Verdict:
    """The verdict on the program where it is told apart from the machine: the sides take turns on one machine."""
    return headline.verdict if headline.program is None else headline.program.verdict


def is_settled(headline: Headline) -> bool:
    """Whether more rounds would hardly change the word, or could not: sides that are not comparable stay so."""
    return headline.verdict is Verdict.WITHHELD or word(headline) in _SETTLED


def rounds_needed(headline: Headline) -> int | None:
    """Rounds in all that are likely to settle it, None where nobody knows."""
    if headline.program is not None:
        return headline.program.needed
    return None if headline.certainty is None else headline.certainty.captures_needed
