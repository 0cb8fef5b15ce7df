"""Owned time by call path, for flame graphs; it sums to the step (docs/method/ledger.md).

A path reads module, operator, call or device work: an event is below the innermost operator it belongs to, operators
nest by time, and the outermost operator of a module is below that module. An operator that encloses whole modules (the
wrapper of a parallel module) holds only the time outside these modules.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.attribution.entities import Owners
from tb_perfcompare.analysis.attribution.largest_frames import LargestFrames
from tb_perfcompare.analysis.attribution.owned_modules import ModulePaths
from tb_perfcompare.analysis.columns.grouping import added_cells
from tb_perfcompare.analysis.columns.numbering import gather, numbered_pairs, rows_where, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import UNKNOWN_LAUNCH
from tb_perfcompare.analysis.columns.paths import found_paths
from tb_perfcompare.analysis.entities.operators import forest_rows
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Ints32, NodeIndex, StepIndex, chunks, places_of
from tb_perfcompare.model.summary.call_tree import WHOLE, CallTree, FrameKey, FrameKind, tree_of_cells
from tb_perfcompare.model.summary.categories import NOTHING_RECORDED, StepCategory
from tb_perfcompare.quick_dataclass import dataclass

MAX_FRAMES = 8_000
"""Largest number of frames kept; the smaller children of a frame are merged into one."""

NODE_ROOT, NODE_UNKNOWN_LAUNCH, _NODE_IDLE = 0, 1, 2
"""Nodes that always exist: the whole, work with an unrecorded launch, and time without any recorded event."""


def call_tree(
    timeline: InterpretedTrace, owners: Owners, paths: ModulePaths | None, step: StepIndex, steps: int
) -> CallTree | None:
    """Builds the tree of all frames with owned time or calls. None if the trace has no operators.

    `step` (n,) is each event's step or -1.
    """
    if not timeline.is_operator.any():
        return None
    shares = owners.shares
    gap = shares.gap_end - shares.gap_start
    timed = np.zeros(len(owners.row), dtype=np.bool_)
    for chunk in chunks(len(shares.claim)):
        timed[shares.claim[chunk]] = True
    begins = gather(step, owners.row) >= 0
    nodes = frame_nodes(timeline, owners, paths, timed, begins)
    count = len(nodes.parent)
    # of frames without time, those with calls are kept: calls that the device hides count, too
    size = scatter_add((nodes.of_owner, shares.claim), count, value=shares.time_ns)[:, 0]
    size = size + scatter_add((nodes.of_owner, rows_where(begins)), count)[:, 0]
    size[_NODE_IDLE] += int(gap.sum())
    first = np.full(count + 1, np.iinfo(np.int64).max)  # the last entry is for owners without a node
    for chunk in chunks(len(owners.row)):
        np.minimum.at(first, nodes.of_owner[chunk], gather(timeline.events.start_ns, owners.row[chunk]))
    first = first[:-1]
    if len(gap):
        first[_NODE_IDLE] = int(shares.gap_start.min())
    largest = LargestFrames(nodes.parent, nodes.depth, size, first, MAX_FRAMES)
    frame = gather(np.append(largest.frame_of, -1).astype(np.int32), nodes.of_owner)
    called = np.where(nodes.is_call, frame, np.int32(-1))
    frames = largest.frames(nodes.keys)
    del nodes  # frees memory for the next steps
    idle = np.full(len(gap), largest.frame_of[_NODE_IDLE])
    cells = added_cells(
        len(frames),
        steps,
        [((frame, shares.claim), shares.step, shares.time_ns), (idle, shares.gap_step, gap)],
        [(called, (step, owners.row), None)],
    )
    return tree_of_cells(frames, largest.merged, cells)


@dataclass(frozen=True, slots=True, eq=False)
class FrameNodes:
    """All k frames; node 0 is the whole.

    parent    (k,) -1 for the whole
    depth     (k,)
    kind      (k,) FrameKind
    entity    (k,) entity of the owners; a negative e means names[-1 - e]
    of_owner  (m,) node of each owner, -1 for those without time that start outside the steps
    is_call   (m,) bool the owner counts as a call of its node
    """

    parent: NodeIndex
    depth: Ints
    kind: NDArray[np.int8]
    entity: Ints
    of_owner: NodeIndex
    is_call: Flags
    names: list[str]
    owners: Owners

    def keys(self, nodes: NodeIndex) -> list[FrameKey]:
        """Returns the frame keys of these nodes."""
        entity, kind = self.entity[nodes], self.kind[nodes]
        names, key, whole, other = self.names, self.owners.key, FrameKind.WHOLE, StepCategory.OTHER
        columns = (np.append(column, 0)[np.maximum(entity, -1)].tolist() for column in (self.owners.category, key.code))
        texts = key.pool.texts
        return [
            WHOLE if k == whole else (k, other, names[-1 - e]) if e < 0 else (k, c, texts[text])
            for k, e, c, text in zip(kind.tolist(), entity.tolist(), *columns, strict=True)
        ]


class GrowingNodes:
    """Columns of FrameNodes under construction; nodes are appended part by part."""

    def __init__(self, entities: int) -> None:
        self._entities = max(1, entities)
        self.parent = np.array([-1, 0, 0])
        self.depth = np.array([0, 1, 1])
        self.kind = np.array([FrameKind.WHOLE, FrameKind.OTHER, FrameKind.OTHER], dtype=np.int8)
        self.entity = np.array([-1, -1, -2])

    def add(self, parent: AnyInts, entity: AnyInts, kind: FrameKind, depth: AnyInts | None = None) -> None:
        """Appends nodes. Parents must exist already, unless `depth` is given; then new nodes may be parents too."""
        self.depth = np.concatenate([self.depth, self.depth[parent] + 1 if depth is None else depth])
        self.parent = np.concatenate([self.parent, parent])
        self.entity = np.concatenate([self.entity, entity])
        self.kind = np.concatenate([self.kind, np.full(len(parent), kind, dtype=np.int8)])

    def below(self, parent: AnyInts, entity: AnyInts, kind: FrameKind) -> Ints32:
        """(q,) Appends a node for each distinct (parent, entity) pair and returns the node of each pair."""
        size = len(self.parent)
        code, at = numbered_pairs(parent, size, entity, self._entities)
        del parent, entity  # frees both columns if the caller keeps no reference
        self.add(*np.divmod(code, self._entities), kind)
        return at + np.int32(size)


class _Operators:
    """The forest of host operators as frames: h rows, and a last one that means none.

    of_owner  (m,) row of the operator that an owner is or belongs to, within its own module; -1 without
    is_own    (m,) bool the owner is that operator itself
    repeats   (m,) bool the only child of an operator of the same name; both count as one call
    around    (h + 1,) row of the operator around each in the same module, -1 without
    path      (h + 1,) module, None if the trace has none
    entity    (h + 1,)
    """

    def __init__(self, timeline: InterpretedTrace, owners: Owners, path: Ints32 | None) -> None:
        rows, forest = owners.row, timeline.host
        self.entity, self.path = self._of_rows(timeline, owners, path)
        top = forest.top
        if self.path is not None:
            top = np.where(gather(self.path, top) == self.path[:-1], top, np.arange(len(top), dtype=np.int32))
        top = np.append(top, np.int32(-1))
        around = self._in(gather(top, forest.parent), None if self.path is None else self.path[:-1])
        self.around = np.append(around, np.int32(-1))
        place = forest_rows(timeline)
        self.is_own, self.repeats = np.empty(len(rows), dtype=np.bool_), np.empty(len(rows), dtype=np.bool_)
        self.of_owner = np.empty(len(rows), dtype=np.int32)
        for chunk in chunks(len(rows)):
            own = gather(place, rows[chunk])
            self.is_own[chunk] = own >= 0
            self.repeats[chunk] = self.is_own[chunk] & (gather(top, own) != own)
            within = np.where(own >= 0, own, gather(place, gather(timeline.operator, rows[chunk])))
            self.of_owner[chunk] = self._in(gather(top, within), None if path is None else path[chunk])

    @staticmethod
    def _of_rows(timeline: InterpretedTrace, owners: Owners, path: Ints32 | None) -> tuple[Ints32, Ints32 | None]:
        """((h + 1,) entity, (h + 1,) module) of each row."""
        of_row = gather(places_of(owners.row, len(timeline.events)), timeline.host.row)
        none = np.int32(-1)
        entity = np.append(gather(owners.entity, of_row), none)
        return entity, None if path is None else np.append(gather(path, of_row), none)

    def _in(self, rows: Ints32, path: Ints32 | None) -> Ints32:
        """Keeps the rows that are in the given module; -1 for others."""
        return rows if self.path is None else np.where(gather(self.path, rows) == path, rows, np.int32(-1))


def frame_nodes(
    timeline: InterpretedTrace, owners: Owners, paths: ModulePaths | None, timed: Flags, begins: Flags
) -> FrameNodes:
    """Builds the nodes of all frames.

    timed   (m,) bool owners with time
    begins  (m,) bool owners that start in a step
    """
    rows = owners.row
    grown = GrowingNodes(len(owners.key))
    names = [UNKNOWN_LAUNCH, NOTHING_RECORDED]
    path, home = None, np.zeros(1, dtype=np.int32)
    if paths is not None:
        path, home = paths.of_owner, _module_nodes(grown, paths, len(names))
        names += paths.name
    operators = _Operators(timeline, owners, path)
    operator_of = operators.of_owner
    node_of = _operator_nodes(grown, operators, timed | begins, home)
    node = gather(node_of, operator_of)
    node[~operators.is_own] = -1
    leaf = ~operators.is_own & (timed | begins)
    counts = ~operators.repeats
    del operators  # frees memory for the next steps
    if paths is not None:
        calls = np.flatnonzero(paths.is_call)
        node[calls] = home[paths.of_owner[calls]]
        leaf &= ~paths.is_call
    device = gather(timeline.is_device, rows)
    _set_parents_of_leaves(node, leaf, operator_of, node_of, None if path is None else (home, path))
    del operator_of
    work = rows_where(leaf & device)
    has_no_launch = (timeline.launcher[rows[work]] < 0) & (timeline.operator[rows[work]] < 0)
    node[work[has_no_launch]] = NODE_UNKNOWN_LAUNCH
    leaf &= node >= 0
    leaves = [(FrameKind.DEVICE, rows_where(leaf & device))]
    leaf &= ~device
    del device
    api = gather(timeline.is_api, rows)
    leaves.append((FrameKind.CALL, rows_where(leaf & api)))
    leaf &= ~api
    del api
    leaves.append((FrameKind.OTHER, rows_where(leaf)))
    for kind, members in leaves:
        below = grown.below(gather(node, members), gather(owners.entity, members), kind)
        for chunk in chunks(len(members)):
            node[members[chunk]] = below[chunk]
    return FrameNodes(grown.parent, grown.depth, grown.kind, grown.entity, node, counts, names, owners)


def _module_nodes(grown: GrowingNodes, paths: ModulePaths, named: int) -> Ints32:
    """Appends a node for each module, whose names follow the `named` ones; returns the modules' nodes."""
    home = np.arange(len(paths.name), dtype=np.int32) + np.int32(len(grown.parent))
    depth: list[int] = []
    for upper in paths.above:
        depth.append(depth[upper] + 1 if upper >= 0 else 1)
    above = np.array(paths.above, dtype=np.int64)
    number = -1 - named - np.arange(len(above))
    grown.add(np.where(above >= 0, home[above], 0), number, FrameKind.MODULE, np.array(depth, dtype=np.int64))
    return home


def _operator_nodes(grown: GrowingNodes, operators: _Operators, shown: Flags, home: Ints32) -> Ints32:
    """Appends a node for each path of operators around a `shown` (m,) owner; returns (h + 1,) the node of each row of
    `operators`, -1 without one. `home`: the modules' nodes."""
    wanted = np.zeros(len(operators.around), dtype=np.bool_)
    for chunk in chunks(len(shown)):
        wanted[operators.of_owner[chunk][shown[chunk]]] = True  # the last entry is for owners without an operator
    root = np.array([NODE_ROOT], dtype=np.int32)
    outermost = np.broadcast_to(root, wanted.shape) if operators.path is None else home[operators.path]
    found = found_paths(operators.around[:-1], outermost[:-1], operators.entity[:-1], wanted[:-1], grown.depth)
    grown.add(found.parent, found.key, FrameKind.OPERATOR, found.depth)
    return np.append(found.node, np.int32(-1))


def _set_parents_of_leaves(
    node: NodeIndex, leaf: Flags, at: Ints32, node_of: NodeIndex, modules: tuple[Ints32, Ints32] | None
) -> None:
    """Sets each leaf's entry to its parent node: the node of its operator, else of its module."""
    for chunk in chunks(len(node)):
        outside = NODE_ROOT if modules is None else gather(modules[0], modules[1][chunk])
        above = np.where(at[chunk] >= 0, gather(node_of, at[chunk]), outside)
        is_leaf = leaf[chunk]
        node[chunk][is_leaf] = above[is_leaf]
