"""The corrected reading of a trace: the role, thread, launch and operator of each event.

It departs from torch-tb-profiler where that is wrong (docs/method/corrected_reading.md): driver calls launch kernels
too, collectives are Communication, step markers copied to device streams are not steps, and External ids that merely
repeat the correlation link nothing.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.event_masks import NameFlags, is_one_of, named
from tb_perfcompare.analysis.columns.native_passes import Coded
from tb_perfcompare.analysis.columns.nesting import Enclosers, innermost, nest
from tb_perfcompare.analysis.columns.numbering import gather, last_equal, rows_where, scatter_add
from tb_perfcompare.analysis.trace.clock import ClockOffset, on_host_clock
from tb_perfcompare.analysis.trace.roles import roles
from tb_perfcompare.model.api_calls import calls
from tb_perfcompare.model.arrays import (
    AnyInts,
    Flags,
    Ints,
    Ints32,
    LaneIndex,
    NameIndex,
    Nanoseconds,
    NodeIndex,
    is_of,
)
from tb_perfcompare.model.events import ABSENT, API_CALLS, DEVICE_WORK, Category, EventTable
from tb_perfcompare.model.names.collective_names import is_collective_annotation
from tb_perfcompare.model.names.ranges import is_loader, is_optimizer, is_step, is_wrapper
from tb_perfcompare.model.vendor import Vendor
from tb_perfcompare.quick_dataclass import dataclass

_HOST_WORK = (Category.OPERATOR, Category.ANNOTATION, Category.PYTHON)

IDS_REPEAT_CORRELATION = 0.5
"""Share of API calls with an External id equal to the correlation from which on External ids link nothing.

Observed: 1.00 in every file of this kind, at most 0.08 in all others.
"""


@dataclass(frozen=True, slots=True, eq=False)
class InterpretedTrace:
    """An event table with the meaning of its n rows.

    role      (n,) int8 StepCategory, or NO_ROLE
    lane      (n,) int32 thread or stream; "25738" and 25738 are the same
    launcher  (n,) int32 row of the API call that launched a device event, -1
    operator  (n,) int32 row of the innermost operator that an API call, device event or operator belongs to, -1
    is_device    (n,) bool kernels, copies and sets
    is_operator  (n,) bool rows that count in operator tables
    is_marker    (n,) bool step markers on host threads
    ids_unusable True if operators had to be found by time
    clock_offsets  by how much device times were moved
    """

    events: EventTable
    vendor: Vendor
    role: NDArray[np.int8]
    lane: LaneIndex
    launcher: Ints32
    operator: Ints32
    is_device: Flags
    is_operator: Flags
    is_marker: Flags
    host: HostForest
    ids_unusable: bool
    device_markers: int
    clock_offsets: tuple[ClockOffset, ...]

    def ends(self, rows: AnyInts) -> Ints:
        """End times of these events."""
        end = gather(self.events.start_ns, rows)
        end += gather(self.events.dur_ns, rows)
        return end

    @property
    def end_ns(self) -> Ints:
        """(n,) End times; computed on each access, as they would take as much memory as the starts."""
        return self.events.end_ns

    @property
    def is_api(self) -> Flags:
        """(n,) Runtime and driver calls."""
        return is_one_of(self.events.category, API_CALLS)

    @property
    def is_host_work(self) -> Flags:
        """(n,) Operators and annotations on host threads."""
        return is_one_of(self.events.category, _HOST_WORK)

    def calls_with(self, *roles: re.Pattern[str]) -> Ints:
        """Rows of API calls whose names have one of these roles (model/api_calls.py)."""
        rows = np.flatnonzero(self.is_api)
        return rows[named(self.events, rows, lambda name: any(calls(role, name) for role in roles))]


@dataclass(frozen=True, slots=True, eq=False)
class HostForest:
    """Operators, loaders, optimizers and collectives of all host threads, nested by time; h rows.

    row      (h,) int32 row in the EventTable
    parent   (h,) int32 forest row, -1 at the top
    depth    (h,) int32
    end_ns   (h,) clipped to the parent
    inside   (h,) time of direct children
    merged   (h,) bool only child of an operator of the same name (aten::mul in aten::mul); both count as one operator,
             as in torch-tb-profiler
    top      (h,) int32 forest row of the operator that a row counts as: the outermost of merged ones, else itself
    clipped  number of events that ended after their parent
    """

    row: Ints32
    parent: NodeIndex
    depth: Ints32
    end_ns: Nanoseconds
    inside: Ints
    merged: Flags
    top: Ints32
    clipped: int


def interpret(events: EventTable, vendor: Vendor) -> InterpretedTrace:
    names = NameFlags(
        events.strings, events.name,
        is_step, is_loader, is_optimizer, is_collective_annotation, is_wrapper,
    )  # fmt: skip
    step, annotated = names.where(is_step), names.where(is_collective_annotation)
    loader = names.where(is_loader)
    special = loader | names.where(is_optimizer) | annotated
    category = events.category
    host = is_one_of(category, _HOST_WORK)
    api, device = is_one_of(category, API_CALLS), is_one_of(category, DEVICE_WORK)
    lane = _lanes(events)
    work = host & ~step
    is_operator = is_of(category, Category.OPERATOR) & ~(step | special | names.where(is_wrapper))
    is_node = work & (~is_of(category, Category.ANNOTATION) | special)
    forest = _host_forest(events, lane, is_node, is_operator)
    ids_unusable = _ids_repeat_correlation(events, api)
    launcher = _launchers(events, api, device)
    operator = _operators(events, lane, api, device, forest, launcher, ids_unusable)
    events, clock_offsets = on_host_clock(events, api, launcher)
    return InterpretedTrace(
        events=events,
        vendor=vendor,
        role=roles(events, work, loader, annotated, api, operator),
        lane=lane,
        launcher=launcher,
        operator=operator,
        is_device=device,
        is_operator=is_operator,
        is_marker=step & host & (events.dur_ns > 0),
        host=forest,
        ids_unusable=ids_unusable,
        device_markers=int((step & is_of(category, Category.DEVICE_ANNOTATION)).sum()),
        clock_offsets=clock_offsets,
    )


def _lanes(events: EventTable) -> Ints32:
    """(n,) Lane of each event, one per thread: old traces write the same thread as 25738 and as "25738". Numbered by
    these texts, so that the order of events in the file changes nothing where lanes tie."""
    texts = [(str(pid), str(tid)) for pid, tid in zip(events.lanes.pid, events.lanes.tid, strict=True)]
    place = {text: number for number, text in enumerate(sorted(set(texts)))}
    numbers = np.array([place[text] for text in texts], dtype=np.int32)
    return events.lane if (numbers == np.arange(len(numbers))).all() else numbers[events.lane]


def _host_forest(
    events: EventTable, lane: LaneIndex, is_node: Flags, is_operator: Flags
) -> HostForest:
    # Equal spans: the outer event has the smaller External id; remaining ties by name.
    ties = events.external_id, Coded(events.name, events.strings.ranks())
    nesting = nest(lane, events.start_ns, events.dur_ns, *ties, rows=rows_where(is_node))
    rows = nesting.order
    merged, top = _merged(nesting.parent, gather(events.name, rows), gather(is_operator, rows))
    return HostForest(
        rows, nesting.parent, nesting.depth, nesting.end, nesting.inside, merged, top, nesting.clipped
    )


def _merged(parent: NodeIndex, name: NameIndex, counts: Flags) -> tuple[Flags, Ints32]:
    top = np.arange(len(parent), dtype=np.int32)
    merged = np.zeros(len(parent), dtype=bool)
    same_name = np.flatnonzero((name == gather(name, parent)) & counts & gather(counts, parent) & (parent >= 0))
    if not len(same_name):
        return merged, top
    children = scatter_add(parent, len(parent))[:, 0]
    merged[same_name] = children[parent[same_name]] == 1
    top[merged] = parent[merged]
    while True:
        further = top[top]
        if np.array_equal(further, top):
            return merged, top
        top = further


def _ids_repeat_correlation(events: EventTable, api: Flags) -> bool:
    calls = np.flatnonzero(api)
    external_id, correlation = events.external_id[calls], events.correlation[calls]
    has_ids = (external_id != ABSENT) & (correlation != ABSENT)
    total = int(has_ids.sum())
    return total >= 2 and int(((external_id == correlation) & has_ids).sum()) / total >= IDS_REPEAT_CORRELATION


def _launchers(events: EventTable, api: Flags, device: Flags) -> Ints32:
    """(n,) API call with the device event's correlation, the last started of several; -1 without.

    If no device event has a correlation: the only API call with its External id.
    """
    launcher = np.full(len(events), -1, dtype=np.int32)
    number = events.correlation
    if not (device & (number != ABSENT)).any():
        number = _of_one_call(events.external_id, api)
    identified = number != ABSENT
    calls, work = np.flatnonzero(api & identified), np.flatnonzero(device & identified)
    call = last_equal(
        number[calls],
        number[work],
        lambda: np.lexsort((events.dur_ns[calls], events.start_ns[calls])),
    )
    launcher[work] = np.append(calls, -1)[call]
    return launcher


def _of_one_call(external_id: Ints, api: Flags) -> Ints:
    """(n,) External ids, ABSENT if several API calls have the id, as any of them may have launched the work."""
    ids, calls = np.unique(external_id[api & (external_id != ABSENT)], return_counts=True)
    return np.where(np.isin(external_id, ids[calls == 1]), external_id, ABSENT)


def _operators(
    events: EventTable, lane: LaneIndex, api: Flags, device: Flags, forest: HostForest, launcher: Ints32,
    ids_unusable: bool,
) -> Ints32:  # fmt: skip
    """(n,) Operator of each API call, by External id, else by time on its thread.

    A device event has the operator of its launcher, else of its own External id.
    """
    operator = np.full(len(events), -1, dtype=np.int32)
    calls = np.flatnonzero(api)
    ids = gather(events.external_id, forest.row)
    has_id = ids != ABSENT
    nodes = slice(None) if has_id.all() else np.flatnonzero(has_id)
    rows, ids = forest.row[nodes], ids[nodes]

    def by_id(asked: Ints) -> Ints32:
        """(q,) Operator with the event's id; of several the last started, then the innermost."""
        wanted = events.external_id[asked]
        place = last_equal(ids, wanted, lambda: np.lexsort((forest.depth[nodes], events.start_ns[rows])))
        return np.append(rows, np.int32(-1))[place]

    if not ids_unusable:
        operator[calls] = by_id(calls)
    missing = calls[operator[calls] < 0]
    if len(missing) and len(forest.row):
        start = gather(events.start_ns, forest.row)
        enclosers = Enclosers(gather(lane, forest.row), start, forest.end_ns, forest.parent)
        at = innermost(enclosers, lane[missing], events.start_ns[missing])
        operator[missing] = np.append(forest.row, np.int32(-1))[at]
    work = np.flatnonzero(launcher >= 0)
    operator[work] = operator[launcher[work]]
    if not ids_unusable:
        unlinked = np.flatnonzero(device & (operator < 0))
        operator[unlinked] = by_id(unlinked)
    return operator
