"""The contents of one trace file, as read and before interpretation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tb_perfcompare.model.arrays import Floats, Ints32, NameIndex, Nanoseconds
from tb_perfcompare.model.events import UNREAD_ARGUMENTS, EventTable, FlowTable
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a capture comes from: `source` (the user's name for the whole input), run, worker, span and rank.

    `rank` is None if the worker's name does not contain it.
    """

    source: str
    run: str
    worker: str = ""
    span: str = ""
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class ReadStats:
    """Counts of a reader.

    events   elements of traceEvents
    kept     those that became rows of the event table or samples of counters
    dropped  reason -> number of events without a field that their kind requires
    skipped  `ph/cat` -> number of events of kinds that no view uses (flow arrows, metadata)
    """

    events: int
    kept: int
    dropped: Mapping[str, int]
    skipped: Mapping[str, int]
    raw_bytes: int
    complete: bool
    reader: str


HOST_DEVICE = -1
"""Device of a counter that belongs to the host."""

ALL_DEVICES = -2
"""Device of a counter whose samples cover all devices of the machine together."""


@dataclass(frozen=True, slots=True, eq=False)
class CounterSamples:
    """Samples of counters (`ph: "C"` events), one row per number in an event's `args`.

    Rows are in time order; equal times are ordered by name, series, device and value, so that the result does not
    depend on the order of events in the file.

    strings  texts of the codes
    name     (m,) int32 name of the event; a suffix " #1", " #2" distinguishes processes or ids with the same counter
    series   (m,) int32 key of the number in `args`
    device   (m,) int32 device of the counter, HOST_DEVICE or ALL_DEVICES
    time_ns  (m,) int64 in the clock of the trace
    value    (m,) float64
    """

    strings: StringTable
    name: NameIndex
    series: Ints32
    device: Ints32
    time_ns: Nanoseconds
    value: Floats

    def __len__(self) -> int:
        return len(self.time_ns)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRanges:
    """n ranges measured with hardware counters (`cuda_profiler_range`), in execution order.

    Each range is one kernel if the profiler measured kernels one by one.

    name     n names: the kernel's, or the range's as given by the program
    metrics  k names of metrics
    values   (n, k) float64, NaN if a range lacks the metric
    """

    name: tuple[str, ...]
    metrics: tuple[str, ...]
    values: Floats

    def __len__(self) -> int:
        return len(self.name)


NO_RANGES = MeasuredRanges((), (), np.zeros((0, 0)))


@dataclass(frozen=True, slots=True, eq=False)
class TraceRecording:
    """One torch.profiler trace.

    file            the file it was read from
    events          events with a duration, and memory events
    flows           forward-backward arrows
    properties      root members other than traceEvents (deviceProperties, distributedInfo, with_stack, ...), decoded
    process_labels  pid as written -> `process_labels` metadata ("GPU 0", "MLU 0", "CPU")
    process_names   pid as written -> `process_name` metadata
    thread_names    (pid, tid) as written -> `thread_name` metadata
    notes           damage and repairs
    counters        samples of counters, None when the trace has none
    ranges          ranges measured with hardware counters
    """

    file: FileFacts
    events: EventTable
    flows: FlowTable
    properties: Mapping[str, Any]
    process_labels: Mapping[int | str, str]
    process_names: Mapping[int | str, str]
    thread_names: Mapping[tuple[int | str, int | str], str]
    stats: ReadStats
    notes: tuple[Note, ...]
    counters: CounterSamples | None = None
    ranges: MeasuredRanges = NO_RANGES

    def without_unread(self) -> TraceRecording:
        """The same recording without UNREAD_ARGUMENTS. If stacks were recorded, they hold a tenth of the memory, which
        is free once the caller has dropped this recording."""
        return replace(self, events=self.events.without(UNREAD_ARGUMENTS))

    @property
    def device_properties(self) -> list[dict[str, Any]]:
        """Properties of the devices, index = device id."""
        return _devices(self.properties)


@dataclass(frozen=True, slots=True, eq=False)
class TraceEvents:
    """One torch.profiler trace as decoded events, for an analysis that interprets them in its own way.

    events      in file order: `ph`, `cat`, `name`, `pid`, `tid`, `ts`, `dur`, `id` if present, `args`
    properties  as in TraceRecording
    notes       damage and repairs
    """

    file: FileFacts
    events: Sequence[dict[str, Any]]
    properties: Mapping[str, Any]
    notes: tuple[Note, ...]

    @property
    def device_properties(self) -> list[dict[str, Any]]:
        """Properties of the devices, index = device id."""
        return _devices(self.properties)


def _devices(properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    """`deviceProperties`; empty if missing or not a list of objects."""
    value = properties.get("deviceProperties")
    return [item if isinstance(item, dict) else {} for item in value] if isinstance(value, list) else []
