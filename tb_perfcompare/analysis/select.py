"""A summary of only some of its steps: the matrices are per step, so choosing steps is choosing columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.summary import DroppedStep, GroupTable, OwnedTime, StepTable, Summary

_WHOLE_CAPTURE = "known for whole recordings only, not for some of their steps"
_LABELS_NAMED = 20


def select_steps(summary: Summary, steps: tuple[int, int]) -> Summary:
    """The summary with only the steps numbered `steps[0]` to `steps[1]`, both included.

    The others are listed as dropped. What is known for whole captures only (device figures, recommendations, shortest
    and longest call, means over launches) is left out. Raises SelectionError, naming the steps there are, if none is
    left or the steps have no numbers.
    """
    first, last = steps
    kept = np.array([_inside(label, first, last) for label in summary.steps.label], dtype=bool)
    if not summary.marked:
        raise SelectionError(
            f"steps {first}-{last} were asked for, but the recording has no step markers",
            hint="leave --steps out, or call profiler.step() in the loop that is recorded",
        )
    if not kept.any():
        raise SelectionError(f"no step between {first} and {last}", hint=f"there are: {_named(summary.steps.label)}")
    columns = np.flatnonzero(kept)
    aligned = len(summary.other_window) == len(summary.steps)
    groups = {name: _group(group, columns) for name, group in summary.groups.items()}
    emptied = {name: f"nothing in steps {first}-{last}" for name, group in groups.items() if not len(group)}
    return replace(
        summary,
        steps=_steps(summary.steps, columns),
        dropped=summary.dropped + _left_out(summary.steps, np.flatnonzero(~kept), f"outside steps {first}-{last}"),
        other_window=summary.other_window[columns] if aligned else summary.other_window[:0],
        owned=_owned(summary.owned, columns),
        groups={name: group for name, group in groups.items() if len(group)},
        device_metrics=(),
        recommendations=(),
        absent={**summary.absent, **emptied, "device": _WHOLE_CAPTURE, "recommendations": _WHOLE_CAPTURE},
    )


def _inside(label: str, first: int, last: int) -> bool:
    number = label.partition(" ")[0]  # "1 (2)" is step 1 again
    return number.isdecimal() and first <= int(number) <= last


def _named(labels: tuple[str, ...]) -> str:
    distinct = list(dict.fromkeys(labels))
    more = f" and {len(distinct) - _LABELS_NAMED} more" if len(distinct) > _LABELS_NAMED else ""
    return ", ".join(distinct[:_LABELS_NAMED]) + more


def _steps(table: StepTable, columns: NDArray[np.intp]) -> StepTable:
    return StepTable(
        capture=table.capture[columns],
        label=tuple(table.label[int(column)] for column in columns),
        start_ns=table.start_ns[columns],
        total_ns=table.total_ns[columns],
        launches=table.launches[columns],
    )


def _left_out(table: StepTable, columns: NDArray[np.intp], reason: str) -> tuple[DroppedStep, ...]:
    return tuple(
        DroppedStep(int(table.capture[column]), table.label[int(column)], int(table.total_ns[column]), reason)
        for column in columns
    )


def _owned(owned: OwnedTime, columns: NDArray[np.intp]) -> OwnedTime:
    """Entities that do not occur in the chosen steps go."""
    time, plain, calls = owned.time_ns[:, columns], owned.plain_ns[:, columns], owned.calls[:, columns]
    rows = np.flatnonzero(time.any(axis=1) | plain.any(axis=1) | calls.any(axis=1))
    return OwnedTime(
        category=owned.category[rows],
        key=tuple(owned.key[int(row)] for row in rows),
        name=tuple(owned.name[int(row)] for row in rows),
        time_ns=time[rows],
        plain_ns=plain[rows],
        calls=calls[rows],
    )


def _group(group: GroupTable, columns: NDArray[np.intp]) -> GroupTable:
    calls = group.calls[:, columns]
    measures = {name: values[:, columns] for name, values in group.measures_ns.items()}
    present = calls.any(axis=1)
    for values in measures.values():
        present |= values.any(axis=1)
    rows = np.flatnonzero(present)
    return GroupTable(
        kind=group.kind,
        key_columns=group.key_columns,
        keys=tuple(group.keys[int(row)] for row in rows),
        names=tuple(group.names[int(row)] for row in rows),
        calls=calls[rows],
        measures_ns={name: values[rows] for name, values in measures.items()},
        min_ns=None,
        max_ns=None,
        facts={},
        sampled=group.sampled,
    )
