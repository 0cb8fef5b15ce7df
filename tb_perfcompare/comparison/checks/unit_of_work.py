"""Whether a step of one side is the same unit of work as a step of the other: markers, iterations per marker, and
number of steps."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.checks.iterations_per_step import (
    WHOLE_TOLERANCE,
    markers_of,
    several_iterations,
    shared_markers,
)
from tb_perfcompare.comparison.checks.outermost import same_loop
from tb_perfcompare.comparison.checks.shared_work import (
    SIMILAR_WORK,
    SOME_WORK,
    operator_calls,
    per_iteration,
    shared_calls,
)
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import many, percent_text, times_text
from tb_perfcompare.comparison.statistics.samples import counted_steps
from tb_perfcompare.model.arrays import Floats, each_side
from tb_perfcompare.model.names.autograd_names import is_backward
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.iterations import DETECTED, PROFILER, Marker
from tb_perfcompare.model.summary.iterations import WHOLE as WHOLE_RECORDING
from tb_perfcompare.model.summary.summary import CYCLE_TIME, KERNEL_TIME, Summary
from tb_perfcompare.model.text_numbers import TextNumbers, join_rows

FEW_STEPS = 6
"""Number of steps on a side below which an exact 95 % interval is wide or impossible."""

MANY_LEFT_OUT = 0.2
"""Share of a side's steps from which leaving them out may decide the verdict."""

MOSTLY_COVERED = 0.75
"""Share of a recording that its steps must cover; else the check says that the rest is not compared."""

MIN_COMMON_SHARE = 0.2
"""Least share of either side's time in names that both sides call, for two units to be compared ..."""

MIN_EQUAL_SHARE = 0.5
"""... and the share of that time in names called equally often, above which they are the same."""

_COUNTED = (("kernels", "total"), ("operators", "host_self"))
"""Tables and the times by which their rows are weighted."""

_MAX_NAMED = 6
"""Largest number of markers of a side named in a refusal."""


def markers(a: Summary, b: Summary, numbers: TextNumbers) -> Check:
    """Fails or warns unless both sides have the same step markers and each encloses as many iterations as the
    other's."""
    if a.metric == KERNEL_TIME:
        return Check("step_marker", "ok", "this source has no steps: all launches are compared together")
    untimed = [(name, side) for name, side in zip(SIDES, (a, b), strict=True) if not side.is_timed]
    if len(untimed) == 1:
        name, side = untimed[0]
        return Check("step_marker", "fail", f"{name}: {side.absent['steps']}", ("verdict", "ledger"))
    units = None
    if a.iterations is not None and b.iterations is not None:
        units = a.iterations.chosen, b.iterations.chosen
    if a.marked != b.marked or (units is not None and a.marked and units[0].unit != units[1].unit):
        return _same_rows(a, b, numbers) or _same_loops(units, a, b) or _other_unit(a, b)
    if not a.marked:
        detail = "neither side has step markers: whole recordings are compared"
        return Check("step_marker", "warn", detail, ("verdict",))
    return _other_phase(a, b) or several_iterations(a, b) or _in_part(units) or Check("step_marker", "ok", _same(units))


def _other_phase(a: Summary, b: Summary) -> Check | None:
    """Fails if one side trains and the other does not: no validation is a faster training step."""
    trains = each_side(_trains, (a, b))
    if True not in trains or False not in trains:
        return None
    one, other = SIDES if trains[0] else SIDES[::-1]
    detail = f"the {one} trains (backward pass, optimizer step), the {other} only runs forward"
    return Check("step_marker", "fail", detail, ("verdict", "cause"))


def _trains(side: Summary) -> bool | None:
    """Whether a side trains, by backward passes and optimizer steps; None if it has one of these alone, or no
    operators."""
    calls = operator_calls(side)
    signs = any(map(is_backward, calls)), per_iteration(side)["optimizer steps"] > 0
    return signs[0] if calls and signs[0] == signs[1] else None


def _in_part(units: tuple[Marker, Marker] | None) -> Check | None:
    """Warns if much of a recording is in no step, such as a validation after the training loop."""
    if units is None or min(unit.coverage for unit in units) >= MOSTLY_COVERED:
        return None
    shares = [percent_text(unit.coverage) for unit in units]
    rest = [unit.count * unit.mean_ns * (1 / unit.coverage - 1) / 1000 if unit.coverage else 0.0 for unit in units]
    detail = (
        f"iterations by {units[0].name} cover {shares[0]} of the baseline's recording and {shares[1]} of the "
        f"candidate's: the rest ({times_text(*rest)}) is not compared (--step-marker whole compares it)"
    )
    return Check("step_marker", "warn", detail, ("verdict",))


def _same(units: tuple[Marker, Marker] | None) -> str:
    if units is None or units[0].origin == PROFILER:
        return "both sides have ProfilerStep markers"
    return f"steps of both sides are iterations by {units[0].name}"


def _same_rows(a: Summary, b: Summary, numbers: TextNumbers) -> Check | None:
    """Passes different markers if what both sides call is called equally often per step: iterations marked by a
    graph launch or a compiled region against iterations marked by an operator, or against the recording of a single
    iteration. The first table that both have decides. None if the work differs."""
    for table, measure in _COUNTED:
        equal = _equally_often(table, measure, a, b, numbers)
        if equal is None:
            continue
        names, share = equal
        if share <= MIN_EQUAL_SHARE:
            return None
        detail = (
            f"a baseline step ({_step(a)}) holds the work of a candidate step ({_step(b)}): "
            f"{many(names, table.removesuffix('s'))} of both sides, {percent_text(share)} of their time, run equally "
            f"often per step"
        )
        marked = a.marked and b.marked
        return Check("step_marker", "ok", detail) if marked else Check("step_marker", "warn", detail, ("verdict",))
    return None


def _same_loops(units: tuple[Marker, Marker] | None, a: Summary, b: Summary) -> Check | None:
    """Passes iterations by different operators if each side's repeat the operator that is measured."""
    if units is None or not a.marked or not b.marked or {unit.origin for unit in units} != {DETECTED}:
        return None
    loop = same_loop(a, b)
    return Check("step_marker", "ok", f"a step is one iteration: {loop}") if loop else None


def _step(summary: Summary) -> str:
    name = summary.iterations.chosen.name if summary.iterations is not None else ""
    return f"an iteration by {name}" if summary.marked and name else "the whole recording"


def _equally_often(table: str, measure: str, a: Summary, b: Summary, numbers: TextNumbers) -> tuple[int, float] | None:
    """Number of names that both sides call equally often per step, and their share of the time of all shared names,
    the smaller of both sides. None if too little is shared."""
    group_a, group_b = a.groups.get(table), b.groups.get(table)
    if group_a is None or group_b is None:
        return None
    joined = join_rows(numbers, group_a.keys, group_b.keys, len(group_a.key_columns))
    both = (joined.at_a >= 0) & (joined.at_b >= 0)
    calls, times = list[Floats](), list[Floats]()
    for side, group, rows in ((a, group_a, joined.at_a[both]), (b, group_b, joined.at_b[both])):
        time = group.measures_ns[measure].sum(axis=1)
        calls.append(group.calls.sum(axis=1)[rows] / len(side.steps))
        times.append(time[rows] / max(time.sum(), 1))
    if min(time.sum() for time in times) < MIN_COMMON_SHARE:
        return None
    equal = np.abs(calls[0] - calls[1]) <= WHOLE_TOLERANCE * np.maximum(*calls)
    return int(equal.sum()), float(min(time[equal].sum() / time.sum() for time in times))


def _other_unit(a: Summary, b: Summary) -> Check:
    if a.marked != b.marked:
        without = "baseline" if not a.marked else "candidate"
        detail = f"the {without} has no step markers: its whole recording counts as one step{_other_has(a, b)}"
        return Check("step_marker", "fail", detail, ("verdict", "ledger"))
    detail = f"a baseline step is {_step(a)}, a candidate step {_step(b)}: different units of work{_other_has(a, b)}"
    return Check("step_marker", "fail", detail, ("verdict", "ledger", "cause"))


def _other_has(a: Summary, b: Summary) -> str:
    """Clause on markers that could delimit the steps of both sides, else of each; "" if none are known. That any
    recording can be one step is no help."""
    shared = shared_markers(a, b)
    if shared and shared != [WHOLE_RECORDING]:
        return f" (--step-marker: both sides have {', '.join(map(repr, shared[:_MAX_NAMED]))})"
    markers = [
        f"the {side} has {', '.join(map(repr, own[:_MAX_NAMED]))}"
        for side, summary in (("baseline", a), ("candidate", b)) if (own := markers_of(summary))
    ]  # fmt: skip
    return f" (--step-marker: {' and '.join(markers)})" if markers else ""


def number_of_steps(a: Summary, b: Summary) -> Check:
    """Whether there are enough steps for an interval."""
    (n, _), (m, _) = counted_steps(a), counted_steps(b)
    counts = f"{n:,} vs {many(m, 'cycle' if a.metric == CYCLE_TIME else 'step')}"
    if a.metric == KERNEL_TIME:
        return Check("steps", "warn", "one listing per side: repeatability is unknown", ("verdict", "p"))
    if min(n, m) < FEW_STEPS:
        detail = f"{counts}; record at least {FEW_STEPS}, better 20, on each side"
        return Check("steps", "warn", detail, ("verdict", "p"))
    return Check("steps", "ok", counts)


def left_out(a: Summary, b: Summary) -> Check:
    """Warm-up and incomplete steps that are not compared, and device work of unknown steps, without which step times
    say little."""
    late = [
        f"{side}: {note.message}" for side, summary in zip(SIDES, (a, b), strict=True)
        for note in summary.notes if note.code is NoteCode.DEVICE_AFTER_STEPS
    ]  # fmt: skip
    if late:
        advice = "synchronize with the device in each step, or compare whole recordings (--step-marker whole)"
        return Check("left_out", "fail", "; ".join((*dict.fromkeys(late), advice)), ("verdict", "ledger"))
    noun = "cycles" if a.metric == CYCLE_TIME else "steps"
    counts, serious = list[str](), False
    for side, summary in zip(SIDES, (a, b), strict=True):
        admitted, every = counted_steps(summary)
        count = every - admitted
        if not count:
            continue
        reasons = ", ".join(dict.fromkeys(step.reason for step in summary.dropped))
        counts.append(f"{count:,} of {every:,} {noun} of the {side} ({reasons})")
        serious |= count > MANY_LEFT_OUT * every
    if not counts:
        return Check("left_out", "ok", f"all {noun} are compared")
    detail = "; ".join(counts)
    return Check("left_out", "warn", detail, ("verdict",)) if serious else Check("left_out", "ok", detail)


def shared_work(table: str, what: str, a: Summary, b: Summary, numbers: TextNumbers) -> Check:
    """Shared share of calls per step: sum over names of min(calls) / sum of max(calls)."""
    work = shared_calls(table, a, b, numbers)
    if work is None:
        if table not in a.groups and table not in b.groups:
            return Check(table, "ok", f"neither side has {what}")
        side = "baseline" if table in a.groups else "candidate"
        return Check(table, "warn", f"only the {side} has {what}", (table,))
    shared, joined = work
    detail = f"{percent_text(shared)} of {what} per step are shared by name"
    if shared >= SIMILAR_WORK:
        return Check(table, "ok", detail)
    gone, new = int((joined.at_b < 0).sum()), int((joined.at_a < 0).sum())
    alone = [f"{many(n, 'name')} only in the {side}" for n, side in ((gone, "baseline"), (new, "candidate")) if n]
    only = ", ".join(alone) or "all names are on both sides, but their number of calls differs"
    return Check(table, "warn" if shared >= SOME_WORK else "fail", f"{detail}; {only}", ("cause", table))
