"""Order of findings: largest first, but counted causes before those they may have caused, and the first never
smaller than the ledger's largest entry."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tb_perfcompare.comparison.causes.detect_causes import DetectedCauses
from tb_perfcompare.comparison.causes.detectors.changed_operators import OPERATORS_CHANGED
from tb_perfcompare.comparison.causes.detectors.kernels.kernel_speed import KERNEL_SLOWER
from tb_perfcompare.comparison.causes.detectors.machine.of_machine import OF_CPU, OF_MACHINE
from tb_perfcompare.comparison.causes.detectors.machine.recording import AUTOGRAD_RECORDS
from tb_perfcompare.comparison.causes.detectors.slower_operator import OPERATOR_SLOWER
from tb_perfcompare.comparison.causes.detectors.steps.slow_steps import SLOW_STEPS
from tb_perfcompare.comparison.causes.detectors.synchronization import SYNCHRONIZATION
from tb_perfcompare.comparison.causes.detectors.workload.other_work import DATA_TYPE_CHANGED, WORKLOAD_CHANGED
from tb_perfcompare.comparison.causes.evidence.amounts import NOTHING
from tb_perfcompare.comparison.causes.evidence.general_rules import GENERAL, TABLES
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed, only_exposed
from tb_perfcompare.comparison.causes.evidence.known_settings import SETTINGS
from tb_perfcompare.comparison.causes.evidence.places.moved_inside import moved_into_ranges
from tb_perfcompare.comparison.causes.evidence.rule import COUNTED
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.significant_categories import are_separated
from tb_perfcompare.comparison.causes.launch_findings import BOUND_SHIFT, TENSOR_CORES, UTILIZATION
from tb_perfcompare.comparison.causes.minor_findings import is_replaced
from tb_perfcompare.comparison.result.finding import REPEATABILITY_UNKNOWN, WITHIN_SPREAD, Evidence, Finding
from tb_perfcompare.comparison.result.headline import Basis, Headline, Verdict
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.ledger_rows import STATUSES, LedgerRow, columns_of
from tb_perfcompare.comparison.result.wording import numbers_text, short, signed_time, times_text
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.work.call_arguments import OtherArguments, arguments_of_change, other_arguments
from tb_perfcompare.model.names.work_kinds import MOVING, VIEWS
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOT_SPLIT, NOTHING_RECORDED, StepCategory
from tb_perfcompare.model.summary.summary import Summary

WEAKER_RULES = frozenset({
    "host_time", "unrecorded_time", "kernel_time", *OF_CPU, *SLOW_STEPS.names,
})  # fmt: skip
"""Findings that show where time went but not why, or that may be transient. More calls cause all of these: untraced
time between calls, slower calls, more interruptions, longer steps."""

_GENERAL = frozenset(name for rule in GENERAL.values() for name in rule.names)

_MAY_FOLLOW = WEAKER_RULES | _GENERAL
"""Findings that the machine's pace may cause."""

_OF_KERNELS = frozenset({*TENSOR_CORES.names, *UTILIZATION.names})
"""Why launches of certain kernels take longer: counted causes, as each launch is measured."""

OTHER_WORK = frozenset({*WORKLOAD_CHANGED.names, *DATA_TYPE_CHANGED.names})
"""Findings that explain all that others leave in their direction, the largest entry, too."""

_SLOWER = {
    StepCategory.CPU_EXEC: (OPERATOR_SLOWER, "One operator is", "call"),
    StepCategory.KERNEL: (KERNEL_SLOWER, "One kernel is", "launch"),
}
"""Categories whose entities have a rule: (rule, start of its sentence, term for one call)."""

WAITS = 2.0
"""Ratio of waits for the device to the operators in which they are, up to which these come first."""

MAX_WEAKER_RATIO = 4.0
"""Largest ratio of a finding of WEAKER_RULES to a counted cause at which the counted cause comes first."""


def order_findings(findings: Iterable[Finding], headline: Headline) -> tuple[Finding, ...]:
    """Orders the findings for the report: largest first, with five exceptions.

    * A counted cause comes before findings of WEAKER_RULES of the same sign, or of any if the program's direction is
    open, that are at most MAX_WEAKER_RATIO times as large.

    * Slow steps against the verdict come last. If the verdict is the program's, so do all findings of WEAKER_RULES and
    general ones against it (the machine's pace caused them), and machine findings come after causes of the program.

    * If the verdict is the machine's, machine findings of its sign come first.

    * New operators come before the waits in them that are at most WAITS times as large.

    * Time that moved between bound classes comes last: it is no part of the change.
    """
    ordered = sorted(findings, key=lambda finding: (finding.rule in BOUND_SHIFT.names, -abs(finding.change_us)))
    of_program = headline.basis is Basis.PROGRAM or headline.counted is not None
    way = headline.verdict.way if of_program else 0
    ways = dict.fromkeys(_MAY_FOLLOW, way) | dict.fromkeys(SLOW_STEPS.names, headline.verdict.way)
    ordered.sort(key=lambda finding: ways.get(finding.rule, 0) * finding.change_us < 0)
    ordered = _moves_behind(ordered)
    others = [finding for finding in ordered if finding.rule not in OF_CPU]
    if way and any(finding.rule not in WEAKER_RULES or way * finding.change_us > 0 for finding in others):
        ordered.sort(key=lambda finding: finding.rule in OF_CPU)
    of_machine = headline.verdict.way if headline.basis is Basis.MACHINE else 0
    ordered.sort(key=lambda finding: finding.rule not in OF_MACHINE or of_machine * finding.change_us <= 0)
    is_open = headline.basis is Basis.PROGRAM and headline.verdict is Verdict.INCONCLUSIVE
    return tuple(_waits_behind(_counted_first(ordered, is_open=is_open)))


def _counted_first(findings: list[Finding], *, is_open: bool) -> list[Finding]:
    """Moves a counted cause to the front if all findings before it come after it."""
    for place, finding in enumerate(findings):
        is_counted = finding.confidence.startswith(COUNTED) or finding.rule in _OF_KERNELS
        if is_counted and all(_comes_after(other, finding, is_open=is_open) for other in findings[:place]):
            return [finding, *findings[:place], *findings[place + 1 :]]
    return findings


def _waits_behind(findings: list[Finding]) -> list[Finding]:
    """Moves waits for the device behind the changed operators in which they are: these are the cause."""
    for place, waits in enumerate(findings):
        for at, changed in enumerate(findings[place + 1 :], start=place + 1):
            if _is_behind(changed, waits):
                return [*findings[:place], changed, *findings[place:at], *findings[at + 1 :]]
    return findings


def _is_behind(changed: Finding, waits: Finding) -> bool:
    """Whether the second finding is on waits in an operator that the first is on, too, and not much larger."""
    as_large = abs(waits.change_us) <= WAITS * abs(changed.change_us)
    are_both = waits.rule in SYNCHRONIZATION.names and changed.rule in OPERATORS_CHANGED.names
    return are_both and waits.subject in {changed.subject, *(item.row for item in changed.evidence)} and as_large


def _moves_behind(findings: list[Finding]) -> list[Finding]:
    """Moves replaced operators that only move data behind the first that compute: a result in another layout needs
    other copies."""
    first = next((finding for finding in findings if is_replaced(finding) and not _only_moves(finding)), None)
    if first is None:
        return findings
    at = findings.index(first)
    moves = [finding for finding in findings[:at] if is_replaced(finding)]
    return [*(finding for finding in findings[:at] if finding not in moves), first, *moves, *findings[at + 1 :]]


def _only_moves(finding: Finding) -> bool:
    return all(item.row in MOVING | VIEWS for item in finding.evidence)


def _comes_after(general: Finding, counted: Finding, *, is_open: bool) -> bool:
    """Whether the general finding comes after the counted one. Size does not matter if a setting of the program is
    known, which makes everything else larger, or if the general finding is within the spread of the steps. Its sign
    does not matter, either, if it is within the spread or the program's direction is open: the machine's pace may make
    it."""
    is_noise = general.confidence.startswith(WITHIN_SPREAD)
    is_setting = counted.look_at in SETTINGS.values() or counted.rule in AUTOGRAD_RECORDS.names
    least = general.change_us / (np.inf if is_noise or is_setting else MAX_WEAKER_RATIO)
    same_way = counted.change_us * general.change_us >= 0
    is_weaker = general.rule in WEAKER_RULES and not general.confidence.startswith(COUNTED)
    return is_weaker and (same_way or is_open or is_noise) and abs(counted.change_us) >= abs(least)


def with_largest_entry(
    findings: tuple[Finding, ...], context: RuleContext, detected: DetectedCauses
) -> tuple[Finding, ...]:
    """Adds the largest ledger entry that changed in the step's direction, if it is larger than all other findings
    and what causes explain of its category, and none names it. The entry must be on both sides, with no overlap
    between their steps, and not only exposed, so that it is one thing that changed."""
    largest, sides = _largest(context.ledger), context.sides
    if largest is None:
        return findings
    delta_us, (category, key) = largest.delta / context.unit, largest.path
    not_slower = (*context.once(only_exposed), *context.once(moved_into_ranges))
    named = {*detected.entities, *not_slower, *(finding.subject for finding in findings)}
    named.update(item.row for finding in findings for item in finding.evidence)
    same_way = [finding for finding in findings if finding.change_us * delta_us > 0]
    told_us = max(*(abs(finding.change_us) for finding in same_way), abs(detected.explained.get(category, 0.0)), 0.0)
    if any(finding.rule in OTHER_WORK for finding in same_way):
        return findings
    if key in named or abs(delta_us) < context.least_us or told_us >= abs(delta_us) or not _lies_apart(largest, *sides):
        return findings
    called = arguments_of_change(other_arguments(*sides), *sides, key)
    entry = _finding(context, largest, called)
    place = sum(abs(finding.change_us) >= abs(delta_us) for finding in findings)
    return (*findings[:place], entry, *findings[place:])[: context.options.top_findings]


def _finding(context: RuleContext, row: LedgerRow, called: OtherArguments | None) -> Finding:
    """Finding on one entity; "slower" if it is called as often as before, and no annotated range. `called`: other
    arguments of its calls."""
    category, unit, sides = StepCategory(CATEGORY_LABELS.index(row.path[0])), context.unit, context.sides
    rule, key, delta_us = GENERAL[category], row.path[1], row.delta / unit
    is_range = category is StepCategory.CPU_EXEC and context.amount("operators", "host_total", key) is NOTHING
    amounts = times_text(row.baseline / unit, row.candidate / unit)
    how = f"{amounts}, {numbers_text(*row.calls)} calls per step"
    lead = f"{rule.meaning[0].upper()}{rule.meaning[1:]}: {signed_time(delta_us)} per step in {short(key)}"
    if category in _SLOWER and not is_range and all(row.calls) and not call_count_changed(*row.calls):
        rule, what, per = _SLOWER[category]
        each = times_text(row.baseline / unit / row.calls[0], row.candidate / unit / row.calls[1])
        lead = f"{what} {'slower' if delta_us > 0 else 'faster'}: {short(key)} {signed_time(delta_us)} per step"
        how = f"{each} per {per}"
    table = (Evidence(TABLES[category], key),) if category in TABLES else ()
    return Finding(
        rule.names[-1 if delta_us < 0 else 0], key, row.path[0], delta_us, row.delta / context.ledger.delta,
        f"{lead} ({how}){f', {called.clause}' if called is not None else ''}.",
        (Evidence("ledger", " / ".join(row.path)), *table),
        "no overlap between the steps of the two sides" if min(len(side.steps) for side in sides) > 1
        else f"size certain, {REPEATABILITY_UNKNOWN} (only one step on a side)",
        rule.advice(*sides, gain=delta_us < 0) if called is None else called.look_at,
    )  # fmt: skip


def _largest(ledger: Ledger) -> LedgerRow | None:
    """Largest entry that both sides have and that changed in the step's direction; of equal ones the last by name.
    None without any."""
    found: list[LedgerRow] = []
    for head in ledger.heads if ledger.delta else ():
        rows = columns_of(head.path[0], ledger.entities(head.path[0]))
        size = np.where((rows.delta > 0) == (ledger.delta > 0), np.abs(rows.delta), 0)
        size[rows.status != STATUSES.index("both")] = 0
        size[[at for at, key in enumerate(rows.key) if key in (NOTHING_RECORDED, NOT_SPLIT)]] = 0
        if len(rows) and size.max() > 0:
            found += rows.of_rows(np.flatnonzero(size == size.max()))
    return max(found, key=lambda row: (abs(row.delta), row.path), default=None)


def _lies_apart(row: LedgerRow, baseline: Summary, candidate: Summary) -> bool:
    times = []
    for side in (baseline, candidate):
        places = [
            at for at, (category, key) in enumerate(zip(side.owned.category.tolist(), side.owned.key, strict=True))
            if (CATEGORY_LABELS[category], key) == row.path
        ]  # fmt: skip
        if not places:
            return False
        times.append(observations(side).means(side.owned.time_ns[places]))
    return bool(are_separated(times[0], times[1])[0])
