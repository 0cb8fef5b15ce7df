"""All rules, and which of what they find is told: fewer and right beats many."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tb_perfcompare.compare.causes.cause import Cause
from tb_perfcompare.compare.causes.host import host_rules
from tb_perfcompare.compare.causes.kernels import kernel_rules
from tb_perfcompare.compare.causes.pace import pace_rules
from tb_perfcompare.compare.causes.pair import Pair
from tb_perfcompare.compare.causes.steps import step_rules
from tb_perfcompare.compare.causes.transfers import transfer_rules
from tb_perfcompare.compare.causes.work import work_rules
from tb_perfcompare.compare.comparison import Finding

RULES: tuple[Callable[[Pair], Iterator[Cause]], ...] = (
    work_rules, step_rules, kernel_rules, transfer_rules, host_rules, pace_rules
)  # fmt: skip
"""Each gives what it finds; order plays no part."""

EXPLAINED = 0.5
"""A category's change is explained, and so is a cause, if this share of it is by causes told before."""


def told_causes(pair: Pair, general: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Findings, largest first. `general` are those about whole categories: each is told only where no cause explains
    its category."""
    if not pair.ledger.delta and not any(row.delta for row in pair.ledger.rows):
        return ()
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
    rest = [finding for finding in general if not _is_explained(finding, explained)]
    findings = [cause.finding for cause in kept] + rest
    findings.sort(key=lambda finding: -abs(finding.delta_us or 0.0))
    return tuple(findings[: pair.options.top_findings])


def _is_explained(finding: Finding, explained: dict[str, float]) -> bool:
    known = explained.get(finding.category, 0.0)
    delta = finding.delta_us or 0.0
    return known * delta > 0 and abs(known) >= EXPLAINED * abs(delta)
