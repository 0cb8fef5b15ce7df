"""Split times and call trees of several captures, concatenated by step, and of a subset of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, places_of
from tb_perfcompare.model.summary.call_tree import CallTree, tree_of, union
from tb_perfcompare.model.summary.launch_sites import DeviceWork
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
