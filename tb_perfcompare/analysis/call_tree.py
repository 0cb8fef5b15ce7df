"""Owned time by who called what: the third way to split the step that closes, for flame graphs (docs/call_tree.md).

An event stands below the innermost operator that it belongs to, operators below each other by time, and the outermost
operator of a module below the module: a path reads module, operator, call or device work. An operator that encloses
whole modules (the wrapper of a parallel module) holds only what is in none of these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.entities import Owners
from tb_perfcompare.analysis.nesting import by_level
from tb_perfcompare.analysis.owned_modules import ModulePaths
from tb_perfcompare.analysis.owned_parts import UNKNOWN_LAUNCH
from tb_perfcompare.analysis.small_frames import LargestFrames
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.call_tree import WHOLE, CallTree, FrameKey, FrameKind, tree_of_cells
from tb_perfcompare.model.split_time import add_cells, distinct
from tb_perfcompare.model.summary import NOBODY, StepCategory

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

MOST_FRAMES = 8_000
"""A recording with more frames than this keeps the largest; the others stand together, in each frame for itself."""

_WHOLE, _LOST, _NOBODY = 0, 1, 2
"""Nodes that are always there: everything, work whose launch was not recorded, and instants at which nothing was."""


def call_tree(timeline: Timeline, owners: Owners, paths: ModulePaths | None, step: Ints) -> CallTree | None:
    """The frames with any owned time; `step` (n,) is each event's step or -1. None if the trace has no operators."""
    if not timeline.is_operator.any():
        return None
    shares = owners.shares
    gap = shares.gap_end - shares.gap_start
    own = np.bincount(shares.claim, weights=shares.time_ns, minlength=len(owners.row)).astype(np.int64)
    begins = step[owners.row] >= 0
    nodes = _nodes(timeline, owners, paths, own > 0, begins)
    size = len(nodes.parent)
    seen = np.flatnonzero(nodes.of_owner >= 0)
    total = np.bincount(nodes.of_owner[seen], weights=own[seen], minlength=size).astype(np.int64)
    total[_NOBODY] += int(gap.sum())
    first = np.full(size, np.iinfo(np.int64).max)
    np.minimum.at(first, nodes.of_owner[seen], timeline.events.start_ns[owners.row[seen]])
    if len(gap):
        first[_NOBODY] = int(shares.gap_start.min())
    kept = LargestFrames(nodes.parent, nodes.depth, total, first, MOST_FRAMES)
    frame = np.append(kept.frame_of, -1).astype(np.int32)[nodes.of_owner]
    called = np.flatnonzero(begins & nodes.is_call & (frame >= 0))
    frames = kept.frames(nodes.keys)
    del nodes, own, seen  # what follows needs the room
    nobody = np.full(len(gap), kept.frame_of[_NOBODY])
    cells = add_cells(
        len(frames),
        [(frame[shares.claim], shares.step, shares.time_ns), (nobody, shares.gap_step, gap)],
        [(frame[called], step[owners.row[called]], np.ones(len(called), dtype=np.int8))],
    )
    return tree_of_cells(frames, kept.merged, cells)


@dataclass(frozen=True, slots=True, eq=False)
class _Nodes:
    """Every frame that occurs, k of them; 0 is the whole.

    parent    (k,) -1 for the whole
    depth     (k,)
    kind      (k,) FrameKind
    entity    (k,) of the owners; below zero a place in `names`, counted from -1 on
    of_owner  (m,) node of each owner, -1 where neither it nor its place has any time
    is_call   (m,) bool the owner counts as a call of its node
    """

    parent: Ints
    depth: Ints
    kind: NDArray[np.int8]
    entity: Ints
    of_owner: Ints
    is_call: Flags
    names: list[str]
    owners: Owners

    def keys(self, nodes: Ints) -> list[FrameKey]:
        """The frames of some nodes."""
        entity, kind = self.entity[nodes].tolist(), self.kind[nodes].tolist()
        names, key, category = self.names, self.owners.key, self.owners.category.tolist()
        other = StepCategory.OTHER
        return [
            WHOLE if k == FrameKind.WHOLE else (k, other, names[-1 - e]) if e < 0 else (k, category[e], key[e])
            for k, e in zip(kind, entity, strict=True)
        ]


class _Growing:
    """Nodes as they are found: columns of _Nodes, part by part."""

    def __init__(self, entities: int) -> None:
        self._entities = max(1, entities)
        self.parent = np.array([-1, 0, 0])
        self.depth = np.array([0, 1, 1])
        self.kind = np.array([FrameKind.WHOLE, FrameKind.OTHER, FrameKind.OTHER], dtype=np.int8)
        self.entity = np.array([-1, -1, -2])

    def add(self, parent: Ints, entity: Ints, kind: FrameKind, depth: Ints | None = None) -> None:
        """Nodes below others that are there, or, where their depth is given, below each other."""
        self.depth = np.concatenate([self.depth, self.depth[parent] + 1 if depth is None else depth])
        self.parent = np.concatenate([self.parent, parent])
        self.entity = np.concatenate([self.entity, entity])
        self.kind = np.concatenate([self.kind, np.full(len(parent), kind, dtype=np.int8)])

    def below(self, parent: Ints, entity: Ints, kind: FrameKind) -> Ints:
        """(q,) node of each pair; a new one for each pair that is different."""
        size = len(self.parent)
        pair = parent * self._entities
        pair += entity
        code, at = distinct(pair, size * self._entities)
        self.add(*np.divmod(code, self._entities), kind)
        at += size
        return at


class _Operators:
    """The forest of host operators as frames: h rows, and a last one that stands for none.

    of_owner  (m,) row that an owner is or belongs to, in its own module, -1 without
    is_own    (m,) bool it is that row itself
    repeats   (m,) bool a call nested alone in one of the same name, which counts as that one
    around    (h + 1,) row of the operator around each in the same module, -1 without
    depth     (h + 1,) number of operators around it in the same module
    path      (h + 1,) module, None where the trace has none
    entity    (h + 1,)
    """

    def __init__(self, timeline: Timeline, owners: Owners, path: Ints | None) -> None:
        rows, forest = owners.row, timeline.host
        self.entity, self.path = self._of_rows(timeline, owners, path)
        top = forest.top
        if self.path is not None:
            top = np.where(self.path[top] == self.path[:-1], top, np.arange(len(top)))
        top = np.append(top, -1)
        self.around = np.append(self._in(top[forest.parent], None if self.path is None else self.path[:-1]), -1)
        self.depth = np.append(forest.depth, -1)
        if self.path is not None or forest.merged.any():
            for level in by_level(forest.depth):
                self.depth[level] = self.depth[self.around[level]] + 1
        place = np.full(len(timeline.events) + 1, -1, dtype=np.int32)
        place[forest.row] = np.arange(len(forest.row), dtype=np.int32)
        own = place[rows]
        self.is_own = own >= 0
        self.repeats = self.is_own & (top[own] != own)
        self.of_owner = self._in(top[np.where(self.is_own, own, place[timeline.operator[rows]])], path)

    @staticmethod
    def _of_rows(timeline: Timeline, owners: Owners, path: Ints | None) -> tuple[Ints, Ints | None]:
        """((h + 1,) entity, (h + 1,) module) of each row."""
        owner = np.full(len(timeline.events), -1, dtype=np.int32)
        owner[owners.row] = np.arange(len(owners.row), dtype=np.int32)
        mine = owner[timeline.host.row]
        return np.append(owners.entity[mine], -1), None if path is None else np.append(path[mine], -1)

    def _in(self, rows: Ints, path: Ints | None) -> Ints:
        """These rows, where they are in that module."""
        return rows if self.path is None else np.where(self.path[rows] == path, rows, -1)

    def levels(self, wanted: Ints) -> list[Ints]:
        """These rows and those around them, by depth, the outermost first."""
        used = np.zeros(len(self.around), dtype=np.bool_)
        used[wanted] = True
        levels = []
        for level in reversed(by_level(self.depth[:-1])):
            used[-1] = False
            levels.append(level[used[level]])
            used[self.around[levels[-1]]] = True
        return levels[::-1]


def _nodes(timeline: Timeline, owners: Owners, paths: ModulePaths | None, timed: Flags, begins: Flags) -> _Nodes:
    """`timed` (m,): owners of any time; `begins` (m,): owners that start in a step."""
    rows = owners.row
    grown = _Growing(len(owners.key))
    names = [UNKNOWN_LAUNCH, NOBODY]
    path, home = None, np.zeros(1, dtype=np.int64)
    if paths is not None:
        path = paths.of_owner
        home = np.arange(len(paths.name)) + len(grown.parent)
        depth: list[int] = []
        for upper in paths.above:
            depth.append(depth[upper] + 1 if upper >= 0 else 1)
        above = np.array(paths.above, dtype=np.int64)
        number = -1 - len(names) - np.arange(len(above))
        grown.add(np.where(above >= 0, home[above], 0), number, FrameKind.MODULE, np.array(depth, dtype=np.int64))
        names += paths.name

    operators = _Operators(timeline, owners, path)
    at = operators.of_owner
    node_of = np.full(len(operators.around), -1, dtype=np.int64)
    for level in operators.levels(at[timed & (at >= 0)]):
        around = operators.around[level]
        outermost = _WHOLE if operators.path is None else home[operators.path[level]]
        parent = np.where(around >= 0, node_of[around], outermost)
        node_of[level] = grown.below(parent, operators.entity[level], FrameKind.OPERATOR)

    node = np.where(operators.is_own, node_of[at], -1)
    leaf = ~operators.is_own & (timed | begins)
    counts = ~operators.repeats
    del operators  # what follows needs the room
    if paths is not None:
        calls = np.flatnonzero(paths.is_call)
        node[calls] = home[paths.of_owner[calls]]
        leaf &= ~paths.is_call
    device, api = timeline.is_device[rows], timeline.is_api[rows]
    for kind, chosen in (
        (FrameKind.DEVICE, device), (FrameKind.CALL, api), (FrameKind.OTHER, ~device & ~api),
    ):  # fmt: skip
        found = np.flatnonzero(leaf & chosen)
        parent = np.where(at[found] >= 0, node_of[at[found]], _WHOLE if path is None else home[path[found]])
        if kind == FrameKind.DEVICE:
            parent[(timeline.launcher[rows[found]] < 0) & (timeline.operator[rows[found]] < 0)] = _LOST
        if (parent < 0).any():
            found, parent = found[parent >= 0], parent[parent >= 0]
        node[found] = grown.below(parent, owners.entity[found], kind)
    return _Nodes(
        grown.parent, grown.depth, grown.kind, grown.entity, node, counts, names, owners
    )
