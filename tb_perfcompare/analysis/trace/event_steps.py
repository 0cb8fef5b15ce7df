"""To which step an event belongs, whatever window it ran in.

The host works for the step of its marker; the device works for the step that launched it, however late it gets to it.
So the device's backlog moves no call from one step to another: only the windows, which share out wall time, hold it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.analysis.columns.numbering import chunks
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import Flags, Ints, Ints32, Nanoseconds, StepIndex
from tb_perfcompare.quick_dataclass import dataclass

COLLAPSED = 0.1
"""A window that is less than this share of the time from its host marker to its own end says nothing of the step: the
device's work for others owns the rest."""

DISAGREE = 0.02
"""Share of the host's calls above which windows and markers disagree."""


@dataclass(frozen=True, slots=True, eq=False)
class EventSteps:
    """step       (n,) int32 the step each event belongs to, -1 for none
    before     (n,) bool device work that was launched before the recording began
    collapsed  places of windows that other steps' work has left next to nothing of
    disputed   places of steps whose window holds other numbers of host calls than their marker, where that is so of
               the recording as a whole
    """

    step: StepIndex
    before: Flags
    collapsed: Ints
    disputed: Ints


def step_of(start_ns: Nanoseconds, windows: Windows) -> Ints32:
    """(n,) index of the window an event starts in, -1 outside all."""
    if not len(windows.label):
        return np.full(len(start_ns), -1, dtype=np.int32)
    edges = np.sort(np.concatenate([windows.start_ns, windows.end_ns]))
    step = np.searchsorted(windows.start_ns, edges, side="right") - 1
    step = np.where((step >= 0) & (edges < windows.end_ns[np.maximum(step, 0)]), step, -1)
    # from one edge to the next nothing changes
    step = np.append(-1, step).astype(np.int32)
    found = np.empty(len(start_ns), dtype=np.int32)
    for some in chunks(len(start_ns)):
        found[some] = step[np.searchsorted(edges, start_ns[some], side="right")]
    return found


def event_steps(timeline: InterpretedTrace, both: Mapping[str, Windows], window: str) -> EventSteps:
    """Host events by the markers, linked device events by their launches, others by the window they start in."""
    start = timeline.events.start_ns
    step = step_of(start, both["marker"])
    by_window = step_of(start, both[window])
    device = timeline.is_device
    linked = np.flatnonzero(device & (timeline.launcher >= 0))
    step[device] = by_window[device]
    count = len(both[window].label)
    inside, marked = (
        np.bincount(of[timeline.is_operator & (of >= 0)], minlength=count) for of in (by_window, step)
    )
    step[linked] = step[timeline.launcher[linked]]
    before = _before_recording(timeline, device, linked)
    step[before] = -1
    lengths = both[window].end_ns - both[window].start_ns
    late = both[window].start_ns - both["marker"].start_ns
    apart, most = np.abs(inside - marked), np.maximum(inside, marked)
    disputed = np.flatnonzero(apart > DISAGREE * most) if apart.sum() > DISAGREE * most.sum() else apart[:0]
    return EventSteps(step, before, np.flatnonzero(lengths < COLLAPSED * (lengths + late)), disputed)


def _before_recording(timeline: InterpretedTrace, device: Flags, linked: Ints) -> Flags:
    """Device work at the beginning of a stream whose launches are not in the recording. Where launches are missing
    elsewhere, too, they were lost, and it is unknown when they were made."""
    before = np.zeros(len(device), dtype=np.bool_)
    lost = np.flatnonzero(device & (timeline.launcher < 0))
    if not len(lost) or not len(linked):
        return before
    start = timeline.events.start_ns
    first = np.full(int(timeline.lane.max(initial=0)) + 1, np.iinfo(np.int64).min)
    first[timeline.lane[linked]] = np.iinfo(np.int64).max
    np.minimum.at(first, timeline.lane[linked], start[linked])
    if (start[lost] < first[timeline.lane[lost]]).all():
        before[lost] = True
    return before
