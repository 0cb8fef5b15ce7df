"""Assigns events to steps, independently of the window they ran in.

Host events belong to the step of their marker; device events to the step that launched them, however late they run. So
the device's backlog moves no call from one step to another; only the windows, which divide wall time, contain it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.analysis.columns.numbering import gather, rows_where, scatter_add
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import Flags, Ints, Ints32, Nanoseconds, StepIndex, chunks
from tb_perfcompare.quick_dataclass import dataclass

COLLAPSED = 0.1
"""Least length of a window that represents its step, as a share of the time from its host marker to its end.

Of a shorter window, device work of other steps owns the rest.
"""

DISAGREE = 0.02
"""Share of host calls above which windows and markers disagree."""


@dataclass(frozen=True, slots=True, eq=False)
class EventSteps:
    """The step of each event.

    step       (n,) int32 step of each event, -1 for none
    before     (n,) bool device work that was launched before the recording began
    collapsed  windows of which other steps' work has left almost nothing
    disputed   steps whose window and marker contain different numbers of host calls, if the recording as a whole
               disagrees
    """

    step: StepIndex
    before: Flags
    collapsed: Ints
    disputed: Ints


def step_of(start_ns: Nanoseconds, windows: Windows) -> Ints32:
    """(n,) Window in which each event starts, -1 outside all."""
    if not len(windows.label):
        return np.full(len(start_ns), -1, dtype=np.int32)
    edges = np.sort(np.concatenate([windows.start_ns, windows.end_ns]))
    step = np.searchsorted(windows.start_ns, edges, side="right") - 1
    step = np.where((step >= 0) & (edges < windows.end_ns[np.maximum(step, 0)]), step, -1)
    # the step is constant between two edges
    step = np.append(-1, step).astype(np.int32)
    window = np.empty(len(start_ns), dtype=np.int32)
    for chunk in chunks(len(start_ns)):
        window[chunk] = step[np.searchsorted(edges, start_ns[chunk], side="right")]
    return window


def event_steps(timeline: InterpretedTrace, both: Mapping[str, Windows], window: str) -> EventSteps:
    """Assigns host events by markers, linked device events by their launches, others by the window they start in."""
    start = timeline.events.start_ns
    step = step_of(start, both["marker"])
    by_window = step_of(start, both[window])
    device = timeline.is_device
    linked = np.flatnonzero(device & (timeline.launcher >= 0))
    step[device] = by_window[device]
    count = len(both[window].label)
    operators = rows_where(timeline.is_operator)
    inside, marked = (scatter_add((of, operators), count)[:, 0] for of in (by_window, step))
    del operators  # frees memory for the next steps
    step[linked] = gather(step, timeline.launcher[linked])
    before = _before_recording(timeline, device, linked)
    step[before] = -1
    lengths = both[window].end_ns - both[window].start_ns
    late = both[window].start_ns - both["marker"].start_ns
    gap, larger = np.abs(inside - marked), np.maximum(inside, marked)
    disputed = np.flatnonzero(gap > DISAGREE * larger) if gap.sum() > DISAGREE * larger.sum() else gap[:0]
    return EventSteps(step, before, np.flatnonzero(lengths < COLLAPSED * (lengths + late)), disputed)


def _before_recording(timeline: InterpretedTrace, device: Flags, linked: Ints) -> Flags:
    """(n,) Device work at the beginning of a stream whose launches are not in the recording.

    If launches are missing elsewhere, too, they were lost and their times are unknown; then none.
    """
    before = np.zeros(len(device), dtype=np.bool_)
    unlinked = np.flatnonzero(device & (timeline.launcher < 0))
    if not len(unlinked) or not len(linked):
        return before
    start = timeline.events.start_ns
    first = np.full(int(timeline.lane.max(initial=0)) + 1, np.iinfo(np.int64).min)
    first[timeline.lane[linked]] = np.iinfo(np.int64).max
    np.minimum.at(first, timeline.lane[linked], start[linked])
    if (start[unlinked] < first[timeline.lane[unlinked]]).all():
        before[unlinked] = True
    return before
