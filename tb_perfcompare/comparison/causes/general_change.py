"""What the detected causes leave of a category's change, and what general findings need to know."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tb_perfcompare.comparison.causes.detect_causes import DetectedCauses
from tb_perfcompare.comparison.causes.evidence.general_rules import MAIN_SHARE, GrownFunction
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.ledger_rows import EntityRows, LedgerRow
from tb_perfcompare.model.summary.categories import DATA_LOADER, StepCategory
from tb_perfcompare.model.summary.summary import STEP_TIME, Summary
from tb_perfcompare.quick_dataclass import dataclass

DOUBLED = 2
"""Ratio of the mean steps from which the wait for data is reported even within the spread of the steps. Workers may
hand over several batches at once, so that few steps wait, and those long."""


@dataclass(frozen=True, slots=True)
class Known:
    """What general findings need to know: the context, the causes that were detected, and `named`, the entities that
    have findings of their own."""

    context: RuleContext
    detected: DetectedCauses
    named: Collection[str]

    @property
    def sides(self) -> tuple[Summary, Summary]:
        return self.context.sides

    @property
    def unit(self) -> int:
        """Ledger integers per microsecond and step."""
        return self.context.unit

    @property
    def per(self) -> str:
        """ " per step", or "" for a source without a clock."""
        return " per step" if self.context.baseline.metric == STEP_TIME else ""

    def is_clear(self, category: str, delta_us: float) -> bool:
        """Whether the category's times per step differ beyond their spread or are too few to test, or whether the
        category makes a substantial part, without the machine's, of a change of the step that does; of the wait for
        data, of one that doubles the mean."""
        if self.context.is_clear(category):
            return not self._is_unsure_at_pace(category)
        ledger, verdict = self.context.ledger, self.context.headline.verdict
        step_us = self.context.delta_us - self.detected.machine_us
        part = delta_us / step_us if step_us else 0.0
        differs = verdict.is_sure or verdict.way * ledger.delta > 0
        shorter, longer = sorted((ledger.baseline, ledger.candidate))
        waits_long = category == DATA_LOADER and longer >= DOUBLED * shorter
        return (differs or waits_long) and part >= MAIN_SHARE


    def _is_unsure_at_pace(self, category: str) -> bool:
        """Whether the verdict is open, and at equal machine speed the category does not differ significantly."""
        context = self.context
        paced, is_open = context.paced.get(category), context.headline.verdict is Verdict.INCONCLUSIVE
        return is_open and paced is not None and paced.p > context.options.alpha and category not in context.clear.apart


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What the detected causes leave of a category's change.

    whole      whether they leave all of it
    same_way   entities that changed in its direction and have no cause, largest first; none if a source does not split
    main       those of them that make much of it; `opposed`: those that changed as much in the other direction
    is_python  whether its entities are Python functions; `inside`: the function that holds most of it
    """

    category: StepCategory
    row: LedgerRow
    delta_us: float
    whole: bool
    same_way: EntityRows
    main: Sequence[LedgerRow]
    opposed: Sequence[LedgerRow]
    is_python: bool
    inside: GrownFunction | None

    @property
    def has_name(self) -> bool:
        """Whether an entity, or the function that holds most of it, says what changed."""
        return bool(self.main) or self.inside is not None

    @property
    def is_inside_main(self) -> bool:
        """Whether the function that holds most of it is one of the main ones."""
        return self.inside is not None and any(entity.path[1] == self.inside.name for entity in self.main)

    @property
    def is_one_sided(self) -> bool:
        """Whether only one side calls the function that holds most of it."""
        return self.inside is not None and self.inside.is_one_sided
