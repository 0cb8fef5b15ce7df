"""Checks that the parts of a one-capture summary read from a file are consistent.

Checked are shapes, indices and that owned time adds up to the step. Summaries that were computed are consistent by
construction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.recordings.launches import LaunchTable
from tb_perfcompare.model.summary.call_tree import MIXED, CallTree, FrameKind
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.collectives import Collectives
from tb_perfcompare.model.summary.groups import (
    CALL_ARGUMENTS,
    DURATION_TABLES,
    GIL_WAITS,
    KERNEL_METRICS,
    MODELED_WORK,
    OPERATOR_METRICS,
    PYTHON_TIME,
)
from tb_perfcompare.model.summary.memory import MemoryCurve, MemoryUse
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import BOUND_CLASSES, CYCLE_TIME, KERNEL_TIME, STEP_TIME, Summary
from tb_perfcompare.model.summary.table_specs import TABLE_SPECS
from tb_perfcompare.model.summary.tables import CounterSeries, GroupTable, LaunchSequence, OwnedTime

Array = NDArray[Any]

_GROUP_KEYS: Mapping[str, tuple[str, ...]] = {
    **{name: spec.keys for name, spec in TABLE_SPECS.items()},
    **dict.fromkeys(
        ("operator_work", "module_work", "kernel_work", MODELED_WORK),
        ("name", "input_shape", "data_type", "family", "reason"),
    ),
    KERNEL_METRICS: ("name", "metric"),
    OPERATOR_METRICS: ("name", "metric"),
    CALL_ARGUMENTS: ("name", "input_shape", "input_strides", "concrete_inputs"),
    GIL_WAITS: ("name",),
    PYTHON_TIME: ("name", "caller", "range"),
    **dict.fromkeys(DURATION_TABLES.values(), ("name", "duration")),
}
"""Group -> parts of its keys."""

_MAX_VALUE = 2.0**62
"""Limit for a number and for the sum of a column: larger ones overflow later computations."""

_INSTANTS = frozenset({"start_ns"})
"""Fields that are timestamps and never added up."""


def inconsistency(summary: Summary) -> str:
    """Describes the first inconsistency; "" if there is none."""
    return next(_inconsistencies(summary), "")


def launches_inconsistency(launches: LaunchTable) -> str:
    """Describes the first inconsistency of launches that come with a summary; "" if there is none."""
    figures = [part for part in (launches.tensor, launches.dram, launches.occupancy, launches.sm) if part is not None]
    misfits = [
        *_shapes("launches", (len(launches),), launches.name, launches.dur_ns, *figures),
        *_places("names of launches", launches.name, len(launches.strings)),
    ]
    if _is_too_large(launches) or (launches.dur_ns < 0).any():
        misfits.append("numbers that cannot be added up")
    return next(iter(misfits), "")


def _inconsistencies(summary: Summary) -> Iterator[str]:
    steps = len(summary.steps)
    if len(summary.captures) != 1 or not steps:
        yield f"{len(summary.captures)} captures with {steps} steps in a place for one with some"
    if summary.window not in ("device", "marker") or summary.metric not in (STEP_TIME, CYCLE_TIME, KERNEL_TIME):
        yield "steps of an unknown kind"
    if _is_too_large(summary):
        yield "numbers that cannot be added up"
    table = summary.steps
    columns = (table.capture, table.start_ns, table.total_ns, table.launches, table.backlog_ns)
    yield from _shapes("the steps", (steps,), *columns)
    if table.capture.any() or any(step.capture for step in summary.dropped):
        yield "steps of another capture"
    if summary.other_window.ndim != 1:
        yield "steps of the other window that are not one row"
    if not set(summary.bound_ns) <= set(BOUND_CLASSES):
        yield "an unknown class of launches"
    yield from _owned(summary.owned, summary, steps)
    for name, group in summary.groups.items():
        yield from _group(name, group, steps)
    work = (summary.work.work, summary.work.operators) if summary.work is not None else (None, None)
    # keys: (category label, key, caller, input shape); (path, category label); (category label, kernel, place);
    # (operator, input shape, place above)
    splits = ((summary.owned.parts, 4, 0), (summary.modules, 2, 1), (work[0], 3, 0), (work[1], 3, -1))
    for split, parts, label in splits:
        if split is not None:
            yield from _split(split, steps, parts, label)
    if summary.counters is not None:
        yield from _counters(summary.counters, steps)
    if summary.memory is not None:
        yield from _memory(summary.memory, steps)
    if summary.launches is not None:
        yield from _launches(summary.launches, summary.groups.get("kernels"))
    if summary.call_tree is not None:
        yield from _call_tree(summary.call_tree, steps)
    for tree in summary.call_paths.values():
        yield from _call_tree(tree, steps)
    if summary.ranks is not None:
        yield "means over ranks in a place for one capture"
    if summary.collectives is not None:
        yield from _collectives(summary.collectives, steps)


def _owned(owned: OwnedTime, summary: Summary, steps: int) -> Iterator[str]:
    rows = len(owned.key)
    yield from _shapes("owned time", (rows, steps), owned.time_ns, owned.plain_ns, owned.calls)
    yield from _shapes("owners", (rows,), owned.category, owned.name)
    yield from _places("categories of owners", owned.category, len(CATEGORY_LABELS))
    if len(set(zip(owned.category.tolist(), owned.key, strict=True))) < rows:
        yield "an owner twice"
    if summary.is_timed and not np.array_equal(owned.time_ns.sum(axis=0), summary.steps.total_ns):
        yield "owned time that is not the whole step"


def _group(name: str, group: GroupTable, steps: int) -> Iterator[str]:
    rows = len(group.keys)
    if group.key_columns != _GROUP_KEYS.get(name):
        yield f"a table {name[:40]} of {', '.join(group.key_columns)[:80]}"
    spec = TABLE_SPECS.get(name)
    if ("total" if spec is None else spec.measures[0].source) not in group.measures_ns:
        yield f"a table {name[:40]} without its times"
    yield from _shapes(name, (rows, steps), group.calls, *group.measures_ns.values())
    yield from _shapes(name, (rows,), group.names, *group.facts.values())
    yield from _shapes(name, (rows,), *(part for part in (group.min_ns, group.max_ns) if part is not None))
    if len(set(group.keys)) < rows or any(len(key) != len(group.key_columns) for key in group.keys):
        yield f"{name}: keys that tell no rows apart"


def _split(split: SplitTime, steps: int, parts: int, label: int) -> Iterator[str]:
    if any(len(key) != parts or (label >= 0 and key[label] not in CATEGORY_LABELS) for key in split.keys):
        yield "keys of split time that are none"
    yield from _shapes("split time", split.row.shape, split.row, split.step, split.time_ns, split.calls)
    yield from _places("rows of split time", split.row, len(split))
    yield from _places("steps of split time", split.step, steps)
    if len(set(split.keys)) < len(split):
        yield "a key of split time twice"


def _counters(counters: CounterSeries, steps: int) -> Iterator[str]:
    rows = len(counters)
    yield from _shapes("counters", (rows, steps), counters.mean, counters.sd, counters.coverage, counters.samples)
    yield from _shapes("counters", (rows,), counters.units)


def _memory(memory: MemoryUse, steps: int) -> Iterator[str]:
    yield from _shapes("memory", (len(memory), steps), memory.allocated, memory.released, memory.calls)
    for curve in memory.curves:
        reserved = () if curve.reserved is None else (curve.reserved,)
        yield from _shapes("a memory curve", (len(curve.time_ns),), curve.time_ns, curve.allocated, *reserved)
        yield from _shapes("steps of a memory curve", (len(curve.label),), curve.start_ns, curve.end_ns)
        if not len(curve.label) or not len(curve.time_ns) or (np.diff(curve.time_ns) < 0).any():
            yield "a memory curve that is none"
        if curve.capture:
            yield "a memory curve of another capture"


def _launches(launches: LaunchSequence, kernels: GroupTable | None) -> Iterator[str]:
    yield from _shapes("launches", (len(launches),), launches.kernel, launches.dur_ns, launches.tensor, launches.dram)
    yield from _places("kernels of launches", launches.kernel, 0 if kernels is None else len(kernels))


def _call_tree(tree: CallTree, steps: int) -> Iterator[str]:
    frames = len(tree)
    yield from _shapes("frames", (frames,), tree.parent, tree.kind, tree.category, tree.name, tree.merged)
    yield from _shapes("times of frames", tree.frame.shape, tree.frame, tree.step, tree.time_ns, tree.calls)
    yield from _places("names of frames", tree.name, len(tree.names))
    yield from _places("kinds of frames", tree.kind, len(FrameKind))
    yield from _places("categories of frames", tree.category - MIXED, len(CATEGORY_LABELS) - MIXED)
    yield from _places("frames", tree.frame, frames)
    yield from _places("steps of frames", tree.step, steps)
    if not frames or tree.parent[0] != -1 or (tree.parent[1:] < 0).any() or (tree.parent >= np.arange(frames)).any():
        yield "frames that make no tree"


def _collectives(calls: Collectives, steps: int) -> Iterator[str]:
    yield from _shapes("collectives", calls.key.shape, calls.key, calls.step, calls.start_ns, calls.dur_ns)
    yield from _shapes("groups of collectives", (len(calls.keys),), calls.group_size)
    yield from _shapes("time in collectives", (steps,), calls.busy_ns, calls.hidden_ns)
    yield from _places("kinds of collectives", calls.key, len(calls.keys))
    yield from _places("steps of collectives", calls.step, steps)


def _is_too_large(value: Any, instants: bool = False) -> bool:
    """Whether an array in the value, at any depth, has infinite numbers or numbers that would overflow when added."""
    if isinstance(value, np.ndarray):
        size = np.abs(value.astype(np.float64))
        return bool(np.isinf(size).any() or (value.dtype.kind in "iu" and size.size and
                    (size.max() if instants else size.sum()) > _MAX_VALUE))  # fmt: skip
    if isinstance(value, Mapping):
        return any(map(_is_too_large, value.values()))
    if isinstance(value, tuple):
        return any(map(_is_too_large, value)) if value and is_dataclass(value[0]) else False
    if is_dataclass(value):
        instant = isinstance(value, MemoryCurve)
        return any(_is_too_large(getattr(value, f.name), instant or f.name in _INSTANTS) for f in fields(value))
    return False


def _shapes(what: str, shape: tuple[int, ...], *parts: Array | Sequence[object]) -> Iterator[str]:
    for part in parts:
        actual = part.shape if isinstance(part, np.ndarray) else (len(part),)
        if actual != shape:
            yield f"{what} of shape {actual} instead of {shape}"


def _places(what: str, places: Array, count: int) -> Iterator[str]:
    if len(places) and (places.min() < 0 or places.max() >= count):
        yield f"{what} beyond the {count} there are"
