"""Assembles the columns of a whole file once its last event has been read.

A scanner gathers columns while it reads (`Gathered`). What needs all of them (categories that follow from processes,
arrows that join events, one column of two spellings) is done here, once, so that it does not depend on the scanner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Ints32, LaneIndex, NameIndex, Nanoseconds, unique
from tb_perfcompare.model.device import DEVICE_WAITS, category_of
from tb_perfcompare.model.events import Category, EventTable, FlowTable, LaneTable, SparseColumn
from tb_perfcompare.model.recordings.recording import NO_RANGES, MeasuredRanges
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.trace.columns.arguments import joined_spellings
from tb_perfcompare.sources.trace.columns.counter_events import CounterColumns, no_counters
from tb_perfcompare.sources.trace.columns.interning import Place
from tb_perfcompare.sources.trace.columns.process_layers import OperatorArrows, joined_by_arrows, layered

_SPAN = 1 << 16
"""Rows at a time: numpy copies the indices it is given into wider ones."""
_UNKNOWN = -1
"""No Category."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Everything a scan found. `seen` counts elements of traceEvents: seen = events + flows + dropped + skipped +
    counters.seen + ranges, dropped ones among the dropped. `counters` says what became of counter events.

    negative      durations below zero, taken as zero
    finer         time stamps or durations that needed rounding to a nanosecond
    repaired      events that were repaired, by what was wrong with them
    """

    events: EventTable
    flows: FlowTable
    process_labels: Mapping[Place, str]
    process_names: Mapping[Place, str]
    thread_names: Mapping[tuple[Place, Place], str]
    seen: int
    dropped: Counter[str]
    skipped: Counter[str]
    repaired: Counter[str]
    negative: int
    finer: int
    counters: CounterColumns = field(default_factory=no_counters)
    ranges: MeasuredRanges = NO_RANGES

    def with_counter_events(self) -> Columns:
        """The same with the counts of the counter events added to the others."""
        own = self.counters
        return replace(
            self,
            dropped=self.dropped + own.dropped,
            skipped=self.skipped + own.skipped,
            repaired=self.repaired + own.repaired,
            finer=self.finer + own.finer,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How many events were seen, dropped, skipped and repaired; as in Columns."""

    seen: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    repaired: Counter[str] = field(default_factory=Counter)
    negative: int = 0
    finer: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.seen + other.seen,
            self.dropped + other.dropped,
            self.skipped + other.skipped,
            self.repaired + other.repaired,
            self.negative + other.negative,
            self.finer + other.finer,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The columns of n events, f flows and a operator arrows in file order.

    strings       texts behind the codes
    places        (pid, tid) of each lane, in any order
    raw_category  (n,) int32 code of the spelling in the file; of the empty text where there is none
    name          (n,) int32 code
    lane          (n,) int32 index into `places`
    start_ns      (n,) int64
    dur_ns        (n,) int64
    complete      (n,) bool, False for memory events
    arguments     a sparse column per key of arguments.SLOTS, in that order
    flows         (f,)
    arrows        (a,)
    labels, processes, threads  texts of metadata events
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
    labels: Mapping[Place, str] = field(default_factory=dict)
    processes: Mapping[Place, str] = field(default_factory=dict)
    threads: Mapping[tuple[Place, Place], str] = field(default_factory=dict)
    counters: CounterColumns = field(default_factory=no_counters)
    ranges: MeasuredRanges = NO_RANGES

    def __len__(self) -> int:
        return len(self.name)


def assemble(gathered: Gathered) -> Columns:
    """The columns as the rest of the product takes them."""
    lanes, lane, arrow_lane = _numbered_by_appearance(gathered)
    arrows = replace(gathered.arrows, lane=arrow_lane)
    arguments = list(gathered.arguments)
    found = replace(gathered, arguments=())
    external_id, correlation, args = joined_spellings(arguments, len(found))
    category, repaired = _categories(found, lanes, lane, args.get("task_type"))
    external_id = joined_by_arrows(external_id, category, lane, found.start_ns, found.dur_ns, arrows)
    events = EventTable(
        strings=found.strings,
        lanes=lanes,
        category=category,
        raw_category=found.raw_category,
        name=found.name,
        lane=lane,
        start_ns=found.start_ns,
        dur_ns=found.dur_ns,
        external_id=external_id,
        correlation=correlation,
        args=args,
    )
    counts = found.counts
    return Columns(
        events=events,
        flows=found.flows,
        process_labels=found.labels,
        process_names=found.processes,
        thread_names=found.threads,
        seen=counts.seen,
        dropped=counts.dropped,
        skipped=counts.skipped,
        repaired=repaired,
        negative=counts.negative,
        finer=counts.finer,
        counters=found.counters,
        ranges=found.ranges,
    )


def _numbered_by_appearance(gathered: Gathered) -> tuple[LaneTable, Ints32, Ints32]:
    """(lanes, those of the events, those of the arrows): lanes are numbered as events, then arrows, first use them.

    Scanners number them as they come: in blocks, and blocks are cut differently and sometimes read twice.
    """
    used = np.concatenate([gathered.lane, gathered.arrows.lane]) if len(gathered.arrows.lane) else gathered.lane
    if _are_numbered_by_appearance(used, len(gathered.places)):
        return _lane_table(gathered.places), gathered.lane, gathered.arrows.lane
    first = np.full(len(gathered.places), len(used), np.int64)
    first[used[::-1]] = np.arange(len(used))[::-1]  # of equal indices the last one assigned stays
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(used))]
    number = np.zeros(len(gathered.places), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    lanes = _lane_table([gathered.places[place] for place in order.tolist()])
    return lanes, number[gathered.lane], number[gathered.arrows.lane]


def _are_numbered_by_appearance(used: Ints32, count: int) -> bool:
    """Whether a new number is always the next one, up to `count` of them."""
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


def _categories(
    gathered: Gathered, lanes: LaneTable, lane: LaneIndex, task_type: SparseColumn | None
) -> tuple[NDArray[np.int8], Counter[str]]:
    """((n,) categories, repairs without those that a category from the process has undone)."""
    texts = gathered.strings.texts
    kinds = np.full(len(texts), _UNKNOWN, np.int8)
    no_text, waits = -1, list[tuple[int, frozenset[str]]]()
    category = np.empty(len(gathered), np.int8)
    for start in range(0, len(gathered), _SPAN):
        codes = gathered.raw_category[start : start + _SPAN]
        of_span = kinds[codes]
        if of_span.min() == _UNKNOWN:
            for code in unique(codes[of_span == _UNKNOWN]).tolist():
                kinds[code] = category_of(texts[code], "")
                no_text = code if not texts[code] else no_text
                waits += [(code, names) for names in (DEVICE_WAITS.get(texts[code].lower()),) if names]
            of_span = kinds[codes]
        category[start : start + _SPAN] = of_span
    for code, names in waits:
        rows = np.flatnonzero(gathered.raw_category == code)
        category[rows[[texts[name].lower() in names for name in gathered.name[rows].tolist()]]] = Category.SYNC
    bare = (gathered.raw_category == no_text) & gathered.complete
    category, layers = layered(
        category, bare, lane, gathered.name, lanes, gathered.strings, gathered.processes, task_type
    )
    repaired = gathered.counts.repaired.copy()
    if layers:
        repaired["missing cat"] -= layers
        repaired += Counter()  # drops what is no longer there
    category[~gathered.complete] = Category.MEMORY
    return category, repaired
