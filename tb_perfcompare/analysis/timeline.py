"""The corrected reading of a trace: what each event is, which thread it ran on, what launched it.

Where torch-tb-profiler's own reading goes wrong (docs/readings.md), this one does not follow it: driver calls launch
kernels too, collectives are Communication, step markers copied to device streams are not steps, and External ids that
merely repeat the correlation link nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.nesting import Enclosers, innermost, nest
from tb_perfcompare.model.device import Vendor
from tb_perfcompare.model.events import ABSENT, Category, EventTable
from tb_perfcompare.model.names import (
    is_collective_annotation,
    is_collective_kernel,
    is_loader,
    is_optimizer,
    is_step,
)
from tb_perfcompare.model.summary import StepCategory

Ints = NDArray[np.int64]

NO_ROLE = -1

_HOST_WORK = (Category.OPERATOR, Category.ANNOTATION, Category.PYTHON)
_API = (Category.RUNTIME, Category.DRIVER)
_WRAPPERS = frozenset({"DataParallel.forward", "DistributedDataParallel.forward"})

IDS_REPEAT_CORRELATION = 0.5
"""Share of API calls whose External id equals their correlation above which the ids link nothing. Seen: 1.00 in every
file of the kind, at most 0.08 in all others."""


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Rows are those of the EventTable.

    role      (n,) int8 StepCategory, or NO_ROLE
    lane      (n,) int64 thread or stream, "25738" and 25738 being one
    end_ns    (n,) int64
    launcher  (n,) int64 row of the API call that launched a device event, -1
    operator  (n,) int64 row of the innermost operator an API call, device event or operator belongs to, -1
    is_operator  (n,) bool rows that count in operator tables
    is_marker    (n,) bool step markers on host threads
    ids_unusable True when operators had to be found by time
    """

    events: EventTable
    vendor: Vendor
    role: NDArray[np.int8]
    lane: Ints
    end_ns: Ints
    launcher: Ints
    operator: Ints
    is_operator: NDArray[np.bool_]
    is_marker: NDArray[np.bool_]
    host: HostForest
    ids_unusable: bool
    device_markers: int

    @property
    def is_device(self) -> NDArray[np.bool_]:
        """(n,) kernels, copies and sets."""
        return np.isin(self.events.category, (Category.KERNEL, Category.MEMCPY, Category.MEMSET))

    @property
    def is_api(self) -> NDArray[np.bool_]:
        """(n,) runtime and driver calls."""
        return np.isin(self.events.category, _API)


@dataclass(frozen=True, slots=True, eq=False)
class HostForest:
    """Operators, loaders, optimizers and collectives of all host threads, nested by time; h rows.

    row      (h,) row in the EventTable
    parent   (h,) forest row, -1 at the top
    depth    (h,)
    end_ns   (h,) clipped to the parent
    clipped  events that outlasted their parent
    """

    row: Ints
    parent: Ints
    depth: Ints
    end_ns: Ints
    clipped: int


class _NameFacts:
    """Answers per distinct name, spread over the events."""

    def __init__(self, events: EventTable) -> None:
        texts = events.strings.texts
        used = np.unique(events.name)
        self.step = self._spread(events, used, texts, is_step)
        self.loader = self._spread(events, used, texts, is_loader)
        self.optimizer = self._spread(events, used, texts, is_optimizer)
        self.annotated = self._spread(events, used, texts, is_collective_annotation)
        self.collective = self._spread(events, used, texts, is_collective_kernel)
        self.wrapper = self._spread(events, used, texts, lambda name: name in _WRAPPERS)

    @staticmethod
    def _spread(
        events: EventTable, used: NDArray[np.int32], texts: Sequence[str], test: Callable[[str], bool]
    ) -> NDArray[np.bool_]:
        table = np.zeros(len(texts), dtype=bool)
        table[used] = [test(texts[i]) for i in used.tolist()]
        spread: NDArray[np.bool_] = table[events.name]
        return spread


def interpret(events: EventTable, vendor: Vendor) -> Timeline:
    """The corrected reading of one trace's events."""
    facts = _NameFacts(events)
    category = events.category
    host = np.isin(category, _HOST_WORK)
    marker = facts.step & host
    lane = _lanes(events)
    end_ns = events.end_ns
    special = facts.loader | facts.optimizer | facts.annotated
    is_node = host & ~facts.step & ((category != Category.ANNOTATION) | special)
    forest = _host_forest(events, lane, end_ns, is_node)
    api = np.isin(category, _API)
    ids_unusable = _ids_repeat_correlation(events, api)
    launcher = _launchers(events, api)
    operator = _operators(events, lane, api, forest, launcher, ids_unusable)
    return Timeline(
        events=events,
        vendor=vendor,
        role=_roles(events, facts, host & ~facts.step, operator),
        lane=lane,
        end_ns=end_ns,
        launcher=launcher,
        operator=operator,
        is_operator=(category == Category.OPERATOR)
        & ~(facts.step | facts.loader | facts.optimizer | facts.annotated | facts.wrapper),
        is_marker=marker,
        host=forest,
        ids_unusable=ids_unusable,
        device_markers=int((facts.step & (category == Category.DEVICE_ANNOTATION)).sum()),
    )


def _lanes(events: EventTable) -> Ints:
    """Old traces write the same thread as 25738 and as "25738"."""
    index: dict[tuple[str, str], int] = {}
    canonical = [
        index.setdefault((str(pid), str(tid)), len(index))
        for pid, tid in zip(events.lanes.pid, events.lanes.tid, strict=True)
    ]
    return np.asarray(canonical, dtype=np.int64)[events.lane] if canonical else np.zeros(0, dtype=np.int64)


def _host_forest(events: EventTable, lane: Ints, end_ns: Ints, is_node: NDArray[np.bool_]) -> HostForest:
    rows = np.flatnonzero(is_node)
    # Equal spans: the outer event is the one that got its External id first; names settle the rest.
    order = np.lexsort((events.strings.ranks()[events.name[rows]], events.external_id[rows]))
    tie = np.empty(len(rows), dtype=np.int64)
    tie[order] = np.arange(len(rows))
    nesting = nest(lane[rows], events.start_ns[rows], end_ns[rows], tie)
    return HostForest(rows[nesting.order], nesting.parent, nesting.depth, nesting.end, nesting.clipped)


def _ids_repeat_correlation(events: EventTable, api: NDArray[np.bool_]) -> bool:
    known = api & (events.external_id != ABSENT) & (events.correlation != ABSENT)
    total = int(known.sum())
    if total < 2:
        return False
    same = int((events.external_id[known] == events.correlation[known]).sum())
    return same / total >= IDS_REPEAT_CORRELATION


def _lookup(keys: Ints, wanted: Ints) -> Ints:
    """Position in `keys` of the last entry equal to each wanted value, -1 if none."""
    order = np.argsort(keys, kind="stable")
    at = np.searchsorted(keys[order], wanted, side="right") - 1
    found = np.where(at >= 0, order[np.maximum(at, 0)] if len(order) else -1, -1)
    hit = found >= 0
    hit[hit] &= keys[found[hit]] == wanted[hit]
    return np.where(hit, found, -1)


def _launchers(events: EventTable, api: NDArray[np.bool_]) -> Ints:
    """Device event -> API call with its correlation; of several the one that started last."""
    launcher = np.full(len(events), -1, dtype=np.int64)
    calls = np.flatnonzero(api & (events.correlation != ABSENT))
    calls = calls[np.lexsort((events.dur_ns[calls], events.start_ns[calls]))]
    work = np.flatnonzero(
        np.isin(events.category, (Category.KERNEL, Category.MEMCPY, Category.MEMSET)) & (events.correlation != ABSENT)
    )
    if len(calls) and len(work):
        found = _lookup(events.correlation[calls], events.correlation[work])
        launcher[work] = np.where(found >= 0, calls[np.maximum(found, 0)], -1)
    return launcher


def _operators(
    events: EventTable,
    lane: Ints,
    api: NDArray[np.bool_],
    forest: HostForest,
    launcher: Ints,
    ids_unusable: bool,
) -> Ints:
    """API call -> operator by External id, else by time on its thread; device event -> operator of its launcher,
    else by its own External id."""
    operator = np.full(len(events), -1, dtype=np.int64)
    calls = np.flatnonzero(api)
    by_id = np.full(len(events), -1, dtype=np.int64)
    if not ids_unusable:
        nodes = forest.row[np.lexsort((forest.depth, events.start_ns[forest.row]))]
        nodes = nodes[events.external_id[nodes] != ABSENT]
        with_id = np.flatnonzero(
            (events.external_id != ABSENT)
            & (api | np.isin(events.category, (Category.KERNEL, Category.MEMCPY, Category.MEMSET)))
        )
        if len(nodes) and len(with_id):
            found = _lookup(events.external_id[nodes], events.external_id[with_id])
            by_id[with_id] = np.where(found >= 0, nodes[np.maximum(found, 0)], -1)
        operator[calls] = by_id[calls]
    missing = calls[operator[calls] < 0]
    if len(missing) and len(forest.row):
        enclosers = Enclosers(lane[forest.row], events.start_ns[forest.row], forest.end_ns, forest.parent)
        at = innermost(enclosers, lane[missing], events.start_ns[missing])
        operator[missing] = np.where(at >= 0, forest.row[np.maximum(at, 0)], -1)
    work = np.flatnonzero(launcher >= 0)
    operator[work] = operator[launcher[work]]
    lost = (operator < 0) & ~api & (by_id >= 0)
    operator[lost] = by_id[lost]
    return operator


def _roles(events: EventTable, facts: _NameFacts, host: NDArray[np.bool_], operator: Ints) -> NDArray[np.int8]:
    category = events.category
    role = np.full(len(events), NO_ROLE, dtype=np.int8)
    role[host] = StepCategory.CPU_EXEC
    role[host & facts.loader & (category != Category.PYTHON)] = StepCategory.DATALOADER
    role[host & facts.annotated] = StepCategory.COMMUNICATION
    role[np.isin(category, _API)] = StepCategory.RUNTIME
    kernel = category == Category.KERNEL
    role[kernel] = StepCategory.KERNEL
    role[kernel & facts.collective] = StepCategory.COMMUNICATION
    named = events.args.get("collective_name")
    if named is not None:
        carried = np.zeros(len(events), dtype=bool)
        carried[named.rows] = True
        role[kernel & carried] = StepCategory.COMMUNICATION
    role[category == Category.MEMCPY] = StepCategory.MEMCPY
    role[category == Category.MEMSET] = StepCategory.MEMSET
    # Kernels a collective operator launched are communication whatever their library calls them.
    communicates = np.zeros(len(events.strings), dtype=bool)
    record = events.strings.find("record_param_comms")
    if record >= 0:
        communicates[record] = True
    launched = kernel & (operator >= 0)
    rows = np.flatnonzero(launched)
    under = communicates[events.name[operator[rows]]] | facts.annotated[operator[rows]]
    role[rows[under]] = StepCategory.COMMUNICATION
    return role
