"""Restricts a summary to some of its steps, by selecting columns of its matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.pooling.pool_parts import (
    memory_of_steps,
    split_of_steps,
    tree_of_steps,
    with_changed_parts,
)
from tb_perfcompare.errors import SelectionError, choices
from tb_perfcompare.model.arrays import Flags, Ints
from tb_perfcompare.model.names.kinds import kind_pattern
from tb_perfcompare.model.summary.collectives import RankSteps
from tb_perfcompare.model.summary.groups import (
    CALL_ARGUMENTS,
    DEVICE_TIMELINE,
    DURATION_TABLES,
    GIL_WAITS,
    KERNEL_METRICS,
    LAUNCH_UNKNOWN,
    MODELED_WORK,
    OPERATOR_METRICS,
    PYTHON_TIME,
)
from tb_perfcompare.model.summary.summary import DroppedStep, Summary
from tb_perfcompare.model.summary.tables import CounterSeries, GroupTable, OwnedTime, StepTable
from tb_perfcompare.number_text import listed

_WHOLE_CAPTURE = "known for whole recordings only, not for a subset of steps"
_LABELS_NAMED = 20
_NO_TABLE = frozenset({
    "operator_work", "module_work", "kernel_work", KERNEL_METRICS, OPERATOR_METRICS, MODELED_WORK, CALL_ARGUMENTS,
    GIL_WAITS, PYTHON_TIME, *DURATION_TABLES.values(),
})  # fmt: skip
"""Groups without a table of their own: other tables have columns of them."""


def select_steps(summary: Summary, steps: tuple[int, int]) -> Summary:
    """Keeps the steps numbered `steps[0]` to `steps[1]`, both included.

    Other steps are listed as dropped. What is known for whole captures only (device metrics, recommendations, shortest
    and longest call, means over launches) is removed. Raises SelectionError, listing the available steps, if none is
    left or if steps have no numbers.
    """
    first, last = steps
    kept = np.array([_inside(label, first, last) for label in summary.steps.label], dtype=bool)
    if not summary.marked:
        raise SelectionError(
            f"steps {first}-{last} were asked for, but the recording has no step markers",
            hint="leave --steps out, or call profiler.step() in the loop that is recorded",
        )
    if not kept.any():
        raise _none_left(summary, first, last)
    columns = np.flatnonzero(kept)
    groups = {name: _group(name, group, columns) for name, group in summary.groups.items()}
    empty = [name for name, group in groups.items() if not len(group) and name not in _NO_TABLE]
    counters, memory = summary.counters, summary.memory
    if counters is not None and (counters := _counters(counters, columns)) is None:
        empty.append("counters")
    if memory is not None:
        memory = memory_of_steps(memory, columns, lambda label: _inside(label, first, last))
        empty += ["memory"] if memory is None else []
    emptied = dict.fromkeys(empty, f"nothing in steps {first}-{last}")
    outside = _left_out(summary.steps, np.flatnonzero(~kept), f"outside steps {first}-{last}")
    return replace(
        _of_steps(summary, columns, groups, outside),
        device_metrics=(),
        recommendations=(),
        counters=counters,
        memory=memory,
        launches=summary.launches if kept.all() else None,
        absent={**summary.absent, **emptied, "device": _WHOLE_CAPTURE, "recommendations": _WHOLE_CAPTURE},
    )


def _none_left(summary: Summary, first: int, last: int) -> SelectionError:
    unavailable = [step for step in summary.dropped if _inside(step.label, first, last)]
    if unavailable:
        hint = "record longer, or compare other steps"
        return SelectionError(f"step {unavailable[0].label} cannot be compared: {unavailable[0].reason}", hint=hint)
    message = f"there is no step {first}" if first == last else f"no step between {first} and {last}"
    labels = listed(dict.fromkeys(summary.steps.label), _LABELS_NAMED)
    return SelectionError(message, hint=f"there are: {labels}")


def without_steps(summary: Summary, reasons: Mapping[int, str]) -> Summary:
    """Drops the steps at these indices, listing each as dropped for its reason.

    What is known for whole captures only (device metrics, recommendations, means over launches, curves) stays
    unchanged.
    """
    kept = np.ones(len(summary.steps), dtype=bool)
    kept[list(reasons)] = False
    columns = np.flatnonzero(kept)
    dropped = tuple(
        step for at, why in sorted(reasons.items()) for step in _left_out(summary.steps, np.array([at]), why)
    )
    groups = {name: _group(name, group, columns, with_facts=True) for name, group in summary.groups.items()}
    memory = None if summary.memory is None else memory_of_steps(summary.memory, columns)
    return replace(
        _of_steps(summary, columns, groups, dropped),
        counters=None if summary.counters is None else _counters(summary.counters, columns),
        memory=memory,
    )


def _of_steps(
    summary: Summary, columns: Ints, groups: Mapping[str, GroupTable], dropped: tuple[DroppedStep, ...]
) -> Summary:
    """Selects columns of all data per step; `groups` are already restricted to these steps."""
    aligned = len(summary.other_window) == len(summary.steps)
    changed = with_changed_parts(
        summary, lambda split: split_of_steps(split, columns), lambda tree: tree_of_steps(tree, columns)
    )
    return replace(
        changed,
        work=changed.work if changed.work is not None and len(changed.work.work) else None,
        steps=summary.steps.only(columns),
        dropped=summary.dropped + dropped,
        other_window=summary.other_window[columns] if aligned else summary.other_window[:0],
        owned=_owned(summary.owned, columns),
        collectives=None if summary.collectives is None else summary.collectives.of_steps(columns),
        ranks=_ranks(summary, columns),
        groups={name: group for name, group in groups.items() if len(group)},
    )


def of_kind(summary: Summary, pattern: str) -> Summary:
    """Keeps the iterations whose marker matches the pattern, or that are of this kind; lists the others as dropped.

    In patterns * matches anything, in kinds 512-1023 is a range of numbers; "" keeps all. Raises SelectionError,
    listing the available kinds, if none matches.
    """
    if not pattern:
        return summary
    if not summary.steps.text:
        raise SelectionError(f"--kind {pattern[:200]}: the iterations are all of one kind", hint="leave --kind out")
    matches = kind_pattern(pattern)
    others = {at: f"not of the kind {pattern}" for at, text in enumerate(summary.steps.text) if not matches(text)}
    if len(others) == len(summary.steps):
        available = sorted({*summary.steps.text})
        raise SelectionError(f"no iteration is named {pattern[:200]!r}", hint=choices(pattern, available))
    return without_steps(summary, others) if others else summary


_TOO_MANY_DIGITS = 20
"""Labels with this many digits or more are not treated as step numbers."""


def _inside(label: str, first: int, last: int) -> bool:
    number = label.partition(" ")[0]  # "1 (2)" is step 1 again
    return number.isdecimal() and len(number) < _TOO_MANY_DIGITS and first <= int(number) <= last


def _ranks(summary: Summary, columns: NDArray[np.intp]) -> RankSteps | None:
    if summary.ranks is None:
        return None
    steps, captures = summary.steps, summary.captures
    kept = {(captures[int(steps.capture[at])].span, steps.label[at]) for at in columns.tolist()}
    return summary.ranks.of_job_steps(kept)


def _left_out(table: StepTable, columns: NDArray[np.intp], reason: str) -> tuple[DroppedStep, ...]:
    return tuple(
        DroppedStep(int(table.capture[column]), table.label[int(column)], int(table.total_ns[column]), reason)
        for column in columns
    )


def _owned(owned: OwnedTime, columns: NDArray[np.intp]) -> OwnedTime:
    """Selects columns; drops entities that do not occur in them."""
    time, plain, calls = owned.time_ns[:, columns], owned.plain_ns[:, columns], owned.calls[:, columns]
    rows = np.flatnonzero(time.any(axis=1) | plain.any(axis=1) | calls.any(axis=1))
    return OwnedTime(
        category=owned.category[rows],
        key=tuple(owned.key[int(row)] for row in rows),
        name=tuple(owned.name[int(row)] for row in rows),
        time_ns=time[rows],
        plain_ns=plain[rows],
        calls=calls[rows],
        parts=None if owned.parts is None else split_of_steps(owned.parts, columns),
    )


def _counters(counters: CounterSeries, columns: NDArray[np.intp]) -> CounterSeries | None:
    """Selects columns; drops counters without a value in them. None if no counter is left."""
    return counters.of(np.flatnonzero(np.isfinite(counters.mean[:, columns]).any(axis=1)).tolist(), columns)


def _group(name: str, group: GroupTable, columns: NDArray[np.intp], *, with_facts: bool = False) -> GroupTable:
    """Selects columns; drops groups that do not occur in them. Facts, which are of whole captures, need with_facts."""
    calls = group.calls[:, columns]
    measures = {name: values[:, columns] for name, values in group.measures_ns.items()}
    present: Flags = np.asarray(calls.any(axis=1), dtype=np.bool_)
    for values in measures.values():
        present |= values.any(axis=1)
    if name == DEVICE_TIMELINE:  # figures stay even if zero
        present |= np.array([key[0] != LAUNCH_UNKNOWN for key in group.keys], dtype=np.bool_)
    rows = np.flatnonzero(present)
    return GroupTable(
        key_columns=group.key_columns,
        keys=tuple(group.keys[int(row)] for row in rows),
        names=tuple(group.names[int(row)] for row in rows),
        calls=calls[rows],
        measures_ns={name: values[rows] for name, values in measures.items()},
        min_ns=group.min_ns[rows] if with_facts and group.min_ns is not None else None,
        max_ns=group.max_ns[rows] if with_facts and group.max_ns is not None else None,
        facts={name: values[rows] for name, values in group.facts.items()} if with_facts else {},
        sampled=group.sampled,
    )
