"""All rules, and which of what they find is told: fewer and right beats many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from tb_perfcompare.comparison.causes.cause import Cause
from tb_perfcompare.comparison.causes.host import host_rules
from tb_perfcompare.comparison.causes.host_copies import host_copy_rules
from tb_perfcompare.comparison.causes.interrupted import interruption_rules
from tb_perfcompare.comparison.causes.kernels import kernel_rules
from tb_perfcompare.comparison.causes.pace import pace_rules
from tb_perfcompare.comparison.causes.pair import Pair
from tb_perfcompare.comparison.causes.recording import recording_rules
from tb_perfcompare.comparison.causes.steps import step_rules
from tb_perfcompare.comparison.causes.transfers import transfer_rules
from tb_perfcompare.comparison.causes.work import work_rules
from tb_perfcompare.comparison.comparison import Finding

RULES: tuple[Callable[[Pair], Iterator[Cause]], ...] = (
    work_rules, step_rules, recording_rules, kernel_rules, transfer_rules, host_rules, host_copy_rules,
    interruption_rules, pace_rules,
)  # fmt: skip
"""Each gives what it finds; order plays no part."""

EXPLAINED = 0.5
"""A cause is left out if causes told before explain this share of its time."""


@dataclass(frozen=True, slots=True)
class Told:
    """Findings, largest first; what they explain of each category, microseconds per step; entities they tell of."""

    findings: tuple[Finding, ...] = ()
    explained: Mapping[str, float] = field(default_factory=dict)
    entities: frozenset[str] = frozenset()


def told_causes(pair: Pair) -> Told:
    """The causes that hold, without those whose time another one explains. Equal sides have none."""
    # a step that is the whole recording is no step: what differs from it follows from that alone
    if pair.baseline.marked != pair.candidate.marked or not any(row.delta for row in pair.ledger.rows):
        return Told()
    found = [cause for rule in RULES for cause in rule(pair)]
    found.sort(key=lambda cause: (cause.rank, -abs(cause.finding.delta_us or 0.0), cause.finding.rule))
    kept: list[Cause] = []
    explained: dict[str, float] = {}
    for cause in found:
        total = sum(abs(part) for part in cause.explains.values())
        known = sum(
            min(abs(part), abs(explained.get(label, 0.0)))
            for label, part in cause.explains.items()
            if part * explained.get(label, 0.0) > 0
        )
        if total and known >= EXPLAINED * total:
            continue
        kept.append(cause)
        for label, part in cause.explains.items():
            explained[label] = explained.get(label, 0.0) + part
    findings = sorted((cause.finding for cause in kept), key=lambda finding: -abs(finding.delta_us or 0.0))
    entities = {item.row for finding in findings for item in finding.evidence if item.table == "kernels"}
    return Told(tuple(findings), explained, frozenset(entities | {finding.subject for finding in findings}))
