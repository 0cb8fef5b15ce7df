"""Kernel names that one tool cut and another wrote in full, joined before the sides are compared.

`ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_s...` is the kernel of the other side whose name starts like that, if
there is exactly one. Several are one row, since nobody can tell which of them the cut name stands for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, GroupTable, OwnedTime, StepCategory, Summary

CUT = "..."

LEAST_LETTERS = 16
"""A cut name says something from this many characters before the dots on; tools cut at 30 to 100."""

_NAMED = 3
_TABLE = "kernels"
Joins = Mapping[str, str]
"""Name of a side -> name that it is compared under; names that stay are left out."""


def join_cut_names(baseline: Summary, candidate: Summary) -> tuple[Summary, Summary, tuple[Note, ...]]:
    """Both sides with their kernels under common names, and what was joined. Sides without cut names are returned as
    they are."""
    names = [_kernels(side) for side in (baseline, candidate)]
    if not any(map(_is_cut, names[0])) and not any(map(_is_cut, names[1])):
        return baseline, candidate, ()
    joins, notes = matched_names(*names)
    if not joins:
        return baseline, candidate, ()
    return renamed_kernels(baseline, joins), renamed_kernels(candidate, joins), notes


def matched_names(a: Sequence[str], b: Sequence[str]) -> tuple[Joins, tuple[Note, ...]]:
    """Joined names of the names that one side has and the other has not; what both have is joined already."""
    common = {*a} & {*b}
    only = [sorted({*side} - common) for side in (a, b)]
    groups = _Groups()
    for mine, others in (only, only[::-1]):
        shortest = None
        for name in sorted(filter(_is_cut, mine), key=_text):
            text = _text(name)
            is_inside = shortest is not None and text.startswith(shortest)
            if not is_inside:
                shortest = text
            # what starts like this one starts like the shorter one too: all of it is in one group already
            for other in islice(_starting_with(text, others), 1 if is_inside else None):
                groups.unite(name, other)
    joins: dict[str, str] = {}
    one, several = 0, []
    for members in groups.members():
        full = max(members, key=lambda name: (len(_text(name)), not _is_cut(name), name))
        if len(members) == 2:
            one += 1
            shared = full
        else:
            shared = min(members, key=lambda name: (len(_text(name)), not _is_cut(name), name))
            several.append((shared, len(members) - 1))
        joins |= {name: shared for name in members if name != shared}
    return joins, tuple(_notes(one, several))


def _notes(one: int, several: list[tuple[str, int]]) -> Iterable[Note]:
    if one:
        names = "1 kernel name" if one == 1 else f"{one} kernel names"
        message = f"{names} cut on one side joined to the only name of the other that starts alike"
        yield Note(NoteCode.CUT_NAMES, message, _TABLE)
    if several:
        listed = ", ".join(f"{name} ({number} names)" for name, number in several[:_NAMED])
        more = f" and {len(several) - _NAMED} more" if len(several) > _NAMED else ""
        message = f"names that start like a cut one cannot be told apart and share a row: {listed}{more}"
        yield Note(NoteCode.CUT_NAMES, message, _TABLE)


class _Groups:
    """Names that may be the same kernel, directly or through others."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def unite(self, one: str, other: str) -> None:
        low, high = sorted((self._top(one), self._top(other)))
        self._above[high] = low

    def _top(self, name: str) -> str:
        self._above.setdefault(name, name)
        while (above := self._above[name]) != name:
            self._above[name] = self._above[above]
            name = above
        return name

    def members(self) -> list[list[str]]:
        found: dict[str, list[str]] = {}
        for name in sorted(self._above):
            found.setdefault(self._top(name), []).append(name)
        return list(found.values())


def _starting_with(text: str, names: list[str]) -> Iterator[str]:
    """Of sorted names, those that start with the text; a cut name must itself say as much."""
    at = bisect_left(names, text)
    while at < len(names) and names[at].startswith(text):
        if len(_text(names[at])) >= len(text):
            yield names[at]
        at += 1


def _is_cut(name: str) -> bool:
    return name.endswith(CUT) and len(name) >= LEAST_LETTERS + len(CUT)


def _text(name: str) -> str:
    return name[: -len(CUT)] if _is_cut(name) else name


def _kernels(side: Summary) -> list[str]:
    table = side.groups.get(_TABLE)
    return [key[0] for key in table.keys] if table is not None and table.key_columns == ("name",) else []


def renamed_kernels(side: Summary, joins: Joins) -> Summary:
    """The side with its kernels under other names; what comes to have the same name is one kernel."""
    table = side.groups.get(_TABLE)
    if table is None or not any(key in joins for (key, *_) in table.keys):
        return side
    _, row_of = _merged_group(table, joins)
    launches = side.launches
    if launches is not None:
        launches = replace(launches, kernel=row_of[launches.kernel].astype(np.int32))
    kernels = {name: group for name, group in side.groups.items() if group.kind.startswith("kernel")}
    return replace(
        side,
        groups={**side.groups, **{name: _merged_group(group, joins)[0] for name, group in kernels.items()}},
        owned=_merged_owned(side.owned, joins),
        launches=launches,
        work=None if side.work is None else replace(side.work, work=_renamed_parts(side.work.work, joins)),
        call_tree=None if side.call_tree is None else side.call_tree.renamed(joins, StepCategory.KERNEL),
        call_paths={way: tree.renamed(joins, StepCategory.KERNEL) for way, tree in side.call_paths.items()},
    )


def _merged_group(table: GroupTable, joins: Joins) -> tuple[GroupTable, NDArray[np.int64]]:
    """The table under its new names, and the new row of each old one. Facts are means weighted by time."""
    keys = [(joins.get(name, name), *rest) for name, *rest in table.keys]
    index = {key: row for row, key in enumerate(dict.fromkeys(keys))}
    row_of = np.array([index[key] for key in keys], dtype=np.int64)
    rows = len(index)

    def summed(matrix: NDArray[np.int64]) -> NDArray[np.int64]:
        out = np.zeros((rows, matrix.shape[1]), dtype=np.int64)
        np.add.at(out, row_of, matrix)
        return out

    weight = table.measures_ns["total"].sum(axis=1).astype(np.float64)
    low, high = table.min_ns, table.max_ns
    if low is not None and high is not None:
        lowest, highest = np.full(rows, np.iinfo(np.int64).max), np.zeros(rows, dtype=np.int64)
        np.minimum.at(lowest, row_of, low)
        np.maximum.at(highest, row_of, high)
        low, high = lowest, highest
    merged = replace(
        table,
        keys=tuple(index),
        names=_merged_names(table.names, row_of, rows),
        calls=summed(table.calls),
        measures_ns={name: summed(values) for name, values in table.measures_ns.items()},
        min_ns=low,
        max_ns=high,
        facts={name: _mean(values, weight, row_of, rows) for name, values in table.facts.items()},
    )
    return merged, row_of


def _merged_names(names: Sequence[str], row_of: NDArray[np.int64], rows: int) -> tuple[str, ...]:
    found: list[list[str]] = [[] for _ in range(rows)]
    for name, row in zip(names, row_of.tolist(), strict=True):
        found[row].append(name)
    return tuple(each[0] if len(each) == 1 else f"{each[0]} and {len(each) - 1} more" for each in found)


def _mean(
    values: NDArray[np.float64], weight: NDArray[np.float64], row_of: NDArray[np.int64], rows: int
) -> NDArray[np.float64]:
    """A row that stands alone keeps its figure to the last bit."""
    has = np.isfinite(values)
    total = np.bincount(row_of[has], weights=weight[has], minlength=rows)
    product = np.bincount(row_of[has], weights=weight[has] * values[has], minlength=rows)
    out: NDArray[np.float64] = np.divide(product, total, out=np.full(rows, np.nan), where=total > 0)
    alone = np.bincount(row_of, minlength=rows)[row_of] == 1
    out[row_of[alone]] = values[alone]
    return out


def _merged_owned(owned: OwnedTime, joins: Joins) -> OwnedTime:
    places = [
        (category, joins.get(key, key) if category == StepCategory.KERNEL else key)
        for category, key in zip(owned.category.tolist(), owned.key, strict=True)
    ]
    index = {place: row for row, place in enumerate(dict.fromkeys(places))}
    row_of = np.array([index[place] for place in places], dtype=np.int64)

    def summed(matrix: NDArray[np.int64]) -> NDArray[np.int64]:
        out = np.zeros((len(index), matrix.shape[1]), dtype=np.int64)
        np.add.at(out, row_of, matrix)
        return out

    return OwnedTime(
        category=np.array([category for category, _ in index], dtype=np.int8),
        key=tuple(key for _, key in index),
        name=_merged_names(owned.name, row_of, len(index)),
        time_ns=summed(owned.time_ns),
        plain_ns=summed(owned.plain_ns),
        calls=summed(owned.calls),
        parts=None if owned.parts is None else _renamed_parts(owned.parts, joins),
    )


def _renamed_parts(parts: SplitTime, joins: Joins) -> SplitTime:
    kernel = CATEGORY_LABELS[StepCategory.KERNEL]
    return parts.renamed(
        [
            (category, joins.get(entity, entity) if category == kernel else entity, *below)
            for category, entity, *below in parts.keys
        ]
    )
