"""Owned time by module: a second exact split of the step.

An event belongs to the innermost nn.Module call open on its thread when it starts, device work to the one open when it
was launched. Backward work runs outside such calls; the arrow from a forward operator to its backward operator assigns
it to the forward operator's module. (Definitions: docs/method/ledger.md.)
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.attribution.entities import Owners
from tb_perfcompare.analysis.columns.grouping import Cells, added_cells
from tb_perfcompare.analysis.columns.nesting import Nesting
from tb_perfcompare.analysis.columns.numbering import factorize, gather, numbered_pairs
from tb_perfcompare.analysis.columns.paths import found_paths
from tb_perfcompare.analysis.entities.modules import module_calls, module_name
from tb_perfcompare.analysis.entities.operators import forest_rows
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.threads import innermost_around, nested
from tb_perfcompare.model.arrays import (
    AnyInts,
    EventIndex,
    Flags,
    Ints,
    Ints32,
    NodeIndex,
    chunks,
    places_of,
    unique_first,
)
from tb_perfcompare.model.events import FlowTable
from tb_perfcompare.model.names.autograd_names import AUTOGRAD_RANGE
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, StepCategory
from tb_perfcompare.model.summary.split_time import SplitTime, listed
from tb_perfcompare.model.summary.summary import OUTSIDE_MODULES
from tb_perfcompare.model.texts import Coded, TextPool
from tb_perfcompare.quick_dataclass import dataclass

BACKWARD_OUTSIDE = "(backward, outside modules)"
"""Backward work that no arrow assigns to a module, such as the accumulation of gradients."""

MAX_KEYS = 20_000
"""Largest number of keys kept; smaller ones are pooled as SMALLER, one key per category."""

SMALLER = "(smaller modules)"

_OUTSIDE, _BACK = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class ModulePaths:
    """The module of every owner, as an index into p module paths; a path comes after the one it extends.

    text      (p) paths of names in the trace, `Net_0/Sequential_1/Conv2d_3`; the first two are OUTSIDE_MODULES and
              BACKWARD_OUTSIDE
    name      (p) last component of each path
    above     (p) index of the path without its last component, -1 at the top
    of_owner  (m,) int32 path of each owner
    is_call   (m,) bool the owner is itself a module call
    """

    text: list[str]
    name: list[str]
    above: list[int]
    of_owner: Ints32
    is_call: Flags


def module_paths(timeline: InterpretedTrace, owners: Owners, flows: FlowTable) -> ModulePaths | None:
    """Finds the module of every owner. None if the trace has no module calls."""
    calls = _calls(timeline)
    if calls is None:
        return None
    path = np.empty(len(owners.row), dtype=np.int32)
    for chunk in chunks(len(path)):
        path[chunk] = calls.path_of(timeline, owners.row[chunk])
    path[path < 0] = _backward_paths(timeline, calls, flows, owners.row[path < 0])
    return ModulePaths(calls.paths, calls.names, calls.above, path, gather(calls.node_of, owners.row) >= 0)


def modules_of(owners: Owners, paths: ModulePaths, rows: EventIndex) -> Coded:
    """Returns (index of the innermost module of each row, module names as in the table of modules).

    Rows must be among the owners, as all device work is.
    """
    used, number = factorize(gather(paths.of_owner, np.searchsorted(owners.row, rows)), len(paths.name))
    names: dict[str, int] = {}
    place = np.array([names.setdefault(paths.name[path], len(names)) for path in used.tolist()], dtype=np.int64)
    return place[number], TextPool(list(names))


def owned_modules(owners: Owners, paths: ModulePaths, steps: int) -> SplitTime:
    """Splits owned time by (module path, category label)."""
    shares = owners.shares
    kinds = len(CATEGORY_LABELS)
    code, part = numbered_pairs(paths.of_owner, len(paths.text), owners.role, kinds)
    index: dict[tuple[str, ...], int] = {}  # two paths can have the same text, as names may contain a slash
    keys = ((paths.text[c // kinds], CATEGORY_LABELS[c % kinds]) for c in code.tolist())
    part = gather(np.array([index.setdefault(key, len(index)) for key in keys], dtype=np.int32), part)
    outside = index.setdefault((OUTSIDE_MODULES, CATEGORY_LABELS[StepCategory.OTHER]), len(index))
    rest = np.full(len(shares.gap_step), outside, dtype=np.int32)
    timed: list[Cells] = [
        ((part, shares.claim), shares.step, shares.time_ns),
        (rest, shares.gap_step, shares.gap_end - shares.gap_start),
    ]
    cells = added_cells(len(index), steps, timed, []).named(listed(list(index)))
    return cells.largest(MAX_KEYS, lambda key: (SMALLER, key[1]))


@dataclass(frozen=True, slots=True, eq=False)
class _Calls:
    """k module calls.

    nesting    of the calls
    node_path  (k,) index of each call's path
    node_of    (n,) int32 index of an event's call, -1 if it is none
    paths, names, above  text, name and above of ModulePaths
    """

    nesting: Nesting
    node_path: NodeIndex
    node_of: NodeIndex
    paths: list[str]
    names: list[str]
    above: list[int]

    def path_of(self, timeline: InterpretedTrace, rows: EventIndex) -> Ints32:
        """(m,) Path of each event, -1 outside all module calls. A call is in its own module."""
        device = gather(timeline.is_device, rows)
        at = np.where(device, gather(timeline.launcher, rows), rows).astype(np.int32, copy=False)
        node = np.where(at >= 0, gather(self.node_of, at), np.int32(-1))
        # Threads without module calls, and device work with an unknown launch, need no search.
        has_calls = np.zeros(len(timeline.events.lanes), dtype=bool)
        has_calls[timeline.lane[self.nesting.order]] = True
        search = np.flatnonzero((at >= 0) & (node < 0) & gather(has_calls, gather(timeline.lane, at)))
        node[search] = innermost_around(timeline, self.nesting, at[search])
        path: Ints32 = np.where(node >= 0, gather(self.node_path, node), np.int32(-1))
        return path


def _calls(timeline: InterpretedTrace) -> _Calls | None:
    events = timeline.events
    called = module_calls(timeline)
    if not len(called):
        return None
    nesting = nested(timeline, called)
    rows = nesting.order
    node_of = places_of(rows, len(events))
    paths = [OUTSIDE_MODULES, BACKWARD_OUTSIDE]
    names, upper = list(paths), [-1, -1]
    every = np.ones(len(rows), dtype=np.bool_)
    tree = found_paths(nesting.parent, np.zeros_like(rows), events.name[rows], every, np.zeros(len(paths), np.int32))
    for parent, name, depth in zip(tree.parent.tolist(), tree.key.tolist(), tree.depth.tolist(), strict=True):
        own = module_name(events.strings[name])
        paths.append(f"{paths[parent]}/{own}" if depth > 1 else own)
        names.append(own)
        upper.append(parent if depth > 1 else -1)
    return _Calls(nesting, tree.node, node_of, paths, names, upper)


def _backward_paths(timeline: InterpretedTrace, calls: _Calls, flows: FlowTable, rows: EventIndex) -> Ints:
    """(m,) Path of events outside all module calls: that of the forward operator whose backward they belong to."""
    events, forest = timeline.events, timeline.host
    path_of_row = np.full(len(rows), _OUTSIDE, dtype=np.int64)
    at = np.where(timeline.is_device[rows], timeline.launcher[rows], rows)
    on_host = np.flatnonzero(at >= 0)
    asked = at[on_host]
    prefixed = [number for number, text in enumerate(events.strings.texts) if text.startswith(AUTOGRAD_RANGE)]
    if prefixed:
        roots = forest.row[np.isin(events.name[forest.row], prefixed)]
        is_inside = innermost_around(timeline, nested(timeline, roots), asked) >= 0
        path_of_row[on_host] = np.where(is_inside, _BACK, _OUTSIDE)
    target, path = _arrows(timeline, calls, flows)
    if len(target):
        nesting = nested(timeline, target)
        node = innermost_around(timeline, nesting, asked)
        path_of_node = path[np.searchsorted(target, nesting.order)]
        path_of_row[on_host] = np.where(node >= 0, path_of_node[node], path_of_row[on_host])
    return path_of_row


def _arrows(timeline: InterpretedTrace, calls: _Calls, flows: FlowTable) -> tuple[AnyInts, AnyInts]:
    """Returns (t,) rows of backward operators, ascending, and (t,) paths of their forward operators.

    An arrow has times but no thread: it starts at the operator inside a module that starts then, and ends at the
    operator outside all modules that starts then. An id that occurs twice at one end is ignored.
    """
    none = np.zeros(0, dtype=np.int64)
    leave, arrive = (_once(flows, flows.is_start == side) for side in (True, False))
    _, left, right = np.intersect1d(leave[0], arrive[0], assume_unique=True, return_indices=True)
    if not len(left):
        return none, none
    rows = timeline.host.row
    path = calls.path_of(timeline, rows)
    source = _outermost_starting_at(timeline, rows[path >= 0], leave[1][left])
    target = _outermost_starting_at(timeline, rows[path < 0], arrive[1][right])
    hit = (source >= 0) & (target >= 0)
    source, target = source[hit], target[hit]
    # The autograd engine's call around the backward operator is assigned with it.
    parent = timeline.host.parent[forest_rows(timeline)[target]]
    names = timeline.events.strings.texts
    engine = np.array([text.startswith(AUTOGRAD_RANGE) for text in names], dtype=bool)
    around = (parent >= 0) & engine[timeline.events.name[rows[parent]]]
    target = np.where(around, rows[parent], target)
    target, first, _ = unique_first(target)
    return target, calls.path_of(timeline, source[first])


def _once(flows: FlowTable, side: Flags) -> tuple[Ints, Ints]:
    """Returns the ids that occur once among these arrow ends, ascending, and their times."""
    ids, first, count = unique_first(flows.flow_id[side])
    return ids[count == 1], flows.start_ns[side][first[count == 1]]


def _outermost_starting_at(timeline: InterpretedTrace, rows: EventIndex, at: Ints) -> Ints:
    """(q,) Row of the operator that starts at each instant, -1 if none; of several the outermost, then by name."""
    events = timeline.events
    order = np.lexsort(
        (events.strings.ranks()[events.name[rows]], -events.dur_ns[rows], events.start_ns[rows])
    )
    rows = rows[order]
    start = events.start_ns[rows]
    place = np.searchsorted(start, at)
    next_row = np.append(rows, -1)[place]
    return np.where((next_row >= 0) & (events.start_ns[next_row] == at), next_row, -1)
