"""Steps and notes of a trace summary. `outline` computes these without the tables."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.attribution import owned_modules, owned_parts
from tb_perfcompare.analysis.attribution.entities import Owners, find_owners
from tb_perfcompare.analysis.columns.numbering import gather
from tb_perfcompare.analysis.iterations.step_ranges import TraceSteps, iteration_notes, trace_steps
from tb_perfcompare.analysis.trace.event_steps import EventSteps, event_steps
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace, interpret
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.analysis.trace.trace_notes import disputed_notes, is_disputed, reading_notes
from tb_perfcompare.analysis.trace.vendor import device_facts, find_vendor
from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.api_calls import ALLOCATION, GRAPH_LAUNCH, LAUNCH, RELEASE, calls
from tb_perfcompare.model.arrays import Ints, chunks, unique
from tb_perfcompare.model.collector import paused_collector
from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.model.summary.outline import Outline, mean_step_us
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import DeviceFacts
from tb_perfcompare.model.summary.tables import CounterSeries, GroupTable
from tb_perfcompare.number_text import many
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class TimedTrace:
    """A recording with its steps; `windows` are those of the chosen rule (device or marker)."""

    recording: TraceRecording
    device: DeviceFacts
    steps: TraceSteps
    windows: Windows
    of_events: EventSteps

    @property
    def timeline(self) -> InterpretedTrace:
        """The recording's interpreted events."""
        return self.steps.timeline


def timed_trace(recording: TraceRecording, window: str, marker: str, *, tail: bool) -> TimedTrace:
    """Finds the recording's steps. Arguments and errors as of summarize."""
    vendor = find_vendor(recording)
    timeline = interpret(recording.events, vendor)
    if _has_only_setup_calls(timeline):
        raise CorruptInput(
            recording.file.path,
            "no operator and no kernel was recorded, only calls that set up the device and wait for it",
            hint="record the active steps of the schedule, with ProfilerActivity.CPU and the device's",
        )
    steps = trace_steps(timeline, marker, tail=tail)
    windows = steps.windows[window]
    if not len(windows.label) or not int((windows.end_ns - windows.start_ns).sum()):
        raise CorruptInput(
            recording.file.path,
            "no operators, annotations, API calls or device events to time",
            hint="record with torch.profiler's CPU or device activity; for work in other threads than the profiler's, "
            "as of a thread pool, with experimental_config=_ExperimentalConfig(profile_all_threads=True)",
        )
    of_events = event_steps(steps.timeline, steps.windows, window)
    return TimedTrace(recording, device_facts(recording, vendor), steps, windows, of_events)


def _has_only_setup_calls(timeline: InterpretedTrace) -> bool:
    """Whether all it has are API calls, and none submits work or allocates memory: those of a profiler that starts
    and stops outside the active steps of its schedule."""
    events, api = timeline.events, timeline.is_api
    if not api.any() or (~api & (timeline.role >= 0)).any():
        return False
    names = [events.strings[code] for code in unique(events.name[api]).tolist()]
    return not any(calls(role, name) for role in (LAUNCH, GRAPH_LAUNCH, ALLOCATION, RELEASE) for name in names)


@paused_collector()
def outline(recording: TraceRecording, window: str = "device", *, marker: str = "", tail: bool = False) -> Outline:
    """Builds the outline of the summary that `summarize` would give, in a third of its time.

    Arguments and errors as of summarize.
    """
    trace = timed_trace(recording, window, marker, tail=tail)
    windows, steps = trace.windows, len(trace.windows.label)
    _, coarse = counters_by_step(trace)
    measured = measured_ranges(trace)[1]
    backlog, parts, modules = np.zeros(steps, dtype=np.int64), None, None
    max_parts = 2 * len(recording.events) + steps  # at most one for each event and each gap between events
    if is_disputed(windows, trace.of_events) or max_parts > min(owned_parts.MAX_PARTS, owned_modules.MAX_KEYS):
        owners = find_owners(trace.timeline, windows)
        backlog = backlog_of(trace, owners)
        parts = owned_parts.owned_parts(
            trace.timeline, owners.row, owners.shares, owners.entity, (owners.category, owners.key),
            trace.of_events.step, steps,
        )  # fmt: skip
        paths = owned_modules.module_paths(trace.timeline, owners, recording.flows)
        modules = None if paths is None else owned_modules.owned_modules(owners, paths, steps)
    return Outline(
        TRACE, trace.device, windows.marked, steps, len(windows.dropped),
        mean_step_us(windows.end_ns - windows.start_ns), trace.steps.iterations,
        notes_of(trace, backlog, (parts, modules), (*coarse, *measured)),
    )  # fmt: skip


def notes_of(
    trace: TimedTrace, backlog: Ints, pooled: tuple[SplitTime | None, SplitTime | None], others: tuple[Note, ...]
) -> tuple[Note, ...]:
    """Returns all notes on the trace.

    `pooled` are the owned parts and modules, `others` the notes on counters and measured ranges.
    """
    recording, windows = trace.recording, trace.windows
    path = recording.file.path
    return (
        *recording.notes,
        *iteration_notes(trace.steps, path),
        *reading_notes(recording, trace.timeline, windows),
        *disputed_notes(windows, trace.of_events, backlog, path),
        *_pooling_notes(*pooled, path),
        *others,
    )


def backlog_of(trace: TimedTrace, owners: Owners) -> Ints:
    """(s,) Owned time per step of device work that was launched in an earlier step."""
    shares, device, of_events = owners.shares, trace.timeline.is_device, trace.of_events
    out = np.zeros(len(trace.windows.label), dtype=np.int64)
    for chunk in chunks(len(shares.claim)):
        row, window = gather(owners.row, shares.claim[chunk]), shares.step[chunk]
        step = gather(of_events.step, row)
        late = gather(device, row) & (step < window) & ((step >= 0) | gather(of_events.before, row))
        np.add.at(out, window[late], shares.time_ns[chunk][late])
    return out


def counters_by_step(trace: TimedTrace) -> tuple[CounterSeries | None, tuple[Note, ...]]:
    """Returns the counter samples by step, with a note if there are few per step; None without samples."""
    recording, windows = trace.recording, trace.windows
    if recording.counters is None:
        return None, ()
    from tb_perfcompare.analysis.counters.counter_tables import coarse_note, sampled_counters

    sampled = sampled_counters(recording.counters, windows.start_ns, windows.end_ns, trace.device.word)
    if sampled is None:
        return None, ()
    coarse = coarse_note(sampled, windows.end_ns - windows.start_ns, recording.file.path)
    return sampled.series, () if coarse is None else (coarse,)


def measured_ranges(trace: TimedTrace) -> tuple[dict[str, GroupTable], tuple[Note, ...]]:
    """Returns tables of the ranges that the profiler measured one by one, and a note on what that does to times."""
    ranges = trace.recording.ranges
    if not len(ranges):
        return {}, ()
    from tb_perfcompare.analysis.entities.kernel_metrics import metric_tables

    tables, unknown = metric_tables(trace.timeline, ranges, trace.of_events.step, len(trace.windows.label))
    message = (
        f"the profiler ran {many(len(ranges), 'range')} one by one to measure them (cuda_profiler_range): their times "
        "are made up and count nowhere, and steps last as long as the measurement"
    )
    if unknown:
        message += f"; {unknown}: their steps and operators are unknown, and sums are shared out over the steps"
    return tables, (Note(NoteCode.MEASURED_RANGES, message, trace.recording.file.path),)


def _pooling_notes(parts: SplitTime | None, modules: SplitTime | None, where: str) -> tuple[Note, ...]:
    """Notes on parts and modules that were pooled because there were too many."""
    split_of = ((parts, "callers and input shapes", "their entry"), (modules, "modules", "their category"))
    return tuple(
        Note(NoteCode.PARTS_POOLED, f"the {split.pooled:,} smallest {what} are pooled under {under}", where)
        for split, what, under in split_of
        if split is not None and split.pooled
    )
