"""Renames the entities of a side to the names under which its rows are joined with the other side's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from tb_perfcompare.model.arrays import Floats, Ints, max_by_target, min_by_target, weighted_means
from tb_perfcompare.model.summary.call_tree import CallTree, FrameKind
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, StepCategory
from tb_perfcompare.model.summary.groups import CRITICAL_PATH, PYTHON_TIME
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable, OwnedTime

Joins = Mapping[str, str]
"""Name on a side -> name that it is compared under; unchanged names are left out."""

Key = TypeVar("Key")

_NONE: Joins = {}
_KERNELS, _FUNCTIONS = "kernels", "functions"
_GROUPS: Mapping[StepCategory, tuple[str, ...]] = {
    StepCategory.KERNEL: ("kernel", "function", CRITICAL_PATH),
    StepCategory.MEMCPY: ("memcpy", CRITICAL_PATH),
    StepCategory.MEMSET: ("memcpy", CRITICAL_PATH),
    StepCategory.RUNTIME: (CRITICAL_PATH,),
    StepCategory.OTHER: (PYTHON_TIME, CRITICAL_PATH),
}
"""Category -> prefixes of the names of its tables."""

_CALLERS = {PYTHON_TIME: 2}
"""Table -> number of its first key columns that hold names of the category, if not one."""

_FRAMES: Mapping[StepCategory, frozenset[FrameKind]] = {
    StepCategory.KERNEL: frozenset({FrameKind.DEVICE}),
    StepCategory.MEMCPY: frozenset({FrameKind.DEVICE}),
    StepCategory.MEMSET: frozenset({FrameKind.DEVICE}),
    StepCategory.RUNTIME: frozenset({FrameKind.CALL}),
    StepCategory.OTHER: frozenset({FrameKind.OTHER, FrameKind.PYTHON}),
}
"""Category -> kinds of its frames in a call tree."""


def renamed_kernels(side: Summary, joins: Joins) -> Summary:
    """Returns the side with renamed kernels, or functions of a per-cycle table; those that get the same name are
    merged."""
    table = side.groups.get(_KERNELS, side.groups.get(_FUNCTIONS))
    if table is None or not any(key in joins for (key, *_) in table.keys):
        return side
    launches = side.launches
    if launches is not None:
        _, row_of = _merged_group(table, joins)
        launches = replace(launches, kernel=row_of[launches.kernel].astype(np.int32))
    return replace(renamed(side, {StepCategory.KERNEL: joins}), launches=launches)


def renamed(side: Summary, joins: Mapping[StepCategory, Joins]) -> Summary:
    """Returns the side with renamed entities of these categories; entities that get the same name are merged."""
    if not any(joins.values()):
        return side
    groups = dict(side.groups)
    for category, tables in _GROUPS.items():
        if joins.get(category):
            for name in side.groups:
                if name.startswith(tables):
                    groups[name] = _merged_group(groups[name], joins[category], _CALLERS.get(name, 1))[0]
    return replace(
        side,
        groups=groups,
        owned=_merged_owned(side.owned, joins),
        work=None if side.work is None else replace(side.work, work=_renamed_parts(side.work.work, joins)),
        call_tree=None if side.call_tree is None else _renamed_tree(side.call_tree, joins),
        call_paths={way: _renamed_tree(tree, joins) for way, tree in side.call_paths.items()},
    )


def _renamed_tree(tree: CallTree, joins: Mapping[StepCategory, Joins]) -> CallTree:
    for category, names in joins.items():
        tree = tree.renamed(names, category, _FRAMES[category])
    return tree


def _merged_group(table: GroupTable, joins: Joins, columns: int = 1) -> tuple[GroupTable, Ints]:
    """Returns the table with new names in its first key columns, and the new row of each old one. Facts are means
    weighted by time."""
    keys = [(*(joins.get(name, name) for name in key[:columns]), *key[columns:]) for key in table.keys]
    index, row_of = _numbered(keys)
    rows = len(index)
    weight = table.measures_ns["total"].sum(axis=1).astype(np.float64)
    low, high = table.min_ns, table.max_ns
    if low is not None and high is not None:
        low, high = min_by_target(low, row_of, rows), max_by_target(high, row_of, rows)
    merged = replace(
        table,
        keys=index,
        names=_merged_names(table.names, row_of, rows),
        calls=_summed(table.calls, row_of),
        measures_ns={name: _summed(values, row_of) for name, values in table.measures_ns.items()},
        min_ns=low,
        max_ns=high,
        facts={name: _mean(values, weight, row_of, rows) for name, values in table.facts.items()},
    )
    return merged, row_of


def _numbered(keys: Sequence[Key]) -> tuple[tuple[Key, ...], Ints]:
    """(distinct keys, number of each key among them)."""
    index = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return tuple(index), np.array([index[key] for key in keys], dtype=np.int64)


def _merged_names(names: Sequence[str], row_of: Ints, rows: int) -> tuple[str, ...]:
    names_of: list[list[str]] = [[] for _ in range(rows)]
    for name, row in zip(names, row_of.tolist(), strict=True):
        names_of[row].append(name)
    return tuple(each[0] if len(each) == 1 else f"{each[0]} and {len(each) - 1} more" for each in names_of)


def _mean(values: Floats, weight: Floats, row_of: Ints, rows: int) -> Floats:
    """Mean weighted by time; a single row keeps its figure to the last bit."""
    out = weighted_means(values, weight, row_of, rows)
    alone = np.bincount(row_of, minlength=rows)[row_of] == 1
    out[row_of[alone]] = values[alone]
    return out


def _merged_owned(owned: OwnedTime, joins: Mapping[StepCategory, Joins]) -> OwnedTime:
    joins_of = [joins.get(category, _NONE) for category in StepCategory]
    entities = [
        (category, joins_of[category].get(key, key))
        for category, key in zip(owned.category.tolist(), owned.key, strict=True)
    ]
    index, row_of = _numbered(entities)
    return OwnedTime(
        category=np.array([category for category, _ in index], dtype=np.int8),
        key=tuple(key for _, key in index),
        name=_merged_names(owned.name, row_of, len(index)),
        time_ns=_summed(owned.time_ns, row_of),
        plain_ns=_summed(owned.plain_ns, row_of),
        calls=_summed(owned.calls, row_of),
        parts=None if owned.parts is None else _renamed_parts(owned.parts, joins),
    )


def _renamed_parts(parts: SplitTime, joins: Mapping[StepCategory, Joins]) -> SplitTime:
    by_label = {CATEGORY_LABELS[category]: names for category, names in joins.items()}
    return parts.renamed(
        [
            (category, by_label.get(category, _NONE).get(entity, entity), *below)
            for category, entity, *below in parts.keys
        ]
    )


def _summed(matrix: Ints, row_of: Ints) -> Ints:
    """Adds up rows with the same new row."""
    out = np.zeros((int(row_of.max(initial=-1)) + 1, matrix.shape[1]), dtype=np.int64)
    np.add.at(out, row_of, matrix)
    return out
