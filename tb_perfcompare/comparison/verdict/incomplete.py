"""A side with its incomplete steps added back, to see whether leaving them out decides the verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.model.summary.summary import INCOMPLETE, StepTable, Summary

MANY = 0.2
"""Share of incomplete steps above which the verdict over all steps is reported as well."""


def many_incomplete(*sides: Summary) -> bool:
    """Whether a side lost so many steps that the verdict over all steps has to be reported too."""
    for side in sides:
        lost = sum(step.reason == INCOMPLETE for step in side.dropped)
        if lost > MANY * (len(side.steps) + lost):
            return True
    return False


def with_incomplete(summary: Summary) -> Summary:
    """Returns the side with its incomplete steps in their places. Valid for step times only: nothing else is added
    for them."""
    incomplete = [step for step in summary.dropped if step.reason == INCOMPLETE]
    steps = summary.steps
    captures = [*steps.capture.tolist(), *(step.capture for step in incomplete)]
    labels = [*steps.label, *(step.label for step in incomplete)]
    order = sorted(range(len(labels)), key=lambda place: (captures[place], _number(labels[place]), place))
    total = np.concatenate([steps.total_ns, np.array([step.total_ns for step in incomplete], dtype=np.int64)])
    start = np.concatenate([steps.start_ns, np.zeros(len(incomplete), dtype=np.int64)])
    unknown = np.zeros(len(labels), dtype=np.int64)
    all_steps = StepTable(np.array(captures, dtype=np.int32), tuple(labels), start, total, unknown, unknown)
    return replace(summary, steps=all_steps.only(np.array(order)))


def _number(label: str) -> tuple[int, int]:
    """Sort key of a step label: "3 (2)" is the second step 3, hence (5, 2); labels without a number come first."""
    number, _, again = label.partition(" ")
    if not number.isdecimal():
        return (1, 0)
    return int(number) + 2, int(again.strip("()")) if again.strip("()").isdecimal() else 1
