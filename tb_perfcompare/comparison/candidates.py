"""Several candidates against one baseline: each comparison in brief, and what many looks leave of the verdicts.

Documented in docs/method/statistics.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Check, Finding
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.side_facts import SideFacts
from tb_perfcompare.comparison.statistics.multiple_testing import holm
from tb_perfcompare.model.summary.summary import DeviceFacts

_CALLS = (Verdict.SLOWER, Verdict.FASTER, Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER)
"""Verdicts that say there is a difference: what many looks make more of than there are."""


@dataclass(frozen=True, slots=True)
class SideBrief:
    """One side: dropped has (reason, steps) of what is not compared, the commonest first."""

    run: str
    format: str
    device: DeviceFacts
    steps_total: int
    steps_admitted: int
    captures: int
    dropped: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """A comparison in brief. `checks` are those that warn or failed; `cause` the first of `causes` findings."""

    baseline: SideBrief
    candidate: SideBrief
    headline: Headline
    checks: tuple[Check, ...]
    cause: Finding | None
    causes: int


@dataclass(frozen=True, slots=True)
class Adjusted:
    """p after Holm over all looks; whether a verdict that says there is a difference still stands with it, None for
    other verdicts."""

    p: float
    stands: bool | None


def candidate_result(comparison: Comparison) -> CandidateResult:
    """What a row about the pair holds."""
    findings = comparison.findings
    return CandidateResult(
        _brief(comparison.baseline), _brief(comparison.candidate), comparison.headline,
        tuple(check for check in comparison.comparability if check.status != "ok"),
        findings[0] if findings else None, len(findings),
    )  # fmt: skip


def adjusted(headlines: Sequence[Headline | None], alpha: float) -> tuple[Adjusted | None, ...]:
    """In their order; None for a candidate without a p value, or of which the verdict is withheld: those are no looks.

    Holm's procedure holds whatever the tests have in common, here the baseline: if no candidate differs from it, any
    verdict stands in at most `alpha` of cases.
    """
    looks = [
        (place, one.deciding_p, one.verdict in _CALLS)
        for place, one in enumerate(headlines)
        if one is not None and one.deciding_p is not None and one.verdict is not Verdict.WITHHELD
    ]
    found: list[Adjusted | None] = [None] * len(headlines)
    for (place, _, calls), p in zip(looks, holm(np.array([p for _, p, _ in looks], dtype=np.float64)), strict=True):
        found[place] = Adjusted(float(p), bool(p <= alpha) if calls else None)
    return tuple(found)


def _brief(side: SideFacts) -> SideBrief:
    dropped = Counter(step.reason for step in side.dropped).most_common()
    return SideBrief(
        side.run, side.format, side.device, side.steps_total, side.steps_admitted, side.captures, tuple(dropped)
    )
