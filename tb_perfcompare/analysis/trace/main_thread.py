"""The main thread of a recording, and threads that run beside it."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.numbering import gather
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, Flags
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.names import is_backward_range, passing_names


def main_lane(timeline: InterpretedTrace) -> int:
    """Returns the lane with the most step markers, without markers the one with the most operators, without these that
    with the most host events; -1 without any.

    Ties go to the first by name.
    """
    rows: AnyInts = np.flatnonzero(timeline.is_marker)
    rows = rows if len(rows) else timeline.host.row
    rows = rows if len(rows) else np.flatnonzero(~timeline.is_device)
    lanes = timeline.lane[rows]
    if not len(lanes):
        return -1
    count, names = np.bincount(lanes), timeline.events.lanes
    most = np.flatnonzero(count == count.max()).tolist()
    return int(min(most, key=lambda lane: (str(names.pid[lane]), str(names.tid[lane]))))


def beside_main(timeline: InterpretedTrace) -> Flags:
    """(n,) Python functions of other threads than the main one: loggers, writers, monitors, clients. Not those of
    threads that run the backward pass, for which the main thread waits."""
    events = timeline.events
    beside: Flags = events.category == Category.PYTHON_FUNCTION
    if not beside.any():
        return beside
    beside &= timeline.lane != main_lane(timeline)
    if beside.any():
        is_range = np.zeros(len(events.strings), dtype=bool)
        is_range[passing_names(is_backward_range, events.strings)] = True
        runs_backward = np.zeros(len(events.lanes), dtype=bool)
        runs_backward[timeline.lane[gather(is_range, events.name)]] = True
        beside &= ~runs_backward[timeline.lane]
    return beside
