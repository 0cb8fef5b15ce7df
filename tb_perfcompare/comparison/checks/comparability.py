"""Comparability checks: each reports what it found and the conclusions that it weakens."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.checks.environment_checks import device, device_count, ranks, world_size
from tb_perfcompare.comparison.checks.recordings import complete, flags, same_capture, versions
from tb_perfcompare.comparison.checks.shared_work import SIMILAR_WORK, SOME_WORK, shared_share
from tb_perfcompare.comparison.checks.unit_of_work import left_out, markers, number_of_steps, shared_work
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import many, percent_text, short
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.recordings.cycles import is_device_type
from tb_perfcompare.model.summary.summary import CYCLE_TIME, METRIC_SETTING, Summary
from tb_perfcompare.model.text_numbers import TextNumbers
from tb_perfcompare.number_text import number


def check_comparability(baseline: Summary, candidate: Summary, numbers: TextNumbers) -> tuple[Check, ...]:
    """Returns all checks in fixed order, including those that pass."""
    return (
        same_capture(baseline, candidate),
        device(baseline, candidate),
        device_count(baseline, candidate),
        *_unit_of_work(baseline, candidate, numbers),
        number_of_steps(baseline, candidate),
        left_out(baseline, candidate),
        world_size(baseline, candidate),
        ranks(baseline, candidate),
        flags(baseline, candidate),
        versions(baseline, candidate),
        _utilization_metrics(baseline, candidate),
        complete(baseline, candidate),
    )


def _unit_of_work(a: Summary, b: Summary, numbers: TextNumbers) -> tuple[Check, ...]:
    """Whether a step of one side is the same unit of work as a step of the other; of cycles also whether work and
    machines are the same."""
    if a.metric == CYCLE_TIME:
        return _anchors(a, b), _units(a, b), _launches(a, b), _hosts(a, b), _processes(a, b)
    return (
        markers(a, b, numbers),
        shared_work("kernels", "kernel launches", a, b, numbers),
        shared_work("operators", "operator calls", a, b, numbers),
    )


_FIGURES = {
    "tensor_active": "tensor pipe",
    "dram_active": "DRAM",
    "achieved_occupancy": "achieved occupancy",
    "sm_throughput": "SM throughput",
}


def _utilization_metrics(a: Summary, b: Summary) -> Check:
    """Warns if a figure that both sides have comes from different metrics, or if only one side names its metric.

    Profilers offer several for one figure such as "tensor pipe active", and two of them differ even if the kernels do
    not.
    """
    differences, figures = list[str](), list[str]()
    for figure, words in _FIGURES.items():
        if not (_has(a, figure) and _has(b, figure)):
            continue
        x, y = (dict(side.environment).get(METRIC_SETTING + figure, "") for side in (a, b))
        if x == y:
            continue
        figures.append(figure)
        if x and y:
            differences.append(f"{words}: {x} vs {y}")
        else:
            silent, named = ("baseline", f"the candidate's is {y}") if y else ("candidate", f"the baseline's is {x}")
            differences.append(f"{words}: the {silent} does not name its metric, {named}")
    if differences:
        detail = f"figures of different metrics are not comparable: {'; '.join(differences)}"
        bound = ("bound",) if {"tensor_active", "dram_active"} & set(figures) else ()
        return Check("utilisation_metrics", "warn", detail, (*figures, *bound))
    return Check("utilisation_metrics", "ok", "all figures come from the same metrics")


def _has(summary: Summary, figure: str) -> bool:
    kernels = summary.groups.get("kernels")
    return kernels is not None and figure in kernels.facts and bool(np.isfinite(kernels.facts[figure]).any())


_MAX_NAMED = 3
_VOID = ("verdict", "functions")


def _anchors(a: Summary, b: Summary) -> Check:
    """Whether both sides' cycles are calls of the same function; otherwise their lengths are not comparable."""
    anchors = [dict(side.environment).get("cycle.anchor", "") for side in (a, b)]
    if not all(anchors):
        detail = "a table does not name the function that delimits its cycles: the cycles may differ"
        return Check("step_marker", "warn", detail, ("verdict",))
    if anchors[0] != anchors[1]:
        detail = (
            f"cycles of the baseline are calls of {anchors[0]}, those of the candidate of {anchors[1]}: their lengths "
            "are not comparable"
        )
        return Check("step_marker", "fail", detail, _VOID)
    return Check("step_marker", "ok", f"cycles of both sides are calls of {anchors[0]}")


_UNIT_STEPS = (1e3, 1e6, 1e9)
_UNIT_TOLERANCE = 0.2
"""Largest relative deviation of the ratio of two mean lengths from a step between units of time. Programs that became
a thousand times as slow are rarer than tables in milliseconds."""


def _units(a: Summary, b: Summary) -> Check:
    """Whether times are in the units that the format defines: no contradiction within one table only, and no step
    between units of time between the cycles of the two."""
    wrong = [
        f"{side}: {note.message}" for side, own in zip(SIDES, (a, b), strict=True)
        for note in own.notes if note.code is NoteCode.COLUMNS_DISAGREE
    ]  # fmt: skip
    if len(wrong) == len(SIDES):  # perhaps in the same way: ratios hold
        return Check("units", "warn", "; ".join(wrong), _VOID)
    lengths = [float(side.steps.total_ns.mean()) for side in (a, b)]
    ratio = max(lengths) / min(lengths) if min(lengths) > 0 else 1.0
    if not wrong and any(abs(ratio - step) <= _UNIT_TOLERANCE * step for step in _UNIT_STEPS):
        longer, shorter = ("candidate", "baseline") if lengths[1] > lengths[0] else ("baseline", "candidate")
        detail = f"cycles of the {longer} are {number(ratio)} times as long as those of the {shorter}"
        wrong = [f"{detail}: anchor_dur_us of one side is not in µs"]
    return Check("units", "fail", wrong[0], _VOID) if wrong else Check("units", "ok", "times and shares agree")


def _launches(a: Summary, b: Summary) -> Check:
    """Whether device launches per cycle are alike by name, summed over devices, whose numbers differ between
    machines."""
    if not (a.counts_launches and b.counts_launches):
        return Check("functions", "warn", "a table has no launch counts: the work may differ", ("verdict",))
    x, y = _calls(a), _calls(b)
    if not any(x.values()) and not any(y.values()):
        return Check("functions", "ok", "neither side has functions on a device")
    shared = shared_share(x, y)
    detail = f"{percent_text(shared)} of the device launches per cycle are shared by name"
    if shared >= SIMILAR_WORK:
        return Check("functions", "ok", detail)
    if x.keys() == y.keys():
        detail += "; the same names with different launch counts"
    else:
        detail += f"; {_only(x, y, 'baseline')}, {_only(y, x, 'candidate')}"
    if shared >= SOME_WORK:
        return Check("functions", "warn", detail, ("cause", "functions"))
    return Check("functions", "fail", f"different work: {detail}", _VOID)


def _calls(summary: Summary) -> dict[str, float]:
    """Device function -> launches per admitted cycle."""
    table = summary.groups.get("functions")
    calls: dict[str, float] = {}
    if table is not None:
        for (name, kind), count in zip(table.keys, table.calls.sum(axis=1).tolist(), strict=True):
            if is_device_type(kind):
                calls[name] = calls.get(name, 0.0) + count / len(summary.steps)
    return calls


def _only(here: dict[str, float], there: dict[str, float], side: str) -> str:
    names = sorted((name for name in here if name not in there), key=lambda name: (-here[name], name))
    named = f" ({', '.join(map(short, names[:_MAX_NAMED]))}{', …' if len(names) > _MAX_NAMED else ''})" if names else ""
    return f"{many(len(names), 'name')} only in the {side}{named}"


def _hosts(a: Summary, b: Summary) -> Check:
    hosts = [dict(side.environment).get("host.names", "") for side in (a, b)]
    if hosts[0] != hosts[1] and all(hosts):
        return Check("hosts", "warn", f"recorded on different hosts: {hosts[0]} vs {hosts[1]}", ("cause",))
    if not all(hosts):
        return Check("hosts", "ok", "host names are not recorded on both sides")
    return Check("hosts", "ok", f"recorded on {hosts[0]}")


def _processes(a: Summary, b: Summary) -> Check:
    counts = [dict(side.environment).get("process.count", "") for side in (a, b)]
    if counts[0] != counts[1]:
        detail = f"{counts[0]} vs {counts[1]} processes: times are sums over processes"
        return Check("processes", "warn", detail, ("functions", "verdict"))
    return Check("processes", "ok", f"processes on each side: {counts[0]}")
