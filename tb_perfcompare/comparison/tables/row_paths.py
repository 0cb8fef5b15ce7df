"""Callers of one row of a table: its call paths on both sides, adding up to the row (docs/method/ledger.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import lcm
from typing import Annotated, TypedDict

from tb_perfcompare.comparison.tables.path_source import Frame, PathSource, Values, row_place
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.names.python_frames import function_key
from tb_perfcompare.model.summary.call_tree import FrameKind
from tb_perfcompare.model.summary.summary import BY_OPERATOR, BY_PYTHON
from tb_perfcompare.model.summary.table_specs import TABLE_SPECS, WITH_CALLERS
from tb_perfcompare.quick_dataclass import dataclass

MAX_SHOWN = 40
"""Number of paths listed for each way; the others are its rest."""

KINDS = {
    FrameKind.MODULE: "module", FrameKind.OPERATOR: "operator", FrameKind.PYTHON: "python", FrameKind.OTHER: "other",
}  # fmt: skip
"""Name of a frame's kind in a path."""

_TABLES = {FrameKind.MODULE: "modules", FrameKind.OPERATOR: "operators"}

Pair = tuple[int | None, int | None]
"""Baseline and candidate; None: the side has no such path, or no such row."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Calls and times (measure -> nanoseconds), all per step and multiplied by RowPaths.denominator."""

    calls: Annotated[Pair, "calls per step x `denominator`: baseline, candidate"]
    times: Annotated[Mapping[str, Pair], "measure -> nanoseconds per step x `denominator`: baseline, candidate"]


class _CallPathDict(TypedDict):
    frames: Annotated[Sequence[int], "indices into RowPaths.frames, outermost first"]
    calls: Annotated[Pair, "calls per step x `denominator`: baseline, candidate"]
    times: Annotated[Mapping[str, Pair], "measure -> nanoseconds per step x `denominator`: baseline, candidate"]


class CallPathDict(_CallPathDict, total=False):
    """One call path to the row."""

    candidate_frames: Annotated[Sequence[int], "the same for the candidate, if its folders or line numbers differ"]


@dataclass(frozen=True, slots=True)
class Absent:
    """Why a side has no paths."""

    baseline: Annotated[str | None, "what the baseline's recording lacks; null if it has paths"]
    candidate: Annotated[str | None, "the same for the candidate"]


@dataclass(frozen=True, slots=True)
class Rest:
    """The part of the row that is not in the listed paths."""

    calls: Annotated[Pair, "calls per step x `denominator`: baseline, candidate"]
    times: Annotated[Mapping[str, Pair], "measure -> nanoseconds per step x `denominator`: baseline, candidate"]
    paths: Annotated[int, "number of paths in the rest"]


@dataclass(frozen=True, slots=True)
class PathSplit:
    """The row split by one kind of path."""

    way: Annotated[
        str, "kind of path: `operators` (modules and operators) or `python` (Python functions and operators)"
    ]
    absent: Annotated[Absent, "why a side has no paths of this kind"]
    paths: Annotated[
        Sequence[CallPathDict], "at most 40 paths, the largest change first; with `rest` they sum to `RowPaths.total`"
    ]
    rest: Annotated[Rest, "sum of the paths that are not listed"]


PathFrame = tuple[str, str, str]
"""Kind, name, and the table that has a row of this name, "" if there is none."""


@dataclass(frozen=True, slots=True)
class RowPaths:
    """Call paths of one row. `measures`: name -> label, "" the table's main one; `frames`: of all paths, each once, as
    stacks share most of them."""

    table: str
    row: str
    denominator: int
    measures: Mapping[str, str]
    total: Figures
    frames: tuple[PathFrame, ...]
    ways: tuple[PathSplit, ...]


def row_paths(
    table: str, row: str, baseline: PathSource, candidate: PathSource, *, together: bool = False, most: int = MAX_SHOWN
) -> RowPaths:
    """Finds the call paths of the row with this key; `together` merges modules that differ only in their numbers.
    Without ways if the table's rows have no paths of their own. Raises SelectionError if there is no such table or
    row."""
    if table not in WITH_CALLERS:
        raise SelectionError(f"rows of {table[:80]!r} have no callers", hint=f"of these: {', '.join(WITH_CALLERS)}")
    spec = TABLE_SPECS[table]
    sides = baseline, candidate
    if all(row_place(side, table, row) is None for side in sides):
        raise SelectionError(f"{table} has no row {row[:200]!r}", hint="its key columns joined by ' › '")
    denominator = lcm(baseline.steps, candidate.steps)
    factors = denominator // baseline.steps, denominator // candidate.steps
    sources = spec.pathed
    labels = {measure.name: measure.label or spec.title for measure in spec.measures if measure.name in sources}
    totals = [side.total(table, row) for side in sides]
    total = _figures(list(sources), totals[0], totals[1], factors)
    plain = any(side.has_modules for side in sides) and not all(side.has_modules for side in sides)
    ways, numbers = [], dict[PathFrame, int]()
    for name in (BY_OPERATOR, BY_PYTHON) if sources else ():
        stacks = [side.paths(name, table, row, without_modules=plain, together=together) for side in sides]
        a, b = stacks
        joined = list(_joined(a, b) if name == BY_PYTHON else ((way, None, a.get(way), b.get(way)) for way in a | b))
        every = [(frames, other, _figures(list(sources), x, y, factors)) for frames, other, x, y in joined]
        ways.append(_path_split(name, every, total, sides, numbers, most))
    return RowPaths(table, row, denominator, labels, total, tuple(numbers), tuple(ways))


def by_change(times: Pair) -> tuple[int, int]:
    """Sort key: the largest difference first, independent of the order of the sides."""
    a, b = (time or 0 for time in times)
    return -abs(b - a), -max(a, b)


_ValuesByPath = Mapping[tuple[Frame, ...], Values]
_Path = tuple[tuple[Frame, ...], tuple[Frame, ...] | None, Figures]
_Joined = tuple[tuple[Frame, ...], tuple[Frame, ...] | None, Values | None, Values | None]


def _joined(a: _ValuesByPath, b: _ValuesByPath) -> Iterator[_Joined]:
    """Pairs stacks of two sides: equal ones, then those that differ only in folders and line numbers, if there is
    exactly one on each side."""
    alike: dict[tuple[str, ...], tuple[list[tuple[Frame, ...]], list[tuple[Frame, ...]]]] = {}
    for side, (own, other) in enumerate(((a, b), (b, a))):
        for frames in own:
            if frames not in other:
                key = tuple(function_key(name) for _, name in frames)
                alike.setdefault(key, ([], []))[side].append(frames)
    pairs = {ours[0]: theirs[0] for ours, theirs in alike.values() if len(ours) == len(theirs) == 1}
    taken = set(pairs.values())
    for frames in dict.fromkeys([*a, *b]):
        if frames in pairs and frames not in b:
            yield frames, pairs[frames], a[frames], b[pairs[frames]]
        elif frames not in taken or frames in a:
            yield frames, None, a.get(frames), b.get(frames)


def _path_split(
    name: str, every: list[_Path], total: Figures, sides: tuple[PathSource, PathSource], numbers: dict[PathFrame, int],
    most: int,
) -> PathSplit:  # fmt: skip
    every.sort(key=lambda path: _order(path[0], path[2]))
    paths: list[CallPathDict] = []
    for frames, other, figures in every[:most]:
        paths.append({"frames": _numbers(frames, sides, numbers), "calls": figures.calls, "times": figures.times})
        if other is not None:
            paths[-1]["candidate_frames"] = _numbers(other, sides, numbers)
    rest = Rest(
        _rest(total.calls, [path["calls"] for path in paths]),
        {measure: _rest(pair, [path["times"][measure] for path in paths]) for measure, pair in total.times.items()},
        len(every) - len(paths),
    )
    return PathSplit(name, Absent(*(side.why_not(name) or None for side in sides)), paths, rest)


def _order(frames: tuple[Frame, ...], figures: Figures) -> tuple[object, ...]:
    """Sort key: largest difference of the main measure first, independent of the order of the sides."""
    times = [(a or 0, b or 0) for a, b in figures.times.values()]
    changes = tuple(-abs(b - a) for a, b in times)
    return *changes, *(-max(pair) for pair in times), [name for _, name in frames], [int(kind) for kind, _ in frames]


def _figures(measures: list[str], a: Values | None, b: Values | None, factors: tuple[int, int]) -> Figures:
    def pair(pick: str | None) -> Pair:
        baseline, candidate = (
            None if side is None else factor * (side.calls if pick is None else side.times[pick])
            for side, factor in zip((a, b), factors, strict=True)
        )
        return baseline, candidate

    return Figures(pair(None), {measure: pair(measure) for measure in measures})


def _rest(total: Pair, listed: list[Pair]) -> Pair:
    a, b = (None if total[side] is None else total[side] - sum(pair[side] or 0 for pair in listed) for side in (0, 1))  # type: ignore[operator]
    return a, b


def _numbers(
    frames: tuple[Frame, ...], sides: tuple[PathSource, PathSource], numbers: dict[PathFrame, int]
) -> list[int]:
    """Replaces frames by their numbers in `numbers`, which gets new ones."""
    shown = ((KINDS.get(FrameKind(kind), "other"), name, _table(kind, name, sides)) for kind, name in frames)
    return [numbers.setdefault(frame, len(numbers)) for frame in shown]


def _table(kind: int, name: str, sides: tuple[PathSource, PathSource]) -> str:
    table = _TABLES.get(FrameKind(kind), "")
    return table if table and any(row_place(side, table, name) is not None for side in sides) else ""
