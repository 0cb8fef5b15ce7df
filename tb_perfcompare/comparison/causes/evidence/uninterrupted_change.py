"""Change of a program in uninterrupted steps, if the recorded steps do not show it."""

from __future__ import annotations

from math import fsum

from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.headline import Basis


def uninterrupted_change(pair: RuleContext) -> float:
    """Microseconds per step at equal machine speed, in the direction of the verdict; 0 if the verdict is not about
    the program, if steps as recorded agree with it, or if there are no such steps."""
    recorded, way = pair.headline.recorded, pair.headline.verdict.way
    if pair.headline.basis is not Basis.PROGRAM or recorded is None or recorded.verdict.way == way:
        return 0.0
    whole = fsum(part.delta_us for part in pair.uninterrupted)
    return whole if whole * way > 0 else 0.0
