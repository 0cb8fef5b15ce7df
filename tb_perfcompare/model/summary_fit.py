"""Whether the parts of a summary of one capture fit together: for summaries that come from a file.

Shapes, places and the law that owned time is the whole step. What computes a summary keeps these by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.call_tree import CallTree
from tb_perfcompare.model.memory import MemoryUse
from tb_perfcompare.model.split_time import SplitTime
from tb_perfcompare.model.summary import (
    BOUND_CLASSES,
    CATEGORY_LABELS,
    CYCLE_TIME,
    KERNEL_TIME,
    STEP_TIME,
    CounterSeries,
    GroupTable,
    LaunchSequence,
    OwnedTime,
    Summary,
)

Array = NDArray[Any]


def misfit(summary: Summary) -> str:
    """The first thing that does not fit, "" where all does."""
    return next(_misfits(summary), "")


def _misfits(summary: Summary) -> Iterator[str]:
    steps = len(summary.steps)
    if len(summary.captures) != 1 or not steps:
        yield f"{len(summary.captures)} captures with {steps} steps in a place for one with some"
    if summary.window not in ("device", "marker") or summary.metric not in (STEP_TIME, CYCLE_TIME, KERNEL_TIME):
        yield "steps of an unknown kind"
    table = summary.steps
    yield from _shapes("the steps", (steps,), table.capture, table.start_ns, table.total_ns, table.launches)
    if table.capture.any() or any(step.capture for step in summary.dropped):
        yield "steps of another capture"
    if summary.other_window.ndim != 1:
        yield "steps of the other window that are no row"
    if not set(summary.bound_ns) <= set(BOUND_CLASSES):
        yield "an unknown class of launches"
    yield from _owned(summary.owned, summary, steps)
    for name, group in summary.groups.items():
        yield from _group(name, group, steps)
    work = (summary.work.work, summary.work.operators) if summary.work is not None else ()
    for split in (summary.owned.parts, summary.modules, *work):
        if split is not None:
            yield from _split(split, steps)
    if summary.counters is not None:
        yield from _counters(summary.counters, steps)
    if summary.memory is not None:
        yield from _memory(summary.memory, steps)
    if summary.launches is not None:
        yield from _launches(summary.launches, summary.groups.get("kernels"))
    if summary.call_tree is not None:
        yield from _call_tree(summary.call_tree, steps)


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
    yield from _shapes(name, (rows, steps), group.calls, *group.measures_ns.values())
    yield from _shapes(name, (rows,), group.names, *group.facts.values())
    yield from _shapes(name, (rows,), *(part for part in (group.min_ns, group.max_ns) if part is not None))
    if len(set(group.keys)) < rows or any(len(key) != len(group.key_columns) for key in group.keys):
        yield f"{name}: keys that tell no rows apart"


def _split(split: SplitTime, steps: int) -> Iterator[str]:
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
    yield from _places("frames", tree.frame, frames)
    yield from _places("steps of frames", tree.step, steps)
    if not frames or tree.parent[0] != -1 or (tree.parent[1:] < 0).any() or (tree.parent >= np.arange(frames)).any():
        yield "frames that make no tree"


def _shapes(what: str, shape: tuple[int, ...], *parts: Array | Sequence[object]) -> Iterator[str]:
    for part in parts:
        found = part.shape if isinstance(part, np.ndarray) else (len(part),)
        if found != shape:
            yield f"{what} of shape {found} instead of {shape}"


def _places(what: str, places: Array, count: int) -> Iterator[str]:
    if len(places) and (places.min() < 0 or places.max() >= count):
        yield f"{what} beyond the {count} there are"
