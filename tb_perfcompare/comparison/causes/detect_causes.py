"""All rules, and which of what they find is told: fewer and right beats many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from tb_perfcompare.comparison.causes.detectors.allocator import allocator_rules
from tb_perfcompare.comparison.causes.detectors.changed_operators import changed_operator_rules
from tb_perfcompare.comparison.causes.detectors.collectives import collective_rules
from tb_perfcompare.comparison.causes.detectors.compiled_regions import graph_break_rules
from tb_perfcompare.comparison.causes.detectors.cpu_contention import interruption_rules
from tb_perfcompare.comparison.causes.detectors.device_copies import device_copy_rules
from tb_perfcompare.comparison.causes.detectors.host import host_rules
from tb_perfcompare.comparison.causes.detectors.host_copies import host_copy_rules
from tb_perfcompare.comparison.causes.detectors.kernel_speed import kernel_speed_rules
from tb_perfcompare.comparison.causes.detectors.launching import graph_rules, launch_rules
from tb_perfcompare.comparison.causes.detectors.machine import machine_rules
from tb_perfcompare.comparison.causes.detectors.more_calls import more_calls_rules
from tb_perfcompare.comparison.causes.detectors.other_work import find_other_work
from tb_perfcompare.comparison.causes.detectors.recording import profiler_work_rules, recording_rules
from tb_perfcompare.comparison.causes.detectors.steps import step_rules
from tb_perfcompare.comparison.causes.detectors.substituted import substitution_rules
from tb_perfcompare.comparison.causes.detectors.synchronization import wait_rules
from tb_perfcompare.comparison.causes.detectors.transfers import transfer_rules
from tb_perfcompare.comparison.causes.detectors.uniform_slowdown import pace_rules
from tb_perfcompare.comparison.causes.evidence.cause import Cause
from tb_perfcompare.comparison.causes.evidence.explained_time import Explained
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Finding

RULES: tuple[Callable[[RuleContext], Iterator[Cause]], ...] = (
    more_calls_rules, step_rules, profiler_work_rules, substitution_rules, device_copy_rules, kernel_speed_rules,
    transfer_rules, collective_rules, allocator_rules, launch_rules, host_rules, host_copy_rules, interruption_rules,
    pace_rules, graph_break_rules,
)  # fmt: skip
"""Each gives what it finds; order plays no part."""

OF_THE_REST: tuple[Callable[[RuleContext, Explained], Iterator[Cause]], ...] = (
    graph_rules,
    wait_rules,
    recording_rules,
    machine_rules,
)
"""Each explains what is left of the time it is about, in this order."""

EXPLAINED = 0.5
"""A cause is left out if causes told before explain this share of its time."""


@dataclass(frozen=True, slots=True)
class Told:
    """Findings, largest first; what they explain of each category, microseconds per step; entities they tell of."""

    findings: tuple[Finding, ...] = ()
    explained: Mapping[str, float] = field(default_factory=dict)
    entities: frozenset[str] = frozenset()


def told_causes(pair: RuleContext) -> Told:
    """The causes that hold, without those whose time another one explains. Equal sides have none."""
    # a step that is the whole recording is no step: what differs from it follows from that alone
    if pair.baseline.marked != pair.candidate.marked or not pair.differs:
        return Told()
    other = find_other_work(pair)
    found = [cause for rule in RULES for cause in rule(pair) if other is None or not cause.same_work]
    found.sort(key=lambda cause: (cause.rank, -abs(cause.finding.delta_us or 0.0), cause.finding.rule))
    explained = Explained()
    kept: list[Cause] = []

    def keep_unless_explained(cause: Cause) -> None:
        total = sum(abs(part) for part in cause.explains.values())
        if not total or explained.known(cause.explains) < EXPLAINED * total:
            kept.append(cause)
            explained.add(cause.explains)

    for cause in found:
        keep_unless_explained(cause)
    for rule in (*OF_THE_REST, *(() if other is None else (other.tell,))):
        for cause in rule(pair, explained):
            kept.append(cause)
            explained.add(cause.explains)
    for cause in changed_operator_rules(pair, {one.finding.rule for one in kept}):
        keep_unless_explained(cause)
    findings = sorted((cause.finding for cause in kept), key=lambda finding: -abs(finding.delta_us or 0.0))
    entities = {item.row for finding in findings for item in finding.evidence if item.table == "kernels"}
    subjects = frozenset(entities | {finding.subject for finding in findings})
    return Told(tuple(findings), explained.by_category(), subjects)
