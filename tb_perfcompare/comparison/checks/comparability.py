"""Comparability checks: each reports what it found and the conclusions that it weakens."""

from __future__ import annotations

from tb_perfcompare.comparison.checks.cycle_checks import cycle_checks
from tb_perfcompare.comparison.checks.environment_checks import device, device_count, ranks, world_size
from tb_perfcompare.comparison.checks.metric_checks import utilisation_metrics
from tb_perfcompare.comparison.checks.recordings import complete, flags, same_capture, versions
from tb_perfcompare.comparison.checks.unit_of_work import left_out, markers, number_of_steps, shared_work
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.model.summary.summary import CYCLE_TIME, Summary
from tb_perfcompare.model.text_numbers import TextNumbers


def check_comparability(
    baseline: Summary, candidate: Summary, numbers: TextNumbers | None = None
) -> tuple[Check, ...]:
    """Returns all checks in fixed order, including those that pass."""
    return (
        same_capture(baseline, candidate),
        device(baseline, candidate),
        device_count(baseline, candidate),
        *_unit_of_work(baseline, candidate, TextNumbers() if numbers is None else numbers),
        number_of_steps(baseline, candidate),
        left_out(baseline, candidate),
        world_size(baseline, candidate),
        ranks(baseline, candidate),
        flags(baseline, candidate),
        versions(baseline, candidate),
        utilisation_metrics(baseline, candidate),
        complete(baseline, candidate),
    )


def _unit_of_work(a: Summary, b: Summary, numbers: TextNumbers) -> tuple[Check, ...]:
    """Whether a step of one side is the same unit of work as a step of the other."""
    if a.metric == CYCLE_TIME:
        return cycle_checks(a, b)
    return (
        markers(a, b, numbers),
        shared_work("kernels", "kernel launches", a, b, numbers),
        shared_work("operators", "operator calls", a, b, numbers),
    )
