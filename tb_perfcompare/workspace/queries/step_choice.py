"""Chooses the step of a side to draw: the typical one, the longest, or one by its label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.formats import ANSWERS, CYCLES, LISTING, NCU, TRACE
from tb_perfcompare.model.summary.step_events import StepFacts
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.number_text import listed
from tb_perfcompare.quick_dataclass import dataclass

TYPICAL, WORST, SAME = "typical", "worst", "same"

_NO_EVENTS = {
    ANSWERS: "saved profiler answers hold totals and means, no times of single events",
    LISTING: "a kernel listing has no clock: its launches have an order and lengths, and are in the table Launches",
    NCU: "an ncu export has no clock: its launches have an order and lengths, and are in the table Launches",
    CYCLES: "a per-cycle table holds sums per function and cycle, no times of single events",
}
_NOT_RECORDED = "incomplete: "
"""Prefix of the reason for leaving out a step that the recording cut short (analysis/trace/steps.py)."""
_MAX_NAMED = 20


@dataclass(frozen=True, slots=True)
class StepChoice:
    """A requested step: TYPICAL, WORST, SAME (the label of the other side's step) or a label. `worker` and `span` say
    where to look; by default the first step with the label is taken."""

    choice: str = TYPICAL
    worker: str | None = None
    span: str | None = None


@dataclass(frozen=True, slots=True)
class StepList:
    """The steps of a side in the order of its captures; `absent` says why none can be drawn, "" if some can."""

    steps: tuple[StepFacts, ...]
    absent: str = ""


def step_list(summary: Summary) -> StepList:
    """Lists the steps of a summary, including those that are not compared."""
    if summary.format != TRACE:
        why = _NO_EVENTS.get(summary.format, f"a {summary.format} holds no single events")
        return StepList((), f"not measured: {why}")
    origins = [(capture.worker, capture.span) for capture in summary.captures]
    table = summary.steps
    steps = [
        (int(capture), label, int(total), "")
        for capture, label, total in zip(table.capture, table.label, table.total_ns, strict=True)
    ]
    steps += [(step.capture, step.label, step.total_ns, step.reason) for step in summary.dropped]
    return StepList(
        tuple(
            StepFacts(*origins[capture], label, total, reason, not reason.startswith(_NOT_RECORDED))
            for capture, label, total, reason in sorted(steps, key=lambda step: (step[0], _sort_key(step[1])))
        )
    )


def choose(steps: Sequence[StepFacts], choice: StepChoice, source: str) -> StepFacts:
    """Returns the requested step. The typical step is the first whose total is nearest to the median of the compared
    steps. Raises SelectionError if there is no such step or it cannot be drawn."""
    steps_here = [
        step
        for step in steps
        if step.drawable and choice.worker in (None, step.worker) and choice.span in (None, step.span)
    ]
    compared = [step for step in steps_here if not step.reason] or steps_here
    if not compared:
        raise SelectionError(f"{source} has no step to draw", hint="record whole steps")
    if choice.choice == WORST:
        return max(compared, key=lambda step: step.total_ns)
    if choice.choice == TYPICAL:
        middle = float(np.median([step.total_ns for step in compared]))
        return min(compared, key=lambda step: abs(step.total_ns - middle))
    labeled = next((step for step in steps_here if step.label == choice.choice), None)
    if labeled is None:
        lost = next((step for step in steps if step.label == choice.choice), None)
        if lost is not None and not lost.drawable:
            raise SelectionError(f"step {lost.label} of {source} cannot be drawn", hint=lost.reason)
        labels = dict.fromkeys(step.label for step in steps_here)
        hint = f"there are: {listed(labels, _MAX_NAMED)}"
        raise SelectionError(f"{source} has no step {choice.choice[:80]!r}", hint=hint)
    return labeled


def _sort_key(label: str) -> tuple[int, str]:
    """Sorts numbered labels by value; "1 (2)" is a repetition of step 1."""
    number = label.partition(" ")[0]
    return (int(number), label) if number.isdecimal() else (0, label)
