"""Findings that are not reported: too small, side effects of others, or noise."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tb_perfcompare.comparison.causes.detectors.changed_operators import OPERATORS_CHANGED
from tb_perfcompare.comparison.causes.detectors.kernels.moving_data import COPIES_ON_CPU, LAYOUT_COPIES
from tb_perfcompare.comparison.causes.detectors.machine.of_machine import OF_CPU
from tb_perfcompare.comparison.causes.detectors.machine.pace import MACHINE_PACE
from tb_perfcompare.comparison.causes.detectors.machine.recording import PROFILER_OVERHEAD
from tb_perfcompare.comparison.causes.detectors.replaced_calls import OPERATOR_REPLACED
from tb_perfcompare.comparison.causes.detectors.steps.slow_steps import SLOW_STEPS
from tb_perfcompare.comparison.causes.evidence.rule import COUNTED
from tb_perfcompare.comparison.result.finding import Finding, is_sure
from tb_perfcompare.comparison.result.headline import Basis, Headline
from tb_perfcompare.model.names.work_kinds import work_kind

_STRUCTURE = frozenset({*OPERATOR_REPLACED.names, *OPERATORS_CHANGED.names})

MINOR = 0.01
"""Share of the step's typical change below which a finding is not worth reading. A few long steps may change the mean
much more."""

UNCOUNTED, SIDE_EFFECT = 0.04, 0.15
"""Share of the largest finding below which one that is not counted, or one of a side effect, is not reported. 150
recorded pairs had 16 and 11 of these; none was the cause."""

_SIDE_EFFECTS = frozenset({
    *COPIES_ON_CPU.names, *LAYOUT_COPIES.names, *PROFILER_OVERHEAD.names, *SLOW_STEPS.names,
})  # fmt: skip
"""Findings that follow from almost any change of the program, and those of single slow steps."""


def without_minor_changes(
    findings: tuple[Finding, ...], typical_us: float, least_us: float, offsetting: Collection[str] = ()
) -> tuple[Finding, ...]:
    """Removes findings below MINOR of the step's typical change or small next to the largest, and changed operators
    below the smallest change that matters. Replaced layers stay, and replaced operators whose parts are larger than
    their sum (`offsetting`, their sentences); so do all findings if nothing else is found."""
    minor_us = MINOR * abs(typical_us)
    largest_us = max((abs(finding.change_us) for finding in findings), default=0.0)
    large = tuple(
        finding for finding in findings
        if finding.delta_us is None or _is_of_layers(finding)
        or (is_replaced(finding) and finding.sentence in offsetting)
        or abs(finding.delta_us) >= max(
            minor_us, _least_share(finding) * largest_us, least_us if finding.rule in _STRUCTURE else 0.0
        )
    )  # fmt: skip
    return large or findings


def without_interruptions(
    general: Iterable[Finding], causes: Iterable[Finding], change_us: float
) -> tuple[Finding, ...]:
    """General findings that agree with uninterrupted steps. Removed are those of a category that a cause from
    uninterrupted steps is about, and those within the spread of steps as recorded if they go against the program's
    change or if a cause of the program is known."""
    named = {finding.category for finding in causes if finding.rule not in OF_CPU}
    return tuple(
        finding for finding in general
        if finding.category not in named
        and (is_sure(finding) or (not named and finding.change_us * change_us > 0))
    )  # fmt: skip


def without_noise(
    general: Iterable[Finding], causes: Iterable[Finding], headline: Headline
) -> tuple[Finding, ...]:  # fmt: skip
    """General findings, without those that are within the spread of the steps if the verdict is the program's: as
    recorded, the machine's pace makes them. Of its direction they stay if no cause of the program is known."""
    way = headline.verdict.way if headline.basis is Basis.PROGRAM else 0
    known = any(cause.rule not in OF_CPU and way * cause.change_us > 0 for cause in causes)
    return tuple(
        finding for finding in general
        if not way or is_sure(finding) or (not known and way * finding.change_us >= 0)
    )  # fmt: skip


def _least_share(finding: Finding) -> float:
    """Share of the largest finding from which this one is reported."""
    if finding.rule in _SIDE_EFFECTS:
        return SIDE_EFFECT
    return 0.0 if finding.confidence.startswith(COUNTED) else UNCOUNTED


def without_unknown_pace(findings: Iterable[Finding], headline: Headline) -> tuple[Finding, ...]:
    """Removes the machine's pace if these captures do not differ in it: the headline has both. It stays if it
    goes against the program's change, because it hides that."""
    machine, way = headline.machine, headline.verdict.way
    is_unknown = machine is not None and not machine.differs
    return tuple(
        finding for finding in findings
        if not (is_unknown and finding.rule in MACHINE_PACE.names and not is_sure(finding))
        or way * finding.change_us < 0
    )  # fmt: skip


def _is_of_layers(finding: Finding) -> bool:
    return is_replaced(finding) and any(work_kind(item.row) for item in finding.evidence)


def is_replaced(finding: Finding) -> bool:
    """Whether the finding is that operators take the place of others."""
    return finding.rule in OPERATOR_REPLACED.names
