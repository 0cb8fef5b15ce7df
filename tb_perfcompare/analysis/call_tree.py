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
from tb_perfcompare.analysis.operators import merged_calls
from tb_perfcompare.analysis.owned_modules import ModulePaths
from tb_perfcompare.analysis.owned_parts import UNKNOWN_LAUNCH
from tb_perfcompare.analysis.small_frames import LargestFrames
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.call_tree import WHOLE, CallTree, FrameKey, FrameKind, tree_of
from tb_perfcompare.model.split_time import distinct
from tb_perfcompare.model.summary import NOBODY, StepCategory

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

MOST_FRAMES = 8_000
"""A recording with more frames than this keeps the largest; the others stand together, in each frame for itself."""

_LOST, _NOBODY = 1, 2
"""Nodes that are always there: work whose launch was not recorded, and instants at which nothing was."""


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
    frame = np.append(kept.frame_of, -1)[nodes.of_owner]
    called = np.flatnonzero(begins & nodes.is_call & (frame >= 0))
    return tree_of(
        kept.frames(nodes.key),
        kept.merged,
        np.concatenate([frame[shares.claim], np.full(len(gap), kept.frame_of[_NOBODY]), frame[called]]),
        np.concatenate([shares.step, shares.gap_step, step[owners.row[called]]]),
        np.concatenate([shares.time_ns, gap, np.zeros(len(called), dtype=np.int64)]),
        np.repeat(np.array([0, 1]), [len(shares.claim) + len(gap), len(called)]),
    )


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

    def key(self, node: int) -> FrameKey:
        """The frame of a node."""
        entity, kind = int(self.entity[node]), int(self.kind[node])
        if kind == FrameKind.WHOLE:
            return WHOLE
        if entity < 0:
            return kind, StepCategory.OTHER, self.names[-1 - entity]
        return kind, int(self.owners.category[entity]), self.owners.key[entity]


class _Growing:
    """Nodes as they are found: columns of _Nodes, part by part."""

    def __init__(self, entities: int) -> None:
        self._entities = max(1, entities)
        self.parent = np.array([-1, 0, 0])
        self.depth = np.array([0, 1, 1])
        self.kind = np.array([FrameKind.WHOLE, FrameKind.OTHER, FrameKind.OTHER], dtype=np.int8)
        self.entity = np.array([-1, -1, -2])

    def add(self, parent: Ints, entity: Ints, kind: FrameKind) -> None:
        """Nodes below others that are there."""
        self.depth = np.concatenate([self.depth, self.depth[parent] + 1])
        self.parent = np.concatenate([self.parent, parent])
        self.entity = np.concatenate([self.entity, entity])
        self.kind = np.concatenate([self.kind, np.full(len(parent), kind, dtype=np.int8)])

    def below(self, parent: Ints, entity: Ints, kind: FrameKind) -> Ints:
        """(q,) node of each pair; a new one for each pair that is different."""
        size = len(self.parent)
        code, at = distinct(parent * self._entities + entity, size * self._entities)
        self.add(*np.divmod(code, self._entities), kind)
        return at + size


class _Operators:
    """The forest of host operators as frames: h rows, and a last one that stands for none.

    of_owner  (m,) row that an owner is or belongs to, in its own module, -1 without
    is_own    (m,) bool it is that row itself
    repeats   (m,) bool a call nested alone in one of the same name, which counts as that one
    around    (h + 1,) row of the operator around each in the same module, -1 without
    depth     (h + 1,) number of operators around it in the same module
    path      (h + 1,) module
    entity    (h + 1,)
    """

    def __init__(self, timeline: Timeline, owners: Owners, path: Ints) -> None:
        rows, forest = owners.row, timeline.host
        owner = np.full(len(timeline.events), -1, dtype=np.int64)
        owner[rows] = np.arange(len(rows))
        mine = owner[forest.row]
        self.path, self.entity = np.append(path[mine], -1), np.append(owners.entity[mine], -1)
        _, top = merged_calls(timeline, forest)
        here = np.arange(len(top))
        top = np.append(np.where(self.path[top] == self.path[:-1], top, here), -1)
        self.around = np.append(self._in(top[forest.parent], self.path[:-1]), -1)
        self.depth = np.full(len(self.around), -1, dtype=np.int64)
        for level in _by_depth(forest.depth):
            self.depth[level] = self.depth[self.around[level]] + 1
        place = np.full(len(timeline.events) + 1, -1, dtype=np.int64)
        place[forest.row] = here
        self.is_own = place[rows] >= 0
        self.repeats = self.is_own & (top[place[rows]] != place[rows])
        self.of_owner = self._in(top[np.where(self.is_own, place[rows], place[timeline.operator[rows]])], path)

    def _in(self, rows: Ints, path: Ints) -> Ints:
        """These rows, where they are in that module."""
        return np.where(self.path[rows] == path, rows, -1)

    def levels(self, wanted: Ints) -> list[Ints]:
        """These rows and those around them, by depth, the outermost first."""
        used = np.zeros(len(self.around), dtype=np.bool_)
        used[wanted] = True
        levels = []
        for level in reversed(_by_depth(self.depth[:-1])):
            used[-1] = False
            levels.append(level[used[level]])
            used[self.around[levels[-1]]] = True
        return levels[::-1]


def _by_depth(depth: Ints) -> list[Ints]:
    """Rows of each depth."""
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.searchsorted(depth[order], np.arange(1, int(depth.max(initial=0)) + 1)))


def _nodes(timeline: Timeline, owners: Owners, paths: ModulePaths | None, timed: Flags, begins: Flags) -> _Nodes:
    """`timed` (m,): owners of any time; `begins` (m,): owners that start in a step."""
    rows = owners.row
    grown = _Growing(len(owners.key))
    names = [UNKNOWN_LAUNCH, NOBODY]
    path, home = np.zeros(len(rows), dtype=np.int64), np.zeros(1, dtype=np.int64)
    is_module = np.zeros(len(rows), dtype=np.bool_)
    if paths is not None:
        path, is_module = paths.of_owner, paths.is_call
        home = np.arange(len(paths.name)) + len(grown.parent)
        for above, name in zip(paths.above, paths.name, strict=True):
            names.append(name)
            upper = home[above : above + 1] if above >= 0 else np.zeros(1, dtype=np.int64)
            grown.add(upper, np.array([-len(names)]), FrameKind.MODULE)

    operators = _Operators(timeline, owners, path)
    at = operators.of_owner
    node_of = np.full(len(operators.around), -1, dtype=np.int64)
    for level in operators.levels(at[timed & (at >= 0)]):
        around = operators.around[level]
        parent = np.where(around >= 0, node_of[around], home[operators.path[level]])
        node_of[level] = grown.below(parent, operators.entity[level], FrameKind.OPERATOR)

    node = np.where(is_module, home[path], np.where(operators.is_own, node_of[at], -1))
    device, api = timeline.is_device[rows], timeline.is_api[rows]
    parent = np.where(at >= 0, node_of[at], home[path])
    parent[device & (timeline.launcher[rows] < 0) & (timeline.operator[rows] < 0)] = _LOST
    leaf = ~operators.is_own & ~is_module & (timed | begins) & (parent >= 0)
    for kind, chosen in (
        (FrameKind.DEVICE, device), (FrameKind.CALL, api), (FrameKind.OTHER, ~device & ~api),
    ):  # fmt: skip
        found = np.flatnonzero(leaf & chosen)
        node[found] = grown.below(parent[found], owners.entity[found], kind)
    return _Nodes(
        grown.parent, grown.depth, grown.kind, grown.entity, node, ~operators.repeats, names, owners
    )
