"""Callees directly inside a row's frames of the call tree; they add up to the row (docs/method/ledger.md)."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Annotated

from tb_perfcompare.comparison.ledger.call_tree import Frame, JointTree
from tb_perfcompare.comparison.tables.call_tree import KINDS
from tb_perfcompare.comparison.tables.path_source import PathSource, row_place
from tb_perfcompare.comparison.tables.row_paths import Pair, by_change
from tb_perfcompare.comparison.tables.row_related import FRAMES
from tb_perfcompare.model.arrays import each_side
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
class CalleesRest:
    """Time and number of the callees that are not listed."""

    time: Annotated[Pair, "nanoseconds per step x `denominator`: baseline, candidate"]
    callees: Annotated[int, "number of callees that are not listed"]


@dataclass(frozen=True, slots=True)
class Callees:
    """Exposed times of the direct callees of the row's frames: `own`, `rows` and `rest` sum to `whole`."""

    whole: Annotated[
        Pair, "the row's frames with everything they call; nanoseconds per step x `denominator`: baseline, candidate"
    ]
    own: Annotated[Pair, "time in the frames themselves; nanoseconds per step x `denominator`: baseline, candidate"]
    rows: Annotated[tuple[Callee, ...], "at most 12 callees, the largest change first"]
    rest: Annotated[CalleesRest, "sum of the callees that are not listed"]


def callees(
    tree: JointTree | None, table: str, row: str, sides: tuple[PathSource, PathSource], most: int = MAX_SHOWN
) -> Callees | None:
    """Finds the callees of a row; None if the row has no frames, or nothing is inside them."""
    kind = FRAMES.get(table)
    if tree is None or kind is None:
        return None
    whole = own = _NO_TIME
    below: dict[tuple[int, str], Pair] = {}
    for frame, is_outer in _frames_of(tree, kind, row):
        times = _of_sides(frame, (frame.baseline, frame.candidate))
        if is_outer:
            whole, own = _sum(whole, times), _sum(own, _of_sides(frame, frame.own))
        else:
            key = frame.key[0], frame.key[2]
            below[key] = _sum(below.get(key, _NO_TIME), times)
    if not below:
        return None
    rows = [Callee(KINDS[of], name, _table(of, name, sides), times) for (of, name), times in below.items()]
    rows.sort(key=lambda callee: (*by_change(callee.time), callee.kind, callee.name))
    rest = functools.reduce(_sum, (callee.time for callee in rows[most:]), _NO_TIME)
    return Callees(whole, own, tuple(rows[:most]), CalleesRest(rest, len(rows[most:])))


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


_NO_TIME: Pair = (None, None)


def _of_sides(frame: Frame, times: tuple[int, int]) -> Pair:
    return None if frame.status == "added" else times[0], None if frame.status == "removed" else times[1]


def _sum(one: Pair, other: Pair) -> Pair:
    return each_side(lambda x, y: x if y is None else (x or 0) + y, one, other)


def _table(kind: int, name: str, sides: tuple[PathSource, PathSource]) -> str:
    """Table that has a row for such a frame, "" if there is none."""
    if kind == FrameKind.REST:
        return ""
    for table, of in FRAMES.items():
        if of == KINDS[kind] and any(row_place(side, table, name) is not None for side in sides):
            return table
    return ""
