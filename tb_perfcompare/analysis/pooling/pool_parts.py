"""Split times, call trees and memory of several captures, concatenated by step, and of a subset of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, places_of
from tb_perfcompare.model.summary.call_tree import CallTree, tree_of, union
from tb_perfcompare.model.summary.launch_sites import DeviceWork
from tb_perfcompare.model.summary.memory import MemoryCurve, MemoryUse
from tb_perfcompare.model.summary.split_time import SplitTime, split_time
from tb_perfcompare.model.summary.summary import Summary


def pool_splits(splits: Sequence[SplitTime | None], steps: Sequence[int]) -> SplitTime | None:
    """Concatenates the captures' steps; None unless every capture has its time split, so that sums stay exact.

    Key columns that only some captures record, such as input shapes, count as not recorded.
    """
    present = [split for split in splits if split is not None]
    if len(present) < len(splits):
        return None
    rows = np.cumsum([0, *map(len, present)])
    first = np.cumsum([0, *steps])
    pooled = split_time(
        [key for split in present for key in split.keys],
        np.concatenate([split.row + offset for split, offset in zip(present, rows, strict=False)]),
        np.concatenate([split.step + offset for split, offset in zip(present, first, strict=False)]),
        np.concatenate([split.time_ns for split in present]),
        np.concatenate([split.calls for split in present]),
    )
    common = tuple(what for what in present[0].recorded_keys if all(what in split.recorded_keys for split in present))
    return replace(pooled, recorded_keys=common, pooled=sum(split.pooled for split in present))


def split_of_steps(split: SplitTime, columns: NDArray[np.intp]) -> SplitTime:
    """Selects and renumbers steps, dropping keys that do not occur in them."""
    place, kept = _chosen(split.step, columns)
    return split.with_cells(split.row[kept], place[split.step[kept]], split.time_ns[kept], split.calls[kept])


def pool_work(parts: Sequence[DeviceWork | None], steps: Sequence[int]) -> DeviceWork | None:
    """Concatenates the captures' device work; None if no capture has any."""
    if all(part is None for part in parts):
        return None
    none = np.zeros(0, dtype=np.int64)
    empty = split_time((), none, none, none, none)
    work = pool_splits([empty if part is None else part.work for part in parts], steps)
    operators = pool_splits([empty if part is None else part.operators for part in parts], steps)
    assert work is not None and operators is not None
    return DeviceWork(work, operators)


def pool_trees(trees: Sequence[CallTree | None], steps: Sequence[int]) -> CallTree | None:
    """Concatenates the captures' steps; None unless every capture has a tree, so that sums stay exact."""
    present = [tree for tree in trees if tree is not None]
    if len(present) < len(trees):
        return None
    frames, numbers = union(present)
    merged = np.zeros(len(frames), dtype=np.int64)
    for tree, number in zip(present, numbers, strict=True):
        merged[number] += tree.merged
    first = np.cumsum([0, *steps])
    return tree_of(
        frames,
        merged,
        np.concatenate([number[tree.frame] for tree, number in zip(present, numbers, strict=True)]),
        np.concatenate([tree.step + offset for tree, offset in zip(present, first, strict=False)]),
        np.concatenate([tree.time_ns for tree in present]),
        np.concatenate([tree.calls for tree in present]),
    )


def tree_of_steps(tree: CallTree, columns: NDArray[np.intp]) -> CallTree:
    """Selects and renumbers steps; frames without time in them stay, with zero."""
    place, kept = _chosen(tree.step, columns)
    step = place[tree.step[kept]].astype(np.int32)
    return replace(tree, frame=tree.frame[kept], step=step, time_ns=tree.time_ns[kept], calls=tree.calls[kept])


def _chosen(step: AnyInts, columns: NDArray[np.intp]) -> tuple[Ints, Flags]:
    """(place of every step among the chosen ones, -1 for none; which entries are in one)."""
    place = places_of(columns, max(int(step.max(initial=0)), int(columns.max(initial=0))) + 1).astype(np.int64)
    return place, place[step] >= 0


def with_changed_parts(
    summary: Summary, split: Callable[[SplitTime], SplitTime], tree: Callable[[CallTree], CallTree],
    modules: Callable[[SplitTime], SplitTime] | None = None,
) -> Summary:  # fmt: skip
    """The summary with other steps in its device work, its call trees and its `modules`, which may have a way of their
    own."""
    work = summary.work
    return replace(
        summary,
        modules=None if summary.modules is None else (modules or split)(summary.modules),
        work=None if work is None else DeviceWork(split(work.work), split(work.operators)),
        call_tree=None if summary.call_tree is None else tree(summary.call_tree),
        call_paths={way: tree(one) for way, one in summary.call_paths.items()},
    )


def pool_memory(
    parts: Sequence[MemoryUse | None], widths: Sequence[int], captures: Sequence[int]
) -> MemoryUse | None:
    """Pools memory over captures; a capture without memory events has zeros. None if no capture has any.

    `widths` are numbers of steps, `captures` the index of each part's first capture.
    """
    present = [part for part in parts if part is not None]
    if not present:
        return None
    keys = sorted({key for part in present for key in part.keys})
    index = {key: row for row, key in enumerate(keys)}
    out = [np.zeros((len(keys), sum(widths)), dtype=np.int64) for _ in range(3)]
    at = 0
    for part, width in zip(parts, widths, strict=True):
        if part is not None and len(part):
            rows = np.array([index[key] for key in part.keys], dtype=np.int64)
            for matrix, own in zip(out, (part.allocated, part.released, part.calls), strict=True):
                matrix[rows, at : at + width] = own
        at += width
    curves = tuple(
        replace(curve, capture=curve.capture + first)
        for part, first in zip(parts, captures, strict=True)
        if part is not None
        for curve in part.curves
    )
    return MemoryUse(tuple(keys), out[0], out[1], out[2], curves)


def memory_of_steps(
    use: MemoryUse, columns: NDArray[np.intp], kept: Callable[[str], bool] | None = None
) -> MemoryUse | None:
    """Selects steps; curves keep the steps whose label is `kept` (all if it is None).

    None if the steps have no memory events and no curve is left.
    """
    allocated, released, calls = use.allocated[:, columns], use.released[:, columns], use.calls[:, columns]
    rows = np.flatnonzero(calls.any(axis=1) | released.any(axis=1))
    curves = use.curves
    if kept is not None:
        cut = [curve_of_steps(curve, np.array([kept(label) for label in curve.label], dtype=bool)) for curve in curves]
        curves = tuple(curve for curve in cut if curve is not None)
    if not len(rows) and not curves:
        return None
    return MemoryUse(
        tuple(use.keys[int(row)] for row in rows), allocated[rows], released[rows], calls[rows], curves
    )


def curve_of_steps(curve: MemoryCurve, kept: Flags) -> MemoryCurve | None:
    """Restricts the curve to the `kept` (c,) steps, starting with the memory held when the first one begins.

    Consecutive steps keep the time between them; other gaps are removed. None if the device has no record before the
    end of the last step.
    """
    if kept.all():
        return curve
    edges = np.flatnonzero(np.diff(kept, prepend=False, append=False))
    length = 0
    starts, ends, places, times = [], [], [], []
    for first, after in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        start, end = int(curve.start_ns[first]), int(curve.end_ns[after - 1])
        low, high = np.searchsorted(curve.time_ns, (start, end), side="left").tolist()
        has_start = low < len(curve.time_ns) and curve.time_ns[low] == start
        if low > 0 and not has_start:
            low -= 1  # memory held when the stretch began
        shift = length - start
        starts.append(curve.start_ns[first:after] + shift)
        ends.append(curve.end_ns[first:after] + shift)
        places.append(np.arange(low, high))
        times.append(np.maximum(curve.time_ns[low:high], start) + shift)
        length += end - start
    shown = np.concatenate([np.zeros(0, dtype=np.int64), *places])
    if not len(shown):
        return None
    allocated = curve.allocated[shown]
    reserved = None if curve.reserved is None else curve.reserved[shown]
    return replace(
        curve,
        label=tuple(label for label, keep in zip(curve.label, kept.tolist(), strict=True) if keep),
        start_ns=np.concatenate(starts),
        end_ns=np.concatenate(ends),
        time_ns=np.concatenate(times),
        allocated=allocated,
        reserved=reserved,
        peak_allocated=int(allocated.max()),
        peak_reserved=None if reserved is None else int(reserved.max()),
    )
