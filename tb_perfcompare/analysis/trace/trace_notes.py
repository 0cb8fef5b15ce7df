"""Notes on corrections and weaknesses in the reading of one file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import used_codes
from tb_perfcompare.analysis.trace.event_steps import EventSteps
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import Ints, is_of
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.number_text import listed, many, percent, time

UNKNOWN_STEP = 0.1
"""Share of the device time after the last step from which step times may say nothing about the device.

Where hosts wait for the device it is 0; a host that is done with six steps when the device is done with one leaves 0.8.
"""


def reading_notes(recording: TraceRecording, timeline: InterpretedTrace, windows: Windows) -> tuple[Note, ...]:
    """Returns the notes on what was corrected, or is weak, in the reading of this file."""
    messages = *_about_clock(timeline), *_about_steps(timeline, windows), *_about_links(timeline, windows)
    return tuple(Note(code, message, recording.file.path) for code, message in messages)


def _about_clock(timeline: InterpretedTrace) -> Iterator[tuple[NoteCode, str]]:
    for offset in timeline.clock_offsets:
        behind = offset.moved_ns > 0
        seen = "start before their launch" if behind else "end after the host has waited for them"
        yield NoteCode.CLOCK_MOVED, (
            f"the clock of device {offset.device} was {time(abs(offset.moved_ns) / 1000)} "
            f"{'behind' if behind else 'ahead of'} the host's ({offset.events:,} events {seen}): its times were moved"
        )


def _about_steps(timeline: InterpretedTrace, windows: Windows) -> Iterator[tuple[NoteCode, str]]:
    if not timeline.is_device.any():
        yield NoteCode.NO_DEVICE_EVENTS, "no device events: host time only"
    if (count := _processes(timeline)) > 1:
        message = f"operators of {count:,} processes in one file are read as one program; record a file for each"
        yield NoteCode.SEVERAL_PROCESSES, message
    if timeline.device_markers:
        copies = many(timeline.device_markers, "copy", "copies")
        yield NoteCode.DEVICE_STEPS_IGNORED, f"ignored {copies} of step markers on device streams"
    if windows.dropped:
        dropped = _by_reason([(label, reason) for label, _, reason in windows.dropped])
        yield NoteCode.STEPS_DROPPED, "; ".join(dropped)
    if windows.unfinished:
        compared = (f"step {label} is compared, though {reason}" for label, reason in windows.unfinished)
        yield NoteCode.UNFINISHED_STEPS, "; ".join(compared)
    if windows.overlaps:
        message = f"{windows.overlaps:,} step markers overlap the next one and were cut there"
        yield NoteCode.OVERLAPPING_STEPS, message


def _processes(timeline: InterpretedTrace) -> int:
    """Number of processes that called operators."""
    lanes = used_codes(timeline.events.lane[timeline.is_operator], len(timeline.events.lanes))
    return len({str(timeline.events.lanes.pid[lane]) for lane in lanes.tolist()})


def _about_links(timeline: InterpretedTrace, windows: Windows) -> Iterator[tuple[NoteCode, str]]:
    """Notes on what links device work, calls, operators and categories."""
    device = timeline.is_device
    unlinked = int((device & (timeline.launcher < 0) & (timeline.operator < 0)).sum())
    if unlinked:
        yield NoteCode.UNLINKED_DEVICE_EVENTS, (
            f"{unlinked:,} of {int(device.sum()):,} device events have no recorded launch: they count in the step in "
            "which they run, and in no operator"
        )
    late = _share_after_steps(timeline, windows)
    if late > UNKNOWN_STEP:
        message = f"{percent(late)} of the device time runs after the last step, and no recorded launch tells its step"
        yield NoteCode.DEVICE_AFTER_STEPS, message
    if timeline.ids_unusable:
        message = "External ids equal correlation ids: operators of API calls were found by time on their thread"
        yield NoteCode.LINKED_BY_TIME, message
    if timeline.host.clipped:
        message = f"{timeline.host.clipped:,} host events outlast their enclosing event and were cut there"
        yield NoteCode.OVERLAPPING_OPERATORS, message
    # torch-tb-profiler already counts host annotations of collectives as Communication; kernels are moved there.
    moved = int((device & is_of(timeline.role, StepCategory.COMMUNICATION)).sum())
    if moved:
        yield NoteCode.COLLECTIVES_MOVED, (
            f"{moved:,} collective kernels count as Communication; torch-tb-profiler's Overview counts them as Kernel"
        )


def _share_after_steps(timeline: InterpretedTrace, windows: Windows) -> float:
    """Share of the device time that runs after the last step's marker and whose launch was not recorded."""
    rows = np.flatnonzero(timeline.is_device)
    length = timeline.events.dur_ns[rows]
    after = (timeline.launcher[rows] < 0) & (timeline.events.start_ns[rows] >= windows.markers_end_ns)
    return float(length[after].sum() / length.sum()) if windows.markers_end_ns and length.any() else 0.0


def disputed_notes(
    windows: Windows, of_events: EventSteps, backlog: Ints, where: str
) -> tuple[Note, ...]:
    """Says for which steps windows and markers disagree, and how much of the windows is backlog."""
    length = windows.end_ns - windows.start_ns
    if not is_disputed(windows, of_events):
        return ()
    parts = []
    if len(of_events.disputed):
        steps = of_events.disputed.tolist()
        named = f"{'step' if len(steps) == 1 else 'steps'} {_named([windows.label[step] for step in steps])}"
        parts.append(f"step windows and host markers assign calls to different steps in {named}: the markers count")
    if backlog.any():
        share = percent(backlog.sum() / length.sum())
        parts.append(f"{share} of the windows is work that an earlier step launched")
    collapsed = [
        f"{windows.label[step]} ({time(length[step] / 1000)})" for step in of_events.collapsed.tolist()
    ]
    if collapsed:
        parts.append(f"almost nothing is left of the window of step {_named(collapsed)}: other steps own its time")
    return (Note(NoteCode.BACKLOG, "; ".join(parts), where),)


def is_disputed(windows: Windows, of_events: EventSteps) -> bool:
    """Whether windows and markers disagree on any step."""
    return windows.marked and bool(len(of_events.disputed) or len(of_events.collapsed))


def _by_reason(dropped: list[tuple[str, str]]) -> list[str]:
    """Formats dropped steps, one text per reason: "left out: steps 7, 8 and 9 (incomplete: ...)"."""
    labels: dict[str, list[str]] = {}
    for label, reason in dropped:
        labels.setdefault(reason, []).append(label)
    return [f"left out: {'step' if len(of) == 1 else 'steps'} {_named(of)} ({reason})" for reason, of in labels.items()]


def _named(labels: list[str]) -> str:
    return listed(labels, 5)
