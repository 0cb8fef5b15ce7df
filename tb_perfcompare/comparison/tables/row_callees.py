"""Callees directly inside a row's frames of the call tree; they add up to the row (docs/method/ledger.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from tb_perfcompare.comparison.ledger.call_tree import Frame, JointTree
from tb_perfcompare.comparison.tables.call_tree import KINDS
from tb_perfcompare.comparison.tables.path_source import PathSource, row_place
from tb_perfcompare.comparison.tables.row_paths import Pair
from tb_perfcompare.comparison.tables.row_related import FRAMES
from tb_perfcompare.model.summary.call_tree import FrameKind
from tb_perfcompare.quick_dataclass import dataclass

MAX_SHOWN = 12
"""Number of callees that are listed; the others are summed."""


@dataclass(frozen=True, slots=True)
class Callee:
    """Direct callees of one name, summed."""

    kind: Annotated[str, "kind of frame: `module`, `operator`, `host call`, `device work`, `other` or `smaller frames`"]
    name: Annotated[str, "name that its frames share"]
    table: Annotated[str, 'name of the table that has a row of this name; "" if none has']
    time: Annotated[Pair, "exposed nanoseconds per step x `denominator`: baseline, candidate"]


@dataclass(frozen=True, slots=True)
class Callees:
    """Exposed times in nanoseconds per step x the tree's denominator: `own`, `rows` and `rest` sum to `whole`;
    `others` is the number of callees in the rest."""

    whole: Pair
    own: Pair
    rows: tuple[Callee, ...]
    rest: Pair
    others: int


def callees(
    tree: JointTree | None, table: str, row: str, sides: tuple[PathSource, PathSource], most: int = MAX_SHOWN
) -> Callees | None:
    """Finds the callees of a row; None if the row has no frames, or nothing is inside them."""
    kind = FRAMES.get(table)
    if tree is None or kind is None:
        return None
    total: list[int | None] = [None, None]
    own_times: list[int | None] = [None, None]
    below: dict[tuple[int, str], list[int | None]] = {}
    for frame, is_outer in _frames_of(tree, kind, row):
        times = _times(frame)
        if is_outer:
            _add(total, times)
            _add(own_times, (None if times[0] is None else frame.own[0], None if times[1] is None else frame.own[1]))
        else:
            _add(below.setdefault((frame.key[0], frame.key[2]), [None, None]), times)
    if not below:
        return None
    rows = [
        Callee(KINDS[of], name, _table(of, name, sides), (times[0], times[1])) for (of, name), times in below.items()
    ]
    rows.sort(key=_order)
    rest: list[int | None] = [None, None]
    for callee in rows[most:]:
        _add(rest, callee.time)
    return Callees(
        (total[0], total[1]), (own_times[0], own_times[1]), tuple(rows[:most]), (rest[0], rest[1]), len(rows[most:])
    )


def _frames_of(tree: JointTree, kind: str, name: str) -> Iterator[tuple[Frame, bool]]:
    """Yields (frame, True) for the outermost frames of the name, (frame, False) for those directly inside them. A
    call of the same name inside is one of the callees, and what runs there belongs to it."""
    outer = -1
    for frame in tree.frames:
        if outer >= 0 and frame.depth <= outer:
            outer = -1
        if outer < 0 and frame.key[2] == name and KINDS[frame.key[0]] == kind:
            outer = frame.depth
            yield frame, True
        elif outer >= 0 and frame.depth == outer + 1:
            yield frame, False


def _times(frame: Frame) -> Pair:
    return (
        None if frame.status == "added" else frame.baseline,
        None if frame.status == "removed" else frame.candidate,
    )


def _add(sums: list[int | None], times: Pair) -> None:
    for side, time in enumerate(times):
        if time is not None:
            sums[side] = (sums[side] or 0) + time


def _order(callee: Callee) -> tuple[object, ...]:
    a, b = (time or 0 for time in callee.time)
    return -abs(b - a), -max(a, b), callee.kind, callee.name


def _table(kind: int, name: str, sides: tuple[PathSource, PathSource]) -> str:
    """Table that has a row for such a frame, "" if there is none."""
    if kind == FrameKind.REST:
        return ""
    for table, of in FRAMES.items():
        if of == KINDS[kind] and any(row_place(side, table, name) is not None for side in sides):
            return table
    return ""
