"""Converts ranges measured with hardware counters (events of `cat` cuda_profiler_range) to MeasuredRanges.

    {"ph": "X", "cat": "cuda_profiler_range", "name": "gemm(int)", "ts": 12.5, "dur": 2.5,
     "args": {"dram__bytes_read.sum": 4096}}

Their times are not measured: Kineto divides the whole recording equally among them, in execution order. They are
therefore not events with a duration; only their order matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tb_perfcompare.model.recordings.recording import NO_RANGES, MeasuredRanges
from tb_perfcompare.sources.trace.columns.counter_events import find_numbers
from tb_perfcompare.sources.trace.columns.event import Event
from tb_perfcompare.sources.trace.columns.numbers import parse_times

RANGE = "cuda_profiler_range"
"""Category of these events."""


class RangeBuilder:
    """Takes decoded range events in file order; `finish` returns all of them."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    def add(self, events: Sequence[Event]) -> None:
        """Adds the next range events of the file."""
        self._events += events

    def finish(self, dropped: Counter[str]) -> MeasuredRanges:
        """The ranges in execution order; those without a name or a time are counted in `dropped`."""
        if not self._events:
            return NO_RANGES
        times = parse_times([event.ts for event in self._events])
        named = np.array([event.name is not None for event in self._events], dtype=bool)
        for reason, lost in (("name", ~named), ("ts", named & ~times.valid)):
            dropped.update({reason: int(lost.sum())} if lost.any() else {})
        order = np.flatnonzero(named & times.valid)
        order = order[np.argsort(times.ns[order], kind="stable")]
        events = [self._events[at] for at in order.tolist()]
        numbers = find_numbers([event.args or {} for event in events])
        metrics = {key: place for place, key in enumerate(sorted(set(numbers.key)))}
        values = np.full((len(events), len(metrics)), np.nan)
        values[numbers.event, [metrics[key] for key in numbers.key]] = numbers.value
        return MeasuredRanges(tuple(event.name or "" for event in events), tuple(metrics), values)
