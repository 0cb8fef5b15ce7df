"""Callers of each operator, kernel and module: by modules and operators, and by Python functions.

Like the call tree (call_tree.py), but with the times that the tables show instead of exposed time: an operator's own
frame has its host self time, a LAUNCHED frame below it the device work it launched, a kernel's frame the durations of
its launches, a module's its self time. Frames with one name therefore sum to the row of that name. Built only when
callers of rows are requested; ordinary summaries have none (docs/method/ledger.md).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.attribution.call_tree import NODE_ROOT, NODE_UNKNOWN_LAUNCH, GrowingNodes, frame_nodes
from tb_perfcompare.analysis.attribution.entities import Owners
from tb_perfcompare.analysis.attribution.largest_frames import LargestFrames
from tb_perfcompare.analysis.attribution.owned_modules import ModulePaths
from tb_perfcompare.analysis.columns.operator_keys import UNKNOWN_LAUNCH
from tb_perfcompare.analysis.entities.modules import module_name, module_self_times
from tb_perfcompare.analysis.entities.operators import device_self_times, forest_rows, host_self_times
from tb_perfcompare.analysis.entities.python_stacks import PythonStacks, python_stacks
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, NodeIndex, StepIndex, places_of
from tb_perfcompare.model.summary.call_tree import MIXED, WHOLE, CallTree, FrameKey, FrameKind, tree_of_cells
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.split_time import add_cells
from tb_perfcompare.model.summary.summary import BY_OPERATOR, BY_PYTHON
from tb_perfcompare.quick_dataclass import dataclass

MAX_PATHS = 20_000
"""Largest number of frames in a tree; smaller ones are merged, and rows then have a remainder."""

_Keys = Callable[[Ints], list[FrameKey]]

_LAUNCHED: FrameKey = (FrameKind.LAUNCHED, MIXED, "device work")


def call_paths(
    timeline: InterpretedTrace, owners: Owners, modules: ModulePaths | None, step: StepIndex
) -> dict[str, CallTree]:
    """Returns the trees BY_OPERATOR and, if the trace has Python functions or call stacks, BY_PYTHON.

    `step` (n,) is each event's step or -1. Empty if the trace has no operators.
    """
    if not timeline.is_operator.any():
        return {}
    shown = _shown(timeline, owners, step)
    trees = {BY_OPERATOR: _by_operator(timeline, owners, modules, shown)}
    stacks = python_stacks(timeline)
    if stacks is not None:
        trees[BY_PYTHON] = _by_python(timeline, owners, stacks, shown)
    return trees


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """Per owner (m,), the figures that the tables show; zero outside steps.

    time      nanoseconds
    launched  nanoseconds of device work that an operator launched itself
    calls     1 if the owner counts as a call, else 0
    step      its step, or -1
    first     its start, ns
    """

    time: Ints
    launched: Ints
    calls: Ints
    step: AnyInts
    first: Ints

    @property
    def any(self) -> Flags:
        return (self.time > 0) | (self.launched > 0) | (self.calls > 0)


def _shown(timeline: InterpretedTrace, owners: Owners, step: StepIndex) -> _Shown:
    events, rows, forest = timeline.events, owners.row, timeline.host
    time, launched, calls = (np.zeros(len(rows), dtype=np.int64) for _ in range(3))
    own = places_of(owners.row, len(events))
    in_step = step[rows] >= 0
    timed = in_step & (timeline.is_device[rows] | (owners.role == StepCategory.COMMUNICATION))
    time[timed], calls[timed] = events.dur_ns[rows[timed]], 1
    node_of = forest_rows(timeline)
    in_steps = np.flatnonzero(timeline.is_operator[forest.row] & (step[forest.row] >= 0))
    at = own[forest.row[in_steps]]
    time[at], calls[at] = host_self_times(timeline, node_of)[in_steps], ~forest.merged[in_steps]
    launched[at] = device_self_times(timeline, node_of)[in_steps]
    called, self_time = module_self_times(timeline, step)
    time[own[called]], calls[own[called]] = self_time, 1
    return _Shown(time, launched, calls, step[rows], events.start_ns[rows])


def _by_operator(timeline: InterpretedTrace, owners: Owners, modules: ModulePaths | None, shown: _Shown) -> CallTree:
    no_begins = np.zeros(len(owners.row), dtype=np.bool_)
    nodes = frame_nodes(timeline, owners, modules, shown.any, no_begins)
    parent, depth, _, of_launched = _with_launched(nodes.parent, nodes.depth, nodes.kind, nodes.of_owner, shown)
    own = len(nodes.parent)

    def keys(wanted: Ints) -> list[FrameKey]:
        inside = nodes.keys(np.where(wanted < own, wanted, 0))
        return [key if at < own else _LAUNCHED for at, key in zip(wanted.tolist(), inside, strict=True)]

    return _tree(parent, depth, nodes.of_owner, of_launched, shown, keys)


def _by_python(timeline: InterpretedTrace, owners: Owners, stacks: PythonStacks, shown: _Shown) -> CallTree:
    """The tree by Python functions; operators, device work and calls of modules are below the innermost one."""
    entities = len(owners.key)
    grown = GrowingNodes(entities + len(stacks.names))
    first = len(grown.parent)
    grown.add(
        np.where(stacks.parent >= 0, stacks.parent + first, NODE_ROOT), stacks.name + entities, FrameKind.PYTHON,
        stacks.depth + 1,
    )  # fmt: skip

    def node_of(place: AnyInts) -> Ints:
        """(q,) Node of each Python function, the root for -1."""
        return np.where(place >= 0, place + first, NODE_ROOT)

    node = np.full(len(owners.row), -1, dtype=np.int64)
    _add_operators(grown, node, timeline, owners, shown, lambda rows: node_of(stacks.place[rows]))
    called = np.flatnonzero(shown.any & np.isin(owners.row, stacks.modules))
    node[called] = grown.below(node_of(stacks.caller[owners.row[called]]), owners.entity[called], FrameKind.MODULE)
    parent, depth, kind, of_launched = _with_launched(grown.parent, grown.depth, grown.kind, node, shown)
    entity = np.append(grown.entity, np.zeros(len(parent) - len(grown.parent), grown.entity.dtype))

    def key(kind: int, entity: int) -> FrameKey:
        if kind == FrameKind.WHOLE:
            return WHOLE
        if kind == FrameKind.LAUNCHED:
            return _LAUNCHED
        if kind == FrameKind.PYTHON:
            return kind, MIXED, stacks.names[entity - entities]
        if entity < 0:
            return kind, StepCategory.OTHER, UNKNOWN_LAUNCH
        name = module_name(owners.key[entity]) if kind == FrameKind.MODULE else owners.key[entity]
        return kind, int(owners.category[entity]), name

    def keys(wanted: Ints) -> list[FrameKey]:
        return list(map(key, kind[wanted].tolist(), entity[wanted].tolist()))

    return _tree(parent, depth, node, of_launched, shown, keys)


def _add_operators(
    grown: GrowingNodes, node: Ints, timeline: InterpretedTrace, owners: Owners, shown: _Shown,
    around: Callable[[AnyInts], Ints],
) -> None:  # fmt: skip
    """Adds nodes of operators, with their device work, and of device work without an operator; enters them in `node`
    (m,). `around` returns the node of the innermost Python function around events."""
    rows, forest = owners.row, timeline.host
    outermost = np.full(len(timeline.events) + 1, -1, dtype=np.int64)
    outermost[forest.row] = forest.row[forest.top]
    own = places_of(rows, len(timeline.events))
    device = timeline.is_device[rows]
    # the operator itself, or the one that device work belongs to
    operator = outermost[np.where(device, timeline.operator[rows], rows)]
    inside = np.flatnonzero(shown.any & (operator >= 0))
    node[inside] = grown.below(around(operator[inside]), owners.entity[own[operator[inside]]], FrameKind.OPERATOR)
    work = inside[device[inside]]
    node[work] = grown.below(node[work], owners.entity[work], FrameKind.DEVICE)
    orphans = np.flatnonzero(shown.any & (operator < 0) & device)
    launcher = timeline.launcher[rows[orphans]]
    parent = np.full(len(orphans), NODE_UNKNOWN_LAUNCH, dtype=np.int64)
    parent[launcher >= 0] = around(launcher[launcher >= 0])
    node[orphans] = grown.below(parent, owners.entity[orphans], FrameKind.DEVICE)


def _with_launched(
    parent: NodeIndex, depth: Ints, kind: NDArray[np.int8], node: AnyInts, shown: _Shown
) -> tuple[Ints, Ints, NDArray[np.int8], Ints]:
    """Adds a LAUNCHED node below each operator that launched device work.

    Returns (parents, depths and kinds of all nodes, (m,) LAUNCHED node of each owner or -1).
    """
    launches = (shown.launched > 0) & (node >= 0)
    around, at = np.unique(node[launches], return_inverse=True)
    of_launched = np.full(len(node), -1, dtype=np.int64)
    of_launched[launches] = at + len(parent)
    kinds = np.full(len(around), FrameKind.LAUNCHED, dtype=np.int8)
    return np.append(parent, around), np.append(depth, depth[around] + 1), np.append(kind, kinds), of_launched


def _tree(parent: NodeIndex, depth: Ints, node: AnyInts, of_launched: Ints, shown: _Shown, keys: _Keys) -> CallTree:
    size = np.zeros(len(parent), dtype=np.int64)
    begin = np.full(len(parent), np.iinfo(np.int64).max)
    # a call weighs a nanosecond, so that calls without time get a frame too
    launched = of_launched, shown.launched, shown.launched, None
    parts = ((node, shown.time + shown.calls, shown.time, shown.calls), launched)
    for at, weight, _, _ in parts:
        weighted = np.flatnonzero((at >= 0) & (weight > 0))
        np.add.at(size, at[weighted], weight[weighted])
        np.minimum.at(begin, at[weighted], shown.first[weighted])
    largest = LargestFrames(parent, depth, size, begin, MAX_PATHS)
    frame_of = np.append(largest.frame_of, -1)
    timed, called = [], []
    for at, weight, time, calls in parts:
        weighted = np.flatnonzero((at >= 0) & (weight > 0) & (shown.step >= 0))
        timed.append((frame_of[at[weighted]], shown.step[weighted], time[weighted]))
        if calls is not None:
            called.append((frame_of[at[weighted]], shown.step[weighted], calls[weighted]))
    frames = largest.frames(keys)
    return tree_of_cells(frames, largest.merged, add_cells(len(frames), timed, called))
