"""Step time as a call tree: modules, the operators in them, their runtime calls and the device work below.

Every nanosecond of a step is the self time of exactly one frame, so self times over a subtree sum to its frame's time
and the root's time is the step (docs/method/ledger.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import AnyInts, Ints, Ints32, NameIndex, Nanoseconds
from tb_perfcompare.model.summary.split_time import SplitCells, add_cells
from tb_perfcompare.quick_dataclass import dataclass

MIXED = -1
"""Category of a frame whose self time has several categories, or that has no self time."""

SMALLER_FRAMES = "(smaller frames)"
"""Name of the frame that pools frames too small to list."""


class FrameKind(IntEnum):
    """Kind of a frame. REST pools the smaller frames among its siblings.

    Only in call paths (summary.py): PYTHON is a Python function; LAUNCHED is the device work launched by the enclosing
    operator, counted in the operator's step.
    """

    WHOLE = 0
    MODULE = 1
    OPERATOR = 2
    CALL = 3
    DEVICE = 4
    OTHER = 5
    REST = 6
    LAUNCHED = 7
    PYTHON = 8


FrameKey = tuple[int, int, str]
"""(FrameKind, StepCategory of self time or MIXED, name): distinguishes siblings and joins two runs."""

WHOLE: FrameKey = (FrameKind.WHOLE, MIXED, "step")
REST: FrameKey = (FrameKind.REST, MIXED, SMALLER_FRAMES)


@dataclass(frozen=True, slots=True, eq=False)
class CallTree:
    """Frames in depth-first order, and their times as a sparse n frames x s steps matrix with c cells.

    Siblings are in order of first execution. Frame 0 is the whole step. Cells that are not listed are zero.

    parent    (n,) int32 index of the parent frame, -1 for the root
    kind      (n,) int8 FrameKind
    category  (n,) int8 StepCategory of self time, MIXED for the root and for REST
    name      (n,) int32 index into names: a normalized name, which joins two runs
    names     texts
    merged    (n,) int64 number of frames pooled in a frame of kind REST, else 0
    frame     (c,) int32
    step      (c,) int32 index into the admitted steps
    time_ns   (c,) int64 self (exposed) time
    calls     (c,) int64 calls that start in the step
    """

    parent: Ints32
    kind: NDArray[np.int8]
    category: NDArray[np.int8]
    name: NameIndex
    names: tuple[str, ...]
    merged: Ints
    frame: Ints32
    step: Ints32
    time_ns: Nanoseconds
    calls: Ints

    def __len__(self) -> int:
        return len(self.parent)

    def keys(self) -> list[FrameKey]:
        names = self.names
        columns = zip(self.kind.tolist(), self.category.tolist(), self.name.tolist(), strict=True)
        return [(kind, category, names[name]) for kind, category, name in columns]

    def renamed(self, joins: Mapping[str, str], category: int, kinds: frozenset[FrameKind]) -> CallTree:
        """The tree with frames of these kinds and this category renamed; siblings may end up with equal names."""
        if not any(name in joins for name in self.names):
            return self
        names = {name: number for number, name in enumerate(self.names)}
        renamed = np.array([names.setdefault(joins.get(name, name), len(names)) for name in self.names], dtype=np.int32)
        chosen = np.isin(self.kind, [*kinds]) & (self.category == category)
        return replace(self, name=np.where(chosen, renamed[self.name], self.name), names=tuple(names))

    def without_modules(self, instead: FrameKey) -> CallTree:
        """The tree without modules.

        Their children move to the root, their self time to frames with the key `instead`.
        """
        module = self.kind == FrameKind.MODULE
        inside = (self.parent >= 0) & module[self.parent]
        kind, category, name = instead
        return replace(
            self,
            parent=np.where(module | inside, 0, self.parent).astype(np.int32),
            kind=np.where(module, kind, self.kind).astype(np.int8),
            category=np.where(module, category, self.category).astype(np.int8),
            name=np.where(module, len(self.names), self.name).astype(np.int32),
            names=(*self.names, name),
        )

    def own(self) -> tuple[Ints, Ints]:
        """(n,) self time in ns and (n,) calls over all steps."""
        n = len(self)
        return (
            np.bincount(self.frame, weights=self.time_ns, minlength=n).astype(np.int64),
            np.bincount(self.frame, weights=self.calls, minlength=n).astype(np.int64),
        )


@dataclass(frozen=True, slots=True)
class Frames:
    """The frames of several trees merged, in depth-first order."""

    parent: list[int]
    key: list[FrameKey]

    def __len__(self) -> int:
        return len(self.parent)


def union(trees: Sequence[CallTree]) -> tuple[Frames, list[Ints]]:
    """Merges trees: (all frames, for each tree its frames' indices among them).

    Siblings with the same key become one frame. A frame that earlier trees lack is placed after the sibling that it
    follows in its own tree.
    """
    merger = _TreeMerger()
    numbers = []
    for tree in trees:
        number = [0] * len(tree)
        merger.start()
        parents = tree.parent.tolist()
        for at, key in enumerate(tree.keys()):
            if at:
                number[at] = merger.child(number[parents[at]], key)
        numbers.append(number)
    frames, order = merger.walked()
    return frames, [order[np.array(number, dtype=np.int64)] for number in numbers]


class _TreeMerger:
    """The merged frames by parent and key, and each one's position among its siblings."""

    def __init__(self) -> None:
        self._parent = [-1]
        self._key = [WHOLE]
        self._place: list[tuple[int, ...]] = [()]
        self._index: dict[tuple[int, FrameKey], int] = {}
        self._before: dict[int, tuple[int, ...]] = {}
        self._first = True

    def start(self) -> None:
        self._first = not self._index
        self._before = {}

    def child(self, parent: int, key: FrameKey) -> int:
        """Index of the frame, which is added if it is new."""
        number = self._index.setdefault((parent, key), len(self._parent))
        if number == len(self._parent):
            self._parent.append(parent)
            self._key.append(key)
            self._place.append((number,) if self._first else (*self._before.get(parent, (-1,)), number))
        else:
            self._before[parent] = self._place[number]
        return number

    def walked(self) -> tuple[Frames, Ints]:
        """(frames in depth-first order, position of each index in that order)."""
        below: list[list[int]] = [[] for _ in self._parent]
        for number in range(len(self._parent) - 1, 0, -1):
            below[self._parent[number]].append(number)
        # frames that pool smaller ones come last, whichever tree they are from
        for numbers in below:
            if len(numbers) > 1:
                numbers.sort(key=lambda number: (self._key[number] == REST, self._place[number]), reverse=True)
        order = [0] * len(self._parent)
        frames = Frames([], [])
        waiting = [0]
        while waiting:
            number = waiting.pop()
            order[number] = len(frames)
            parent = self._parent[number]
            frames.parent.append(-1 if parent < 0 else order[parent])
            frames.key.append(self._key[number])
            waiting += below[number]
        return frames, np.array(order, dtype=np.int64)


def tree_of(
    frames: Frames, merged: Ints, frame: AnyInts, step: AnyInts, time_ns: Nanoseconds, calls: Ints
) -> CallTree:
    """Builds a tree from cells; values for the same frame and step are added."""
    return tree_of_cells(frames, merged, add_cells(len(frames), [(frame, step, time_ns)], [(frame, step, calls)]))


def tree_of_cells(frames: Frames, merged: Ints, cells: SplitCells) -> CallTree:
    """Builds a tree from cells whose rows are frames."""
    names: dict[str, int] = {}
    name = [names.setdefault(text, len(names)) for _, _, text in frames.key]
    return CallTree(
        parent=np.array(frames.parent, dtype=np.int32),
        kind=np.array([kind for kind, _, _ in frames.key], dtype=np.int8),
        category=np.array([category for _, category, _ in frames.key], dtype=np.int8),
        name=np.array(name, dtype=np.int32),
        names=tuple(names),
        merged=merged,
        frame=cells.row.astype(np.int32),
        step=cells.step.astype(np.int32),
        time_ns=cells.time_ns,
        calls=cells.calls,
    )
