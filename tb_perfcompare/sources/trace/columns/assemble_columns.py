"""Assembles the columns of a file after its last event has been read.

A scanner gathers columns while it reads (`Gathered`). Steps that need all events (categories derived from processes,
arrows that join events, merging two spellings of a column) are done here, independently of the scanner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Ints32, LaneIndex, NameIndex, Nanoseconds, is_of, unique
from tb_perfcompare.model.device import category_of
from tb_perfcompare.model.events import Category, EventTable, FlowTable, LaneTable, SparseColumn
from tb_perfcompare.model.recordings.recording import NO_RANGES, MeasuredRanges
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.vendor import Vendor
from tb_perfcompare.model.vendors import VENDORS
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.trace.columns.arguments import joined_spellings
from tb_perfcompare.sources.trace.columns.counter_events import CounterColumns, no_counters
from tb_perfcompare.sources.trace.columns.event import Counts
from tb_perfcompare.sources.trace.columns.interning import Place
from tb_perfcompare.sources.trace.columns.process_layers import OperatorArrows, joined_by_arrows, layered

_SPAN = 1 << 16
"""Rows processed at a time: numpy copies index arrays into wider ones."""
_UNKNOWN = -1
"""Not a Category yet."""


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The columns of n events, f flows and a operator arrows in file order.

    strings       texts of the codes
    places        (pid, tid) of each lane, in any order
    raw_category  (n,) int32 code of the spelling in the file, of the empty text if missing
    name          (n,) int32 code
    lane          (n,) int32 index into `places`
    start_ns      (n,) int64
    dur_ns        (n,) int64
    complete      (n,) bool, False for memory events
    arguments     a sparse column for each key of arguments.SLOTS, in that order
    flows         (f,)
    arrows        (a,)
    process_labels, process_names, thread_names  texts of metadata events

    counts.seen = events + flows + dropped + skipped + counters.seen + ranges, where dropped ranges count as dropped.
    The losses and repairs of counter events are only in `counters.counts`.
    """

    strings: StringTable
    places: tuple[tuple[Place, Place], ...]
    raw_category: Ints32
    name: NameIndex
    lane: LaneIndex
    start_ns: Nanoseconds
    dur_ns: Nanoseconds
    complete: Flags
    arguments: tuple[SparseColumn, ...]
    flows: FlowTable
    arrows: OperatorArrows
    counts: Counts
    process_labels: Mapping[Place, str] = field(default_factory=dict)
    process_names: Mapping[Place, str] = field(default_factory=dict)
    thread_names: Mapping[tuple[Place, Place], str] = field(default_factory=dict)
    counters: CounterColumns = field(default_factory=no_counters)
    ranges: MeasuredRanges = NO_RANGES

    def __len__(self) -> int:
        return len(self.name)


def assemble(gathered: Gathered) -> tuple[EventTable, Gathered]:
    """(final columns of the events, what else was gathered, with final counts)"""
    lanes, lane, arrow_lane = _numbered_by_appearance(gathered)
    arrows = replace(gathered.arrows, lane=arrow_lane)
    arguments, gathered = list(gathered.arguments), replace(gathered, arguments=())  # no other reference stays
    external_id, correlation, args = joined_spellings(arguments, len(gathered))
    category, repaired = _categories(gathered, lanes, lane, args.get("task_type"))
    external_id = joined_by_arrows(external_id, category, lane, gathered.start_ns, gathered.dur_ns, arrows)
    events = EventTable(
        strings=gathered.strings,
        lanes=lanes,
        category=category,
        raw_category=gathered.raw_category,
        name=gathered.name,
        lane=lane,
        start_ns=gathered.start_ns,
        dur_ns=gathered.dur_ns,
        external_id=external_id,
        correlation=correlation,
        args=args,
    )
    return events, replace(gathered, counts=replace(gathered.counts, repaired=repaired))


def _numbered_by_appearance(gathered: Gathered) -> tuple[LaneTable, Ints32, Ints32]:
    """(lanes, lane of each event, lane of each arrow); lanes are numbered by first use, in events, then in arrows.

    Scanners number lanes in the order in which they read, which depends on blocks: these are cut differently and
    sometimes read twice.
    """
    used = np.concatenate([gathered.lane, gathered.arrows.lane]) if len(gathered.arrows.lane) else gathered.lane
    if _are_numbered_by_appearance(used, len(gathered.places)):
        return _lane_table(gathered.places), gathered.lane, gathered.arrows.lane
    first = np.full(len(gathered.places), len(used), np.int64)
    first[used[::-1]] = np.arange(len(used))[::-1]  # for equal indices the last assignment wins
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(used))]
    number = np.zeros(len(gathered.places), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    lanes = _lane_table([gathered.places[place] for place in order.tolist()])
    return lanes, number[gathered.lane], number[gathered.arrows.lane]


def _are_numbered_by_appearance(used: Ints32, count: int) -> bool:
    """Whether every new number is the next one, and there are `count` numbers."""
    latest = -1
    for start in range(0, len(used), _SPAN):
        span = used[start : start + _SPAN]
        if span.max() > latest:
            highest = np.maximum.accumulate(np.append(np.int32(latest), span))
            if (np.diff(highest) > 1).any():
                return False
            latest = int(highest[-1])
    return latest == count - 1


def _lane_table(places: Sequence[tuple[Place, Place]]) -> LaneTable:
    return LaneTable(tuple(pid for pid, _ in places), tuple(tid for _, tid in places))


def _set_categories_by_name(
    category: NDArray[np.int8], gathered: Gathered, vendor: Vendor, code_of: Mapping[str, int]
) -> None:
    """Sets the categories of the vendor's events that their names tell (Vendor.by_name)."""
    texts = gathered.strings.texts
    for cat in vendor.by_name.keys() & code_of.keys():
        rows = np.flatnonzero(gathered.raw_category == code_of[cat])
        kinds = {name: category_of(cat, texts[name]) for name in unique(gathered.name[rows]).tolist()}
        category[rows] = list(map(kinds.__getitem__, gathered.name[rows].tolist()))


def _tell_hosts_from_devices(category: NDArray[np.int8], of_both: Flags, lane: LaneIndex, lanes: LaneTable) -> None:
    """Makes API calls of those events (Vendor.of_both) that lie in a process without other device work."""
    if not of_both.any():
        return
    devices = {lanes.pid[own] for own in unique(lane[is_of(category, Category.KERNEL) & ~of_both]).tolist()}
    on_host = np.array([pid not in devices for pid in lanes.pid], dtype=bool)
    category[of_both & on_host[lane]] = Category.RUNTIME


def _categories(
    gathered: Gathered, lanes: LaneTable, lane: LaneIndex, task_type: SparseColumn | None
) -> tuple[NDArray[np.int8], Counter[str]]:
    """((n,) categories, repairs without "missing cat" of events whose category follows from their process)."""
    texts = gathered.strings.texts
    kinds = np.full(len(texts), _UNKNOWN, np.int8)
    no_text, code_of = -1, dict[str, int]()
    category = np.empty(len(gathered), np.int8)
    for start in range(0, len(gathered), _SPAN):
        codes = gathered.raw_category[start : start + _SPAN]
        of_span = kinds[codes]
        if of_span.min() == _UNKNOWN:
            for code in unique(codes[of_span == _UNKNOWN]).tolist():
                kinds[code] = category_of(texts[code], "")
                no_text = code if not texts[code] else no_text
                code_of[texts[code].lower()] = code
            of_span = kinds[codes]
        category[start : start + _SPAN] = of_span
    for vendor in VENDORS:
        if not code_of.keys().isdisjoint(vendor.categories):
            _set_categories_by_name(category, gathered, vendor, code_of)
            _tell_hosts_from_devices(category, gathered.raw_category == code_of.get(vendor.of_both, -1), lane, lanes)
    bare = (gathered.raw_category == no_text) & gathered.complete
    category, layers = layered(
        category, bare, lane, gathered.name, lanes, gathered.strings, gathered.process_names, task_type
    )
    repaired = gathered.counts.repaired.copy()
    if layers:
        repaired["missing cat"] -= layers
        repaired += Counter()  # removes entries that are zero
    category[~gathered.complete] = Category.MEMORY
    return category, repaired
