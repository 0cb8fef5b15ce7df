"""Data for the call paths of one side's rows: a small part of its summary, prepared for look-up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.model.names.ranges import MODULE_PREFIX
from tb_perfcompare.model.summary.call_tree import CallTree, FrameKind
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.groups import DURATION_TABLES
from tb_perfcompare.model.summary.summary import BY_OPERATOR, BY_PYTHON, Summary
from tb_perfcompare.model.summary.table_specs import TABLE_SPECS, WITH_CALLERS
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.quick_dataclass import dataclass

Frame = tuple[int, str]
"""(FrameKind, name)."""

_KERNELS = (StepCategory.KERNEL, StepCategory.COMMUNICATION)
_COPIES = (StepCategory.MEMCPY, StepCategory.MEMSET)

NO_TRACE = "it is not a trace: there are no calls to follow"
NO_OPERATORS = "the trace has no operators; record with ProfilerActivity.CPU"
NO_STACKS = "the trace has no Python functions or call stacks; record with with_stack=True"


@dataclass(slots=True)
class Values:
    """Sums over all steps: calls, and nanoseconds by measure."""

    calls: int = 0
    times: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Walkable:
    """A tree of call paths as lists by frame number, and the frame numbers of each name."""

    parent: list[int]
    kind: list[int]
    category: list[int]
    name: list[str]
    own: list[int]
    calls: list[int]
    launched: dict[int, int]
    of_name: dict[str, list[int]]

    def around(self, frame: int) -> tuple[Frame, ...]:
        """The frames around a frame, from the outermost in."""
        frames: list[Frame] = []
        outer = self.parent[frame]
        while outer > 0:
            frames.append((self.kind[outer], self.name[outer]))
            outer = self.parent[outer]
        return tuple(reversed(frames))


def walkable(tree: CallTree) -> Walkable:
    own, calls = (part.tolist() for part in tree.own())
    parent, kind = tree.parent.tolist(), tree.kind.tolist()
    name = [tree.names[number] for number in tree.name.tolist()]
    of_name: dict[str, list[int]] = {}
    for frame, text in enumerate(name):
        of_name.setdefault(text, []).append(frame)
    launched = {parent[frame]: own[frame] for frame, what in enumerate(kind) if what == FrameKind.LAUNCHED}
    return Walkable(parent, kind, tree.category.tolist(), name, own, calls, launched, of_name)


@dataclass(frozen=True, slots=True, eq=False)
class PathSource:
    """Call paths of a side that has the names under which rows are joined (alignment/same_names.py). `durations`:
    group of DURATION_TABLES -> row -> class of duration -> launches."""

    steps: int
    is_trace: bool
    groups: Mapping[str, GroupTable]
    trees: Mapping[str, Walkable]
    has_modules: bool
    places: Mapping[str, Mapping[str, int]]
    durations: Mapping[str, Mapping[str, dict[int, int]]]

    def why_not(self, way: str) -> str:
        """Reason why the side has no such paths, "" if it has."""
        if way in self.trees:
            return ""
        return NO_STACKS if self.is_trace and BY_OPERATOR in self.trees else NO_OPERATORS if self.is_trace else NO_TRACE

    def total(self, table: str, row: str) -> Values | None:
        """Total of the row; None if the side does not have it."""
        index = row_place(self, table, row)
        if index is None:
            return None
        group = self.groups[table]
        sources = TABLE_SPECS[table].pathed
        times = {name: int(group.measures_ns[source][index].sum()) for name, source in sources.items()}
        return Values(int(group.calls[index].sum()), times)

    def paths(
        self, way: str, table: str, row: str, *, without_modules: bool, together: bool
    ) -> dict[tuple[Frame, ...], Values]:
        """Frames around the row's calls, from the outermost in -> their sums; `together` ignores the numbers of
        modules, so that the layers of a network are merged."""
        tree, index = self.trees.get(way), row_place(self, table, row)
        if tree is None or index is None:
            return {}
        name, *more = self.groups[table].keys[index]
        fits = _FITS[table]
        by_path: dict[tuple[Frame, ...], Values] = {}
        for frame in tree.of_name.get(name, ()):
            if not fits(tree.kind[frame], StepCategory(max(tree.category[frame], 0))):
                continue
            around = tree.around(frame)
            if more and (around[-1][1] if around and around[-1][0] == FrameKind.OPERATOR else "") != more[0]:
                continue
            if without_modules and way == BY_OPERATOR:
                around = tuple(outer for outer in around if outer[0] != FrameKind.MODULE)
            if together:
                around = tuple((kind, _without_number(kind, text)) for kind, text in around)
            values = by_path.setdefault(around, Values())
            values.calls += tree.calls[frame]
            for measure, source in TABLE_SPECS[table].pathed.items():
                time = tree.launched.get(frame, 0) if source == "device_self" else tree.own[frame]
                values.times[measure] = values.times.get(measure, 0) + time
        return by_path


_FITS: Mapping[str, Callable[[int, StepCategory], bool]] = {
    "operators": lambda kind, category: kind == FrameKind.OPERATOR and category != StepCategory.COMMUNICATION,
    "modules": lambda kind, category: kind == FrameKind.MODULE,
    "kernels": lambda kind, category: kind == FrameKind.DEVICE and category in _KERNELS,
    "kernels_by_operator": lambda kind, category: kind == FrameKind.DEVICE and category in _KERNELS,
    "memcpy": lambda kind, category: kind == FrameKind.DEVICE and category in _COPIES,
    "communication": lambda kind, category: category == StepCategory.COMMUNICATION,
}
"""Table -> whether a frame with a row's name belongs to the row."""


def _without_number(kind: int, name: str) -> str:
    is_module = kind == FrameKind.MODULE or (kind == FrameKind.PYTHON and name.startswith(MODULE_PREFIX))
    return _NUMBER.sub("", name) if is_module else name


def path_source(summary: Summary) -> PathSource:
    """Builds the source from a summary that records where rows were called."""
    groups = {name: table for name, table in summary.groups.items() if name in WITH_CALLERS}
    trees = {way: walkable(tree) for way, tree in summary.call_paths.items() if way in (BY_OPERATOR, BY_PYTHON)}
    tree = summary.call_paths.get(BY_OPERATOR)
    return PathSource(
        steps=max(1, len(summary.steps)),
        is_trace=summary.format == TRACE,
        groups=groups,
        trees=trees,
        has_modules=tree is not None and bool((tree.kind == FrameKind.MODULE).any()),
        places={
            name: {" › ".join(key): index for index, key in enumerate(table.keys)} for name, table in groups.items()
        },
        # means over ranks are not launches
        durations={} if summary.ranks is not None else _durations(summary),
    )


def _durations(summary: Summary) -> dict[str, dict[str, dict[int, int]]]:
    durations: dict[str, dict[str, dict[int, int]]] = {}
    for table in DURATION_TABLES.values():
        group = summary.groups.get(table)
        if group is None:
            continue
        rows = durations.setdefault(table, {})
        for (name, number), launches in zip(group.keys, group.calls.sum(axis=1).tolist(), strict=True):
            if launches:
                rows.setdefault(name, {})[int(number)] = launches
    return durations


_NUMBER = regex(r"_\d+$")

def row_place(side: PathSource, table: str, row: str) -> int | None:
    """Number of the row with this key, None if the side does not have it."""
    return side.places.get(table, {}).get(row)
