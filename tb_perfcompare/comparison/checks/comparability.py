"""May these two be compared? Each check says what it saw and which conclusions it weakens."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.checks.cycle_checks import cycle_checks
from tb_perfcompare.comparison.checks.environment_checks import device, device_count, ranks, world_size
from tb_perfcompare.comparison.checks.recordings import complete, flags, same_capture, versions
from tb_perfcompare.comparison.checks.unit_of_work import left_out, markers, number_of_steps, shared_work
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.model.summary.summary import CYCLE_TIME, METRIC_SETTING, Summary
from tb_perfcompare.model.text_numbers import TextNumbers


def check_comparability(
    baseline: Summary, candidate: Summary, numbers: TextNumbers | None = None
) -> tuple[Check, ...]:
    """All checks in fixed order, those that pass included."""
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
    """Whether a step of one side is the same thing as a step of the other."""
    if a.metric == CYCLE_TIME:
        return cycle_checks(a, b)
    return (
        markers(a, b),
        shared_work("kernels", "kernel launches", a, b, numbers),
        shared_work("operators", "operator calls", a, b, numbers),
    )


_FIGURES = {
    "tensor_active": "tensor pipe",
    "dram_active": "DRAM",
    "achieved_occupancy": "achieved occupancy",
    "sm_throughput": "SM throughput",
}


def utilisation_metrics(a: Summary, b: Summary) -> Check:
    """Warns when a figure that both sides have was read from different metrics, or when only one side names its own."""
    found, figures = list[str](), list[str]()
    for figure, words in _FIGURES.items():
        if not (_has(a, figure) and _has(b, figure)):
            continue
        x, y = (dict(side.environment).get(METRIC_SETTING + figure, "") for side in (a, b))
        if x == y:
            continue
        figures.append(figure)
        if x and y:
            found.append(f"{words}: {x} vs {y}")
        else:
            silent, named = ("baseline", f"the candidate's is {y}") if y else ("candidate", f"the baseline's is {x}")
            found.append(f"{words}: the {silent} does not name its metric, {named}")
    if found:
        detail = f"figures of different metrics are not comparable: {'; '.join(found)}"
        bound = ("bound",) if {"tensor_active", "dram_active"} & set(figures) else ()
        return Check("utilisation_metrics", "warn", detail, (*figures, *bound))
    return Check("utilisation_metrics", "ok", "all figures come from the same metrics")


def _has(summary: Summary, figure: str) -> bool:
    kernels = summary.groups.get("kernels")
    return kernels is not None and figure in kernels.facts and bool(np.isfinite(kernels.facts[figure]).any())
