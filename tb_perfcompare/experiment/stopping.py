"""When an experiment may stop, and how sure each of its looks has to be (docs/method/statistics.md)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tb_perfcompare.comparison.result.headline import Basis, Headline, Verdict
from tb_perfcompare.comparison.statistics.group_sequential import nominal_levels

FIRST_LOOK = 3
"""Rounds before the first look: fewer captures do not tell how captures differ."""

LOWEST_LEVEL = 0.0001

_SETTLED = frozenset({Verdict.SLOWER, Verdict.FASTER, Verdict.SAME})


@dataclass(frozen=True)
class Plan:
    """At most `most` rounds, and at most `alpha` false alarms over all looks at them. `candidates` that are compared
    with one baseline share alpha (Bonferroni)."""

    most: int
    alpha: float
    candidates: int = 1

    @cached_property
    def _levels(self) -> tuple[float, ...]:
        first = min(FIRST_LOOK, self.most)
        return nominal_levels(range(first, self.most + 1), self.most, self.alpha / self.candidates)

    def level(self, rounds: int) -> float:
        """Two-sided level of the comparison after so many rounds; before the first look that of the first."""
        index = min(max(rounds - FIRST_LOOK, 0), len(self._levels) - 1)
        return max(self._levels[index], LOWEST_LEVEL)


def is_settled(headline: Headline) -> bool:
    """Whether more rounds would not change the word. A machine that differs is a reason to go on: the sides took turns
    on it."""
    return headline.verdict in _SETTLED and headline.basis is not Basis.MACHINE


def rounds_needed(headline: Headline) -> int | None:
    """Rounds in all that are likely to settle it, None where nobody knows."""
    if headline.program is not None:
        return headline.program.needed
    return None if headline.certainty is None else headline.certainty.captures_needed
