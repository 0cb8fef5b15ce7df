"""What a rule gives: a finding, and which parts of the ledger it explains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tb_perfcompare.comparison.causes.evidence.findings import repeatability
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence, Finding

Part = tuple[str, str]
"""(category, entity) of the ledger; the entity "" stands for time of the category that is not known to be one
entity's."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A finding and the exposed time it explains, microseconds per step with their sign. Of two causes that explain the
    same time the one with the smaller `rank` is told. `same_work`: it compares times of work that is the same on both
    sides, so that it says nothing of sides that do other work."""

    finding: Finding
    explains: Mapping[Part, float] = field(default_factory=dict)
    rank: int = 5
    same_work: bool = False


_CERTAIN, _LIKELY = "certain: ", "likely: "


def cause(
    pair: RuleContext,
    rule: str,
    subject: str,
    category: str,
    delta_us: float | None,
    sentence: str,
    evidence: tuple[Evidence, ...],
    *,
    confidence: str,
    look_at: str,
    explains: Mapping[Part, float] | None = None,
    rank: int = 5,
    same_work: bool = False,
) -> Cause:
    """A cause that explains `delta_us` of `category` unless `explains` says more."""
    if confidence.startswith(_CERTAIN) and pair.disputed:
        told = confidence.removeprefix(_CERTAIN)
        confidence = f"{_LIKELY}{told}, but step windows and host markers disagree on calls"
    share = delta_us / pair.delta_us if delta_us is not None and pair.delta_us else None
    finding = Finding(rule, subject, category, delta_us, share, sentence, evidence, confidence, look_at)
    if explains is None:
        explains = {(category, ""): delta_us} if delta_us is not None else {}
    return Cause(finding, explains, rank, same_work)


def of_categories(explained: Mapping[str, float]) -> dict[Part, float]:
    """What is explained of whole categories, none of their entities in particular."""
    return {(category, ""): us for category, us in explained.items()}


def category_confidence(pair: RuleContext, category: str) -> str:
    """How repeatable the category's change is."""
    apart = category in pair.clear.apart
    return repeatability(pair.p_values.get(category), pair.headline.verdict, pair.options.alpha, apart=apart)
