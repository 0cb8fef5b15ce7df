"""Threads of a recording: the main one, and which of their events enclose others."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.native_passes import Coded
from tb_perfcompare.analysis.columns.nesting import Enclosers, Nesting, innermost, nest
from tb_perfcompare.analysis.columns.numbering import gather
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Flags, Ints32, is_of
from tb_perfcompare.model.events import Category


def main_lane(timeline: InterpretedTrace) -> int:
    """Returns the lane with the most step markers, without markers the one with the most operators, without these that
    with the most host events; -1 without any.

    Ties go to the first, as lanes are numbered by name.
    """
    rows: AnyInts = np.flatnonzero(timeline.is_marker)
    rows = rows if len(rows) else timeline.host.row
    rows = rows if len(rows) else np.flatnonzero(~timeline.is_device)
    lanes = gather(timeline.lane, rows)
    if not len(lanes):
        return -1
    return int(np.bincount(lanes).argmax())


def on_other_threads(timeline: InterpretedTrace) -> Flags:
    """(n,) Python functions of other threads than the main one: loggers, writers, monitors, clients. Not those of
    threads that run operators, such as the backward pass or a replica of the model: the main thread waits for them."""
    other: Flags = is_of(timeline.events.category, Category.PYTHON_FUNCTION)
    if other.any():
        runs_operators = np.zeros(len(timeline.events.lanes), dtype=bool)
        runs_operators[timeline.lane[timeline.is_operator]] = True
        other &= (timeline.lane != main_lane(timeline)) & ~gather(runs_operators, timeline.lane)
    return other


def nested(timeline: InterpretedTrace, rows: EventIndex) -> Nesting:
    """Nests these events by time; of equal spans the outermost is the first by name."""
    events = timeline.events
    name = Coded(events.name, events.strings.ranks())
    return nest(timeline.lane, events.start_ns, events.dur_ns, name, rows=rows)


def innermost_around(timeline: InterpretedTrace, nesting: Nesting, asked: EventIndex) -> Ints32:
    """(q,) Index of the innermost of these nested events around the start of each event asked for, -1 if there is
    none."""
    lane, start = timeline.lane, timeline.events.start_ns
    nodes = Enclosers(gather(lane, nesting.order), gather(start, nesting.order), nesting.end, nesting.parent)
    return innermost(nodes, gather(lane, asked), gather(start, asked))
