"""Runs all rules and selects the causes to report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import field
from itertools import chain
from math import fsum

from tb_perfcompare.comparison.causes.detectors.machine.pace import MACHINE_PACE
from tb_perfcompare.comparison.causes.detectors.replaced_calls import with_replaced_calls
from tb_perfcompare.comparison.causes.detectors.without_device import OF_DEVICES, is_without_device
from tb_perfcompare.comparison.causes.detectors.workload.other_work import find_other_work
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained, changes_of
from tb_perfcompare.comparison.causes.evidence.general_rules import MAIN_SHARE
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.rules import RULES
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.model.summary.categories import CPU_EXEC, KERNEL, RUNTIME
from tb_perfcompare.quick_dataclass import dataclass

FIND = tuple(dict.fromkeys(rule.find for rule in RULES if rule.find))
FIND_REST = tuple(dict.fromkeys(rule.find_rest for rule in sorted(RULES, key=lambda one: one.order) if rule.find_rest))
"""Functions of the rules, each once: one function may serve several rules."""


_OF_CALLS = (KERNEL, CPU_EXEC, RUNTIME)
"""Categories that consist of calls: causes explain some of these."""

OFFSETTING = 0.1
"""Share of the step's change from which the parts of a finding matter, whatever their sum."""


@dataclass(frozen=True, slots=True)
class DetectedCauses:
    """Causes to report, and what they account for.

    findings    largest first
    explained   explained change by category, microseconds per step
    entities    entities that the findings name, whose calls were replaced, or whose change they explain
    machine_us  the machine's part of the change of the step, microseconds
    same_inputs  operators have the same input shapes and types throughout, as far as recorded
    offsetting  sentences of findings whose parts are larger than their sum
    """

    findings: tuple[Finding, ...] = ()
    explained: Mapping[str, float] = field(default_factory=dict)
    entities: frozenset[str] = frozenset()
    machine_us: float = 0.0
    same_inputs: bool = True
    offsetting: frozenset[str] = frozenset()


def detect_causes(context: RuleContext) -> DetectedCauses:
    """Returns the causes to report, without those whose time other causes explain. Identical sides have none."""
    # without step markers the whole recording is one step, and all differences follow from that
    if context.baseline.marked != context.candidate.marked or not context.differs:
        return DetectedCauses()
    other = context.once(find_other_work)
    same_work = other is None or other.is_as_large
    explained = Explained()
    for cause in _without_parts(_uncovered(_found(context, same_work=same_work))):
        explained.book(context, cause)
    for find_rest in FIND_REST:
        for cause in find_rest(context, explained):
            explained.book(context, cause)
    causes = explained.causes
    findings = sorted((cause.finding for cause in causes), key=lambda finding: -abs(finding.change_us))
    offsetting = frozenset(
        cause.finding.sentence for cause in causes
        if fsum(map(abs, cause.explains.values())) >= max(context.least_us, OFFSETTING * abs(context.delta_us))
    )  # fmt: skip
    return DetectedCauses(
        tuple(findings), explained.by_category(), _entities(context, causes, explained),
        fsum(finding.change_us for finding in findings if finding.rule in MACHINE_PACE.names),
        same_work, offsetting,
    )  # fmt: skip


def _found(context: RuleContext, *, same_work: bool) -> list[Cause]:
    """Causes that rules find whatever others find, those to prefer first."""
    silent = OF_DEVICES if is_without_device(context) else ()
    causes = [
        cause for find in FIND for cause in find(context)
        if (same_work or not cause.same_work) and cause.finding.category not in silent
    ]  # fmt: skip
    return sorted(causes, key=lambda cause: (cause.rank, -abs(cause.finding.change_us), cause.finding.rule))


def _uncovered(causes: Iterable[Cause]) -> list[Cause]:
    """Causes whose time those before them do not explain."""
    explained, uncovered = Explained(), list[Cause]()
    for cause in causes:
        if not explained.covers(cause):
            uncovered.append(cause)
            explained.add(cause)
    return uncovered


def _entities(context: RuleContext, causes: Sequence[Cause], explained: Explained) -> frozenset[str]:
    """Entities as in `DetectedCauses.entities`."""
    in_evidence = (item.row for cause in causes for item in cause.finding.evidence if item.table == "kernels")
    return frozenset({
        *(cause.finding.subject for cause in causes), *in_evidence,
        *chain.from_iterable(explained.entities(label, changes_of(context, label)) for label in _OF_CALLS),
        *({entity for cause in causes for _, entity in cause.explains} & context.once(with_replaced_calls)),
    }) - _with_time_left(context, causes, explained)  # fmt: skip


def _without_parts(causes: list[Cause]) -> list[Cause]:
    """Causes that are no part of a larger one: an operator that was replaced launches other kernels, too."""
    kept = list(causes)
    for cause in sorted(causes, key=lambda one: abs(one.finding.change_us)):
        if any(other is not cause and Explained([other]).covers(cause) for other in kept):
            kept.remove(cause)
    return kept


def _with_time_left(context: RuleContext, causes: Iterable[Cause], explained: Explained) -> Set[str]:
    """Operators that make a large part of the change of CPU time, which causes on calls leave most of: the added calls
    are larger than the others."""
    if any((CPU_EXEC, "") in cause.explains for cause in causes):
        return frozenset()
    least = MAIN_SHARE * abs(context.exposed(CPU_EXEC))
    counted = frozenset().union(*(cause.calls for cause in causes))
    large = {name: us for name, us in changes_of(context, CPU_EXEC).items() if name in counted and abs(us) >= least > 0}
    return large.keys() - explained.entities(CPU_EXEC, large)
