"""What a rule gives: a finding, and which parts of the ledger it explains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tb_perfcompare.comparison.causes.findings import repeatability
from tb_perfcompare.comparison.causes.pair import Pair
from tb_perfcompare.comparison.comparison import Evidence, Finding


@dataclass(frozen=True, slots=True)
class Cause:
    """A finding and the exposed time it explains: category -> microseconds per step, with their sign. Of two causes
    that explain the same time the one with the smaller `rank` is told."""

    finding: Finding
    explains: Mapping[str, float] = field(default_factory=dict)
    rank: int = 5


def cause(
    pair: Pair,
    rule: str,
    subject: str,
    category: str,
    delta_us: float | None,
    sentence: str,
    evidence: tuple[Evidence, ...],
    *,
    confidence: str,
    look_at: str,
    explains: Mapping[str, float] | None = None,
    rank: int = 5,
) -> Cause:
    """A cause that explains `delta_us` of `category` unless `explains` says more."""
    share = delta_us / pair.delta_us if delta_us is not None and pair.delta_us else None
    finding = Finding(rule, subject, category, delta_us, share, sentence, evidence, confidence, look_at)
    if explains is None:
        explains = {category: delta_us} if delta_us is not None else {}
    return Cause(finding, explains, rank)


def category_confidence(pair: Pair, category: str) -> str:
    """How repeatable the category's change is."""
    return repeatability(pair.p_values.get(category), pair.headline.verdict, pair.options.alpha)
