"""What one file says, before anybody interprets it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tb_perfcompare.model.arrays import Floats, Ints32, NameIndex, Nanoseconds
from tb_perfcompare.model.events import EventTable, FlowTable
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a capture comes from: what the user calls the whole it belongs to (`source`), its run, worker and span, and
    its rank, None when the worker's name does not tell it."""

    source: str
    run: str
    worker: str = ""
    span: str = ""
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class ReadStats:
    """What a reader saw. `events` is every element of traceEvents, kept or not; `kept` those that became rows of the
    event table or samples of counters; `dropped` counts events that lack what their kind needs, by reason; `skipped`
    counts kinds no view uses (flow arrows, metadata), by `ph/cat`."""

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
"""Device of a counter whose samples stand for all devices of the machine, not told apart."""


@dataclass(frozen=True, slots=True, eq=False)
class CounterSamples:
    """Samples of counters (`ph: "C"` events), one row per number of an event's `args`, in time order; equal times by
    name, series, device and value, so that the order of events in the file does not show.

    strings  texts behind the codes
    name     (m,) int32 name of the event; " #1", " #2" behind it tell apart processes or ids that count the same thing
    series   (m,) int32 key of the number in `args`
    device   (m,) int32 device the counter belongs to, HOST_DEVICE or ALL_DEVICES
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
    """Ranges that the profiler measured with hardware counters (`cuda_profiler_range`), n in the order they ran; each
    is a kernel where it measured kernels one by one.

    name     n names: of the kernel, or that the program gave the range
    metrics  k names of metrics
    values   (n, k) float64, NaN where a range lacks the metric
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
    events          everything that has a duration, and memory events
    flows           forward-backward arrows
    properties      root members other than traceEvents (deviceProperties, distributedInfo, with_stack, ...), decoded
    process_labels  pid as written -> `process_labels` metadata ("GPU 0", "MLU 0", "CPU")
    process_names   pid as written -> `process_name` metadata
    thread_names    (pid, tid) as written -> `thread_name` metadata
    notes           damage and repairs
    counters        samples of counters, None when the trace has none
    ranges          what the profiler measured with hardware counters
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

    @property
    def device_properties(self) -> list[dict[str, Any]]:
        """Facts about the devices, index = device id."""
        return _devices(self.properties)


@dataclass(frozen=True, slots=True, eq=False)
class TraceEvents:
    """One torch.profiler trace as its events, for a program that has its own idea of them.

    events      decoded, in file order: `ph`, `cat`, `name`, `pid`, `tid`, `ts`, `dur`, `id` as far as written, `args`
    properties  as of TraceRecording
    notes       damage and repairs
    """

    file: FileFacts
    events: Sequence[dict[str, Any]]
    properties: Mapping[str, Any]
    notes: tuple[Note, ...]

    @property
    def device_properties(self) -> list[dict[str, Any]]:
        """Facts about the devices, index = device id."""
        return _devices(self.properties)


def _devices(properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    """`deviceProperties`; empty when missing or not a list of objects."""
    value = properties.get("deviceProperties")
    return [item if isinstance(item, dict) else {} for item in value] if isinstance(value, list) else []
