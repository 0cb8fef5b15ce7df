"""How the work of the two sides differs."""

from __future__ import annotations

import math

from tb_perfcompare.comparison.causes.evidence.inputs import OTHER_SIZE
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class OtherWork:
    """How the work differs.

    operator    the example
    how         in words
    ratio       size of the inputs over the baseline's; None if sizes did not change
    evidence    row of the example
    of_types    the types of the inputs differ, not their sizes
    confidence  "": that of the rule
    look_at     what to look at, "": that of the rule
    by_chance   sizes vary from step to step
    few         only few calls have other inputs
    """

    operator: str
    how: str
    ratio: float | None
    evidence: Evidence
    of_types: bool = False
    confidence: str = ""
    look_at: str = ""
    by_chance: bool = False
    few: bool = False

    @property
    def is_as_large(self) -> bool:
        """Whether inputs are nearly as large, so that times compare: a length that is now prime slows its operators."""
        return self.ratio is not None and abs(math.log(self.ratio)) < math.log1p(OTHER_SIZE)

    def may_explain(self, delta_us: float) -> bool:
        """Whether the inputs can change the step in this direction: larger ones lengthen it, others may do either."""
        return self.ratio is None or self.is_as_large or (self.ratio > 1) == (delta_us > 0)
