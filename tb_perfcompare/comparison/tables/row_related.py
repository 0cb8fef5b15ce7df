"""Related rows: the subject of a row in other tables and in the call tree (docs/method/ledger.md); and the durations of
its single launches on both sides, as a histogram with one logarithmic scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import lcm
from typing import Annotated

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.path_source import PathSource, row_place
from tb_perfcompare.comparison.tables.row_paths import Pair, by_change
from tb_perfcompare.model.summary.call_tree import FrameKind
from tb_perfcompare.model.summary.categories import OUTSIDE_OPERATORS
from tb_perfcompare.model.summary.groups import DURATION_TABLES, class_start_ns
from tb_perfcompare.model.summary.summary import BY_OPERATOR
from tb_perfcompare.model.summary.table_specs import TABLE_SPECS
from tb_perfcompare.quick_dataclass import dataclass

MAX_RELATED = 8
"""Number of rows of a kind that are listed; the others are counted."""

FRAMES = {
    "operators": "operator", "modules": "module", "kernels": "device work", "memcpy": "device work",
    "communication": "device work",
}  # fmt: skip
"""Table -> kind of its rows' frames in the call tree."""


@dataclass(frozen=True, slots=True)
class RelatedRow:
    """A row that shares work with another, and the time that they share."""

    table: Annotated[str, "name of the table that has the row"]
    row: Annotated[str, "its key: key columns joined by ` › `"]
    name: Annotated[str, "text for this list, such as the kernel or the input shapes"]
    time: Annotated[Pair, "nanoseconds per step x `denominator`: baseline, candidate"]


@dataclass(frozen=True, slots=True)
class Related:
    """Rows with one relation to the row."""

    what: Annotated[
        str,
        "relation: launches, launched_by, contains, shapes, launch_properties, in_modules, kernel, operator or module",
    ]
    rows: Annotated[tuple[RelatedRow, ...], "at most 8 rows, the largest change first"]
    others: Annotated[int, "number of rows that are not listed"]


@dataclass(frozen=True, slots=True)
class FrameLink:
    """Link to the largest frame of a name in the call tree."""

    row: Annotated[str, "key of the largest frame in the table `call_tree`"]
    frames: Annotated[int, "number of frames of this name"]


_Row = tuple[str, str]
"""(table, key of a row)"""

_RankedRow = tuple[str, _Row, str, int]
"""(what, related row, its name in this context, its time over all steps)"""


def related_rows(table: str, row: str, baseline: PathSource, candidate: PathSource) -> tuple[Related, ...]:
    """Finds the related rows; kinds without any are left out; the largest difference comes first."""
    sides = baseline, candidate
    common = lcm(baseline.steps, candidate.steps)
    kinds: dict[str, dict[tuple[_Row, str], list[int | None]]] = {}
    for side_number, side in enumerate(sides):
        for what, to, name, time in _related_on_side(side, table, row):
            if any(row_place(path_source, *to) is not None for path_source in sides):
                pair = kinds.setdefault(what, {}).setdefault((to, name), [None, None])
                pair[side_number] = time * (common // side.steps)
    out = []
    for what, each in kinds.items():
        rows = [RelatedRow(*to, name, (a, b)) for (to, name), (a, b) in each.items()]
        rows.sort(key=lambda row: (*by_change(row.time), row.row))
        out.append(Related(what, tuple(rows[:MAX_RELATED]), max(0, len(rows) - MAX_RELATED)))
    return tuple(out)


def _related_on_side(side: PathSource, table: str, row: str) -> Iterator[_RankedRow]:
    index = row_place(side, table, row)
    if index is None:
        return
    name, *other_keys = side.groups[table].keys[index]
    entities, _, by = table.partition("_by_")
    if table == "operators":
        yield from _with_part(side, "launches", "kernels_by_operator", 1, name)
        yield from _with_part(side, "shapes", "operators_by_shape", 0, name)
    elif table == "kernels":
        for what, there, operator, time in _with_part(side, "launched_by", "kernels_by_operator", 0, name):
            is_operator = row_place(side, "operators", operator) is not None
            yield what, ("operators", operator) if is_operator else there, operator or OUTSIDE_OPERATORS, time
        yield from _with_part(side, "launch_properties", "kernels_by_launch", 0, name)
        yield from _with_part(side, "in_modules", "kernels_by_module", 0, name)
    elif table == "modules":
        for operator, time in _operators_in(side, name).items():
            yield "contains", ("operators", operator), operator, time
        yield from _with_part(side, "launches", "kernels_by_module", 1, name)
    elif by:
        yield from _itself(side, entities.removesuffix("s"), entities, (name,), name)
        if by in ("operator", "module"):
            yield from _itself(side, by, f"{by}s", (other_keys[0],), other_keys[0])


def _itself(side: PathSource, what: str, table: str, key: tuple[str, ...], name: str) -> Iterator[_RankedRow]:
    """Yields a row with its own time, if the side has it."""
    row = " › ".join(key)
    index = row_place(side, table, row)
    if index is not None:
        times = side.groups[table].measures_ns[TABLE_SPECS[table].measures[0].source]
        yield what, (table, row), name, int(times[index].sum())


def _with_part(side: PathSource, what: str, table: str, part: int, name: str) -> Iterator[_RankedRow]:
    """Yields the rows of a table with two keys that have this part, each by the other part."""
    group = side.groups.get(table)
    for key in group.keys if group is not None else ():
        if key[part] == name:
            yield from _itself(side, what, table, key, key[1 - part])


def _operators_in(side: PathSource, module: str) -> dict[str, int]:
    """Operators that run in calls of the module, including modules below it -> their self time there."""
    tree = side.trees.get(BY_OPERATOR)
    if tree is None:
        return {}
    inside = {frame for frame in tree.of_name.get(module, ()) if tree.kind[frame] == FrameKind.MODULE}
    times: dict[str, int] = {}
    for frame in range(min(inside, default=len(tree.parent)), len(tree.parent)):
        if tree.parent[frame] in inside:
            inside.add(frame)  # frames come after those around them
            if tree.kind[frame] == FrameKind.OPERATOR:
                times[tree.name[frame]] = times.get(tree.name[frame], 0) + tree.own[frame]
    return times


def frame_link(table: str, row: str, frames: Mapping[_Row, FrameLink]) -> FrameLink | None:
    """Link from a row to the call tree, None without frames; `frames` as from frame_index."""
    return frames.get((FRAMES.get(table, ""), row))


def frame_index(tree: Table | None) -> dict[_Row, FrameLink]:
    """(kind, name) of every frame of the call tree's table -> link to the largest of them."""
    if tree is None:
        return {}
    indices = [tree.places[name] for name in ("kind", "frame", "below", "baseline_us", "candidate_us")]
    frames: dict[_Row, list[tuple[float, str]]] = {}
    for row in tree.rows:
        kind, name, below, *times = (row[index] for index in indices)
        size = max(float(time) if isinstance(time, int | float) else 0.0 for time in times)
        frames.setdefault((str(kind), str(name)), []).append((size, f"{name} › {below}"))
    return {key: FrameLink(max(own, key=lambda frame: frame[0])[1], len(own)) for key, own in frames.items()}


MAX_BINS = 40
"""Most bins of the histogram; for a wider range neighboring bins are merged."""


@dataclass(frozen=True, slots=True)
class LaunchDurations:
    """Histogram of launch durations over all compared steps."""

    start_ns: Annotated[tuple[float, ...], "start of each bin and end of the last, in nanoseconds"]
    baseline: Annotated[tuple[int, ...] | None, "number of launches in each bin; null if the baseline lacks the row"]
    candidate: Annotated[tuple[int, ...] | None, "the same for the candidate"]


def launch_durations(table: str, row: str, baseline: PathSource, candidate: PathSource) -> LaunchDurations | None:
    """Builds the histogram; None if the table has no launches, or neither side counted those of this row one by one."""
    counted = [side.durations.get(DURATION_TABLES.get(table, ""), {}).get(row, {}) for side in (baseline, candidate)]
    classes = [number for side in counted for number in side]
    if not classes:
        return None
    first, last = min(classes), max(classes)
    width = 1
    while (last - first) // width + 1 > MAX_BINS:
        width *= 2
    bins = (last - first) // width + 1
    start = tuple(class_start_ns(first + index * width) for index in range(bins + 1))
    a, b = (_binned(side, first, width, bins) for side in counted)
    return LaunchDurations(start, a, b)


def _binned(counts: dict[int, int], first: int, width: int, bins: int) -> tuple[int, ...] | None:
    if not counts:
        return None
    out = [0] * bins
    for number, launches in counts.items():
        out[(number - first) // width] += launches
    return tuple(out)
