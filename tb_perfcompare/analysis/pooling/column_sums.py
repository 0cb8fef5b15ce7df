"""Sums over ranks, per step of the job, and their means, rounded so that parts still sum exactly.

A mean over ranks is rounded to nanoseconds. What must sum exactly (parts to entities, entities to the step) is rounded
along running sums in one nested order, so that every level sums exactly and no value is off by more than one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.summary.call_tree import CallTree, Frames, tree_of
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.groups import CRITICAL_PATH
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import OwnedTime

Order = Callable[[tuple[str, ...]], tuple[Any, ...]]

CATEGORY_NUMBERS = {label: number for number, label in enumerate(CATEGORY_LABELS)}


def added(matrix: Ints, into: Ints, count: int) -> Ints:
    """(..., s) -> (..., count) Sums columns that have the same target in `into` (s,)."""
    out = np.zeros((*matrix.shape[:-1], count), dtype=np.int64)
    np.add.at(out.T, into, matrix.T)
    return out


def added_tree(tree: CallTree, into: Ints) -> CallTree:
    frames = Frames(tree.parent.tolist(), tree.keys())
    return tree_of(frames, tree.merged, tree.frame, into[tree.step], tree.time_ns, tree.calls)


def with_columns(
    summary: Summary, of: Callable[[Ints], Ints], calls: Callable[[Ints], Ints], nested: Callable[[Ints], Ints]
) -> Summary:
    """The summary with other columns in its matrices, which the functions return for one of them (..., s).

    `nested` is for times that sum to those of the step row by row, `calls` for numbers of calls, `of` for all others.
    """
    steps, owned, memory = summary.steps, summary.owned, summary.memory
    groups = {}
    for name, group in summary.groups.items():
        measure = nested if name == CRITICAL_PATH else of
        measures = {what: measure(values) for what, values in group.measures_ns.items()}
        groups[name] = replace(group, calls=calls(group.calls), measures_ns=measures)
    return replace(
        summary,
        steps=replace(
            steps, total_ns=of(steps.total_ns), launches=of(steps.launches), backlog_ns=of(steps.backlog_ns)
        ),
        other_window=of(summary.other_window),
        owned=replace(
            owned, time_ns=nested(owned.time_ns), plain_ns=of(owned.plain_ns), calls=calls(owned.calls)
        ),
        groups=groups,
        memory=None if memory is None else replace(
            memory, allocated=of(memory.allocated), released=of(memory.released), calls=calls(memory.calls)
        ),
    )  # fmt: skip


def mean_of(sums: Ints, ranks: Ints) -> Ints:
    """(..., j) sums over `ranks` (j,) -> means, rounded half up."""
    means: Ints = (2 * sums + ranks) // (2 * ranks)
    return means


def mean_calls(sums: Ints, ranks: Ints) -> Ints:
    """Rounded means of calls; at least one if any rank has calls."""
    return np.maximum(mean_of(sums, ranks), sums > 0)


def closing_means(sums: Ints, ranks: Ints) -> Ints:
    """(r, j) -> (r, j) means whose running sums down the rows are the rounded means of the running sums."""
    means: Ints = np.diff(mean_of(np.cumsum(sums, axis=0), ranks), axis=0, prepend=0)
    return means


def in_nested_order(owned: OwnedTime) -> OwnedTime:
    """Sorts the rows by category and key, the order in which their means must sum exactly."""
    keys = list(zip(owned.category.tolist(), owned.key, strict=True))
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)
    return replace(
        owned, category=owned.category[order], key=tuple(owned.key[at] for at in order.tolist()),
        name=tuple(owned.name[at] for at in order.tolist()), time_ns=owned.time_ns[order],
        plain_ns=owned.plain_ns[order], calls=owned.calls[order],
    )  # fmt: skip


def mean_split(split: SplitTime, ranks: Ints, order_of: Order | None = None) -> SplitTime:
    """Averages split time over ranks.

    order_of  place of a key in the nested order in which means must sum exactly; None if they need not, which keeps the
              order of keys
    """
    time, calls = (np.zeros((len(split), len(ranks)), dtype=np.int64) for _ in range(2))
    time[split.row, split.step], calls[split.row, split.step] = split.time_ns, split.calls
    keys = split.keys
    if order_of is not None:
        order = sorted(range(len(keys)), key=lambda at: order_of(keys[at]))
        keys = tuple(keys[at] for at in order)
        time, calls = closing_means(time[order], ranks), calls[order]
    else:
        time = mean_of(time, ranks)
    calls = mean_calls(calls, ranks)
    row, step = np.nonzero((time != 0) | (calls != 0))
    return split.with_cells(row, step, time[row, step], calls[row, step], keys)


def mean_tree(tree: CallTree, ranks: Ints) -> CallTree:
    time, calls = (np.zeros((len(tree), len(ranks)), dtype=np.int64) for _ in range(2))
    time[tree.frame, tree.step], calls[tree.frame, tree.step] = tree.time_ns, tree.calls
    order = np.argsort(tree.category, kind="stable")
    mean = np.empty_like(time)
    mean[order] = closing_means(time[order], ranks)
    calls = mean_calls(calls, ranks)
    frame, step = np.nonzero((mean != 0) | (calls != 0))
    return replace(
        tree, frame=frame.astype(np.int32), step=step.astype(np.int32), time_ns=mean[frame, step],
        calls=calls[frame, step],
    )  # fmt: skip
