"""Builds the columns of an EventTable from blocks of decoded events.

Every step processes a whole block with C-speed iteration (map, compress, numpy); Python statements run per event only
for metadata and for invalid values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import compress, repeat
from operator import attrgetter, eq
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Ints32
from tb_perfcompare.model.device import FLOW_CATEGORIES, MEMORY_EVENT_NAME, OPERATOR_ARROWS
from tb_perfcompare.model.events import FlowTable
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.trace.columns.arguments import ArgumentColumns
from tb_perfcompare.sources.trace.columns.assemble_columns import Gathered
from tb_perfcompare.sources.trace.columns.counter_events import CounterBuilder
from tb_perfcompare.sources.trace.columns.event import Counts, Event
from tb_perfcompare.sources.trace.columns.growable_array import GrowableArray
from tb_perfcompare.sources.trace.columns.interning import KeyNumbers, Lanes, Membership, Names, normalized_id
from tb_perfcompare.sources.trace.columns.measured_ranges import RANGE, RangeBuilder
from tb_perfcompare.sources.trace.columns.numbers import parse_integers, parse_times
from tb_perfcompare.sources.trace.columns.process_layers import OperatorArrows

_COMPLETE, _INSTANT, _METADATA, _COUNTER, _FLOW_START, _FLOW_END = 1, 2, 3, 4, 5, 6
_ph, _cat, _name = attrgetter("ph"), attrgetter("cat"), attrgetter("name")
_ts, _dur, _id = attrgetter("ts"), attrgetter("dur"), attrgetter("id")
_pid, _tid, _args = attrgetter("pid"), attrgetter("tid"), attrgetter("args")
_DENSE: dict[str, type[np.generic]] = {
    "raw_category": np.int32,
    "name": np.int32,
    "lane": np.int32,
    "start_ns": np.int64,
    "dur_ns": np.int64,
    "complete": np.bool_,
}
_NO_ARGS: dict[str, msgspec.Raw] = {}
METADATA, COUNTER, COMPLETE = "M", "C", "X"
_PHASES: dict[str | None, int] = {
    COMPLETE: _COMPLETE,
    "i": _INSTANT,
    METADATA: _METADATA,
    COUNTER: _COUNTER,
    "s": _FLOW_START,
    "f": _FLOW_END,
}
_TEXT = msgspec.json.Decoder(str)
METADATA_ARG = {"process_labels": "labels", "process_name": "name", "thread_name": "name"}
"""Metadata events that are kept -> argument that contains their text."""


class ColumnBuilder:
    """Takes decoded events in file order; `gather` returns the columns."""

    def __init__(self) -> None:
        self._phase = KeyNumbers(_PHASES.items())
        self._is_pair = Membership(FLOW_CATEGORIES)
        self._is_operator_arrow = Membership(OPERATOR_ARROWS)
        self._strings = StringTable()
        self._names = Names(self._strings)
        self._categories = Names(self._strings)
        self._lanes = Lanes()
        self._arguments = ArgumentColumns(self._strings)
        self._dense: dict[str, GrowableArray[Any]] = {column: GrowableArray(dtype) for column, dtype in _DENSE.items()}
        self._flows: tuple[GrowableArray[Any], ...] = (
            GrowableArray(np.bool_),
            GrowableArray(np.int64),
            GrowableArray(np.int64),
        )
        self._arrows: tuple[GrowableArray[Any], ...] = (
            GrowableArray(np.bool_), GrowableArray(np.int64), GrowableArray(np.int32), GrowableArray(np.int64),
        )  # fmt: skip
        self._metadata: dict[str, dict[Any, str]] = {name: {} for name in METADATA_ARG}
        self._counters = CounterBuilder()
        self._ranges = RangeBuilder()
        self._kept = 0
        self._skipped: Counter[tuple[str | None, str | None]] = Counter()
        self.counts = Counts()

    @property
    def kept(self) -> tuple[int, int, int]:
        """Numbers of rows of events, flows and operator arrows so far."""
        return self._kept, len(self._flows[0]), len(self._arrows[0])

    def add(self, events: Sequence[Event]) -> None:
        """Adds the next events of the file."""
        self.counts.seen += len(events)
        phases = np.fromiter(map(self._phase.__getitem__, map(_ph, events)), np.int8, len(events))
        ranges = (phases == _COMPLETE) & np.fromiter(map(eq, map(_cat, events), repeat(RANGE)), np.bool_, len(events))
        if ranges.any():
            self._ranges.add(_choose(events, ranges))
            events, phases = _choose(events, ~ranges), phases[~ranges]
        kept = phases == _COMPLETE
        if not kept.all():
            self._add_others(events, phases, kept)
        complete = (phases == _COMPLETE)[kept]
        self._add_kept(_choose(events, kept), complete)

    def drop(self, reason: str) -> None:
        """Counts an element of traceEvents that could not be decoded."""
        self.counts.seen += 1
        self.counts.dropped[reason] += 1

    def _add_others(self, events: Sequence[Event], phases: NDArray[np.int8], kept: Flags) -> None:
        """Adds everything but complete events.

        Memory events are marked in `kept`; events of unused kinds are counted as skipped.
        """
        used = kept.copy()
        instant = np.flatnonzero(phases == _INSTANT)
        names = map(_name, _choose(events, phases == _INSTANT))
        memory = instant[np.fromiter(map(eq, names, repeat(MEMORY_EVENT_NAME)), np.bool_, len(instant))]
        kept[memory] = used[memory] = True
        flow = np.flatnonzero(phases >= _FLOW_START)
        categories = list(map(_cat, _choose(events, phases >= _FLOW_START)))
        pairs = flow[np.fromiter(map(self._is_pair.__getitem__, categories), np.bool_, len(flow))]
        arrows = flow[np.fromiter(map(self._is_operator_arrow.__getitem__, categories), np.bool_, len(flow))]
        if len(arrows):  # they only join events and count as skipped
            self._add_arrows([events[row] for row in arrows.tolist()], phases[arrows] == _FLOW_START)
        if len(pairs):
            used[pairs] = True
            self._add_flows([events[row] for row in pairs.tolist()], phases[pairs] == _FLOW_START)
        for event in _choose(events, phases == _METADATA):
            self._add_metadata(event)
        counted = phases == _COUNTER
        if counted.any():
            used |= counted
            self._counters.add(_choose(events, counted))
        unused = _choose(events, ~used)
        self._skipped.update(zip(map(_ph, unused), map(_cat, unused), strict=True))

    def _add_flows(self, events: list[Event], is_start: Flags) -> None:
        flow_id, has_id = parse_integers(list(map(_id, events)))
        times = parse_times(list(map(_ts, events)))
        self._count("flow id", ~has_id)
        self._count("ts", has_id & ~times.valid)
        good = has_id & times.valid
        for column, part in zip(self._flows, (is_start, flow_id, times.ns), strict=True):
            column.append(part[good])

    def _add_arrows(self, events: list[Event], is_start: Flags) -> None:
        number, has_number = parse_integers(list(map(_id, events)))
        times = parse_times(list(map(_ts, events)))
        places = zip(map(_pid, events), map(_tid, events), strict=True)
        lane = np.fromiter(map(self._lanes.__getitem__, places), np.int32, len(events))
        good = has_number & times.valid & (lane >= 0)
        parts: tuple[NDArray[Any], ...] = (is_start, number, lane, times.ns)
        for column, part in zip(self._arrows, parts, strict=True):
            column.append(part[good])

    def _add_metadata(self, event: Event) -> None:
        argument = METADATA_ARG.get(event.name or "")
        raw = (event.args or _NO_ARGS).get(argument or "")
        if argument is None or raw is None or not bytes(raw).startswith(b'"'):
            return
        place: Any = normalized_id(event.pid)
        if event.name == "thread_name":
            place = (place, normalized_id(event.tid))
        text = bytes(raw)
        try:
            self._metadata[str(event.name)][place] = _TEXT.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._metadata[str(event.name)][place] = _TEXT.decode(text.decode("utf-8", "replace"))
            self.counts.repaired["bytes that are not UTF-8"] += 1

    def _add_kept(self, events: list[Event], complete: Flags) -> None:
        """Adds complete and memory events; the latter have no duration."""
        if not events:
            return
        n = len(events)
        name = np.fromiter(map(self._names.__getitem__, map(_name, events)), np.int32, n)
        start = parse_times(list(map(_ts, events)))
        length = parse_times(list(map(_dur, _choose(events, complete))))
        timed = np.ones(n, np.bool_)
        timed[complete] = length.valid
        good = (name >= 0) & start.valid & timed
        if not good.all():
            self._count("name", name < 0)
            self._count("ts", (name >= 0) & ~start.valid)
            self._count("dur", (name >= 0) & start.valid & ~timed)
            self._add_kept(_choose(events, good), complete[good])
            return
        dur_ns = np.zeros(n, np.int64)
        dur_ns[complete] = np.maximum(length.ns, 0)
        self.counts.negative += int(np.count_nonzero(length.ns < 0))
        self.counts.finer += start.finer + length.finer
        category = np.fromiter(map(self._categories.__getitem__, map(_cat, events)), np.int32, n)
        places = zip(map(_pid, events), map(_tid, events), strict=True)
        lane = np.fromiter(map(self._lanes.__getitem__, places), np.int32, n)
        columns: dict[str, NDArray[Any]] = {
            "raw_category": self._mend(category, complete, "missing cat"),
            "name": name,
            "lane": self._mend(lane, True, "missing pid or tid"),
            "start_ns": start.ns,
            "dur_ns": dur_ns,
            "complete": complete,
        }
        for column, part in columns.items():
            self._dense[column].append(part)
        # a missing object and null mean no arguments
        self._arguments.add([arguments or _NO_ARGS for arguments in map(_args, events)], self._kept)
        self._kept += n

    def gather(self) -> Gathered:
        """Everything added; the builder is empty afterwards."""
        ranges = self._ranges.finish(self.counts.dropped)
        arguments = self._arguments.finish()
        if self._arguments.repaired:
            self.counts.repaired["bytes that are not UTF-8"] += self._arguments.repaired
        for (phase, cat), count in self._skipped.items():
            self.counts.skipped[f"{phase or ''}/{cat or ''}"] += count
        dense = {name: column.finish() for name, column in self._dense.items()}
        return Gathered(
            strings=self._strings,
            places=self._lanes.places(),
            **dense,
            arguments=arguments,
            flows=FlowTable(*(column.finish() for column in self._flows)),
            arrows=OperatorArrows(*(column.finish() for column in self._arrows)),
            counts=self.counts,
            process_labels=self._metadata["process_labels"],
            process_names=self._metadata["process_name"],
            thread_names=self._metadata["thread_name"],
            counters=self._counters.finish(),
            ranges=ranges,
        )

    def _mend(self, codes: Ints32, needed: Flags | bool, reason: str) -> Ints32:
        """Replaces complements, which mark missing values, by codes; counts required ones as repaired."""
        gaps = codes < 0
        count = int(np.count_nonzero(gaps & needed))
        if count:
            self.counts.repaired[reason] += count
        return np.where(gaps, ~codes, codes)

    def _count(self, reason: str, rows: Flags) -> None:
        count = int(np.count_nonzero(rows))
        if count:
            self.counts.dropped[reason] += count


def _choose(events: Sequence[Event], rows: Flags) -> list[Event]:
    return list(compress(events, rows.tobytes()))
