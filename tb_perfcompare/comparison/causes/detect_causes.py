"""Runs all rules and selects the causes to report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from math import fsum

from tb_perfcompare.comparison.causes.detectors.changed_operators import with_replaced_calls
from tb_perfcompare.comparison.causes.detectors.machine import MACHINE_PACE
from tb_perfcompare.comparison.causes.detectors.other_work import find_other_work
from tb_perfcompare.comparison.causes.detectors.without_device import OF_DEVICES, is_without_device
from tb_perfcompare.comparison.causes.evidence.cause import Cause, Explained
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.rules import RULES
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.quick_dataclass import dataclass

FIND = tuple(dict.fromkeys(rule.find for rule in RULES if rule.find))
FIND_REST = tuple(dict.fromkeys(rule.find_rest for rule in sorted(RULES, key=lambda one: one.order) if rule.find_rest))
"""Functions of the rules, each once: one function may serve several rules."""


_KERNEL = "Kernel"

OFFSETTING = 0.1
"""Share of the step's change from which the parts of a finding matter, whatever their sum."""


@dataclass(frozen=True, slots=True)
class DetectedCauses:
    """Causes to report, and what they account for.

    findings    largest first
    explained   explained change by category, microseconds per step
    entities    entities that the findings name or whose calls were replaced, and kernels whose change they explain
    machine_us  the machine's part of the change of the step, microseconds
    same_inputs  operators have the same input shapes and types throughout, as far as recorded
    offsetting  subjects of findings whose parts are larger than their sum
    """

    findings: tuple[Finding, ...] = ()
    explained: Mapping[str, float] = field(default_factory=dict)
    entities: frozenset[str] = frozenset()
    machine_us: float = 0.0
    same_inputs: bool = True
    offsetting: frozenset[str] = frozenset()


def detect_causes(pair: RuleContext) -> DetectedCauses:
    """Returns the causes to report, without those whose time other causes explain. Identical sides have none."""
    # without step markers the whole recording is one step, and all differences follow from that
    if pair.baseline.marked != pair.candidate.marked or not pair.differs:
        return DetectedCauses()
    other = pair.once(find_other_work)
    same_work = other is None or other.is_as_large
    silent = OF_DEVICES if is_without_device(pair) else ()
    causes = [
        cause for find in FIND for cause in find(pair)
        if (same_work or not cause.same_work) and cause.finding.category not in silent
    ]  # fmt: skip
    causes.sort(key=lambda cause: (cause.rank, -abs(cause.finding.delta_us or 0.0), cause.finding.rule))
    explained = Explained()
    kept: list[Cause] = []
    for cause in causes:
        if not explained.covers(cause):
            kept.append(cause)
            explained.add(cause)
    kept = _without_parts(kept)
    explained = Explained()
    for cause in kept:
        explained.add(cause)
    for find_rest in FIND_REST:
        for cause in find_rest(pair, explained):
            kept.append(cause)
            explained.add(cause)
    findings = sorted((cause.finding for cause in kept), key=lambda finding: -abs(finding.delta_us or 0.0))
    entities = {item.row for finding in findings for item in finding.evidence if item.table == "kernels"}
    kernels = explained.entities(_KERNEL, {row.path[1]: row.delta / pair.unit for row in pair.entities(_KERNEL)})
    around = {entity for one in kept for _, entity in one.explains} & pair.once(with_replaced_calls)
    named = {finding.subject for finding in findings} | around
    subjects = entities | kernels | named | _recalled(pair, kept, explained)
    machine_us = fsum(finding.delta_us or 0.0 for finding in findings if finding.rule in MACHINE_PACE.names)
    offsetting = frozenset(
        cause.finding.subject for cause in kept
        if fsum(map(abs, cause.explains.values())) >= max(pair.least_us, OFFSETTING * abs(pair.delta_us))
    )  # fmt: skip
    return DetectedCauses(
        tuple(findings), explained.by_category(), frozenset(subjects), machine_us, same_work, offsetting
    )


def _without_parts(causes: list[Cause]) -> list[Cause]:
    """Causes that are no part of a larger one: an operator that was replaced launches other kernels, too."""
    kept = list(causes)
    for cause in sorted(causes, key=lambda one: abs(one.finding.delta_us or 0.0)):
        for other in kept:
            whole = Explained()
            whole.add(other)
            if other is not cause and whole.covers(cause):
                kept.remove(cause)
                break
    return kept


def _recalled(pair: RuleContext, causes: Iterable[Cause], explained: Explained) -> set[str]:
    """Operators and annotations whose change in calls is explained."""
    operators = pair.amounts("operators", "host_total")
    names = {name: operators.get((name,)) for cause in causes for name in cause.calls}
    return {
        name for name, amount in names.items() if amount is None or explained.has_most_calls(name, amount.more_calls)
    }
