"""One recording -> one summary, in the corrected reading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from tb_perfcompare.analysis.attribution.call_tree import call_tree
from tb_perfcompare.analysis.attribution.critical_path import critical_path
from tb_perfcompare.analysis.attribution.entities import Owners, find_owners, own
from tb_perfcompare.analysis.attribution.memory_use import memory_use
from tb_perfcompare.analysis.attribution.owned_modules import module_paths, modules_of, owned_modules
from tb_perfcompare.analysis.columns.native_passes import release
from tb_perfcompare.analysis.columns.numbering import chunks
from tb_perfcompare.analysis.entities.collectives import collectives
from tb_perfcompare.analysis.entities.device_metrics import device_metrics
from tb_perfcompare.analysis.entities.device_places import device_work
from tb_perfcompare.analysis.entities.device_timeline import device_timeline
from tb_perfcompare.analysis.entities.device_work import Texts, device_tables
from tb_perfcompare.analysis.entities.modules import module_table
from tb_perfcompare.analysis.entities.operators import operator_tables
from tb_perfcompare.analysis.entities.recommendations import recommendations
from tb_perfcompare.analysis.entities.work_table import work_tables
from tb_perfcompare.analysis.iterations.step_ranges import iteration_notes, trace_steps
from tb_perfcompare.analysis.trace.environment import RECORDED_FLAGS, clock_zero_ns, environment
from tb_perfcompare.analysis.trace.event_steps import EventSteps, event_steps
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace, interpret
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.analysis.trace.vendor import device_facts, find_vendor
from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.arrays import EventIndex, Ints, StepIndex
from tb_perfcompare.model.collector import paused_collector
from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.recording import Origin, TraceRecording
from tb_perfcompare.model.summary.collectives import BY_MESSAGE
from tb_perfcompare.model.summary.critical_path import TABLE as CRITICAL_PATH
from tb_perfcompare.model.summary.device_timeline import TABLE as DEVICE_TIMELINE
from tb_perfcompare.model.summary.kernel_metrics import MODELLED_WORK
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import (
    Capture,
    CounterSeries,
    DroppedStep,
    GroupTable,
    StepCategory,
    StepTable,
    Summary,
)
from tb_perfcompare.number_text import many, percent, time

_ABSENT = {
    "operators": "the trace has no operators; record with ProfilerActivity.CPU",
    "operators_by_shape": "no input shapes; record with record_shapes=True",
    "call_tree": "the trace has no operators; record with ProfilerActivity.CPU",
    "kernels": "no device events; record with the device's ProfilerActivity",
    "kernels_by_launch": "no kernel records its launch configuration",
    "kernels_by_module": "no nn.Module calls; record with with_stack=True or with_modules=True",
    "kernels_by_type": "no operator that launches kernels has input types; record with record_shapes=True",
    "memcpy": "no copies between host and device in the compared steps",
    DEVICE_TIMELINE: "no device events; record with the device's ProfilerActivity",
    CRITICAL_PATH: "no operators or markers on the host; record with ProfilerActivity.CPU",
    BY_MESSAGE: "no collective on the device has a recorded data type, message size and group of several ranks",
    "communication": "no collectives in the compared steps",
    "modules": "no nn.Module calls; record with with_stack=True or with_modules=True",
    "modules_ledger": "no nn.Module calls; record with with_stack=True or with_modules=True",
    "memory": "no memory events; record with profile_memory=True",
    "counters": "no counter events in the trace",
}

_LATE_COUNTERS = "no counter was sampled before the last compared step ended"


UNREAD_ARGUMENTS = frozenset({"python_id", "python_parent_id", "address"})
"""What step timelines show and no part of a summary needs."""


def without_unread(recording: TraceRecording) -> TraceRecording:
    """The recording without UNREAD_ARGUMENTS, a tenth of the memory where stacks were recorded. Its summary is the
    same; the caller drops the whole recording first."""
    return replace(recording, events=recording.events.without(UNREAD_ARGUMENTS))


@paused_collector()
def summarize(
    recording: TraceRecording, origin: Origin, window: str = "device", *, marker: str = "",
    paths_of_rows: bool = False, tail: bool = False,
) -> Summary:  # fmt: skip
    """Summary of one trace; `window` is "device" or "marker", `marker` says what delimits steps ("": what is found);
    with `paths_of_rows` it tells from where rows were called and how long single launches took, with `tail` the last
    step stays even if the recording ended before it did. Raises CorruptInput if nothing in it can be timed,
    SelectionError for a marker it lacks."""
    vendor, _ = find_vendor(recording)
    trace = trace_steps(interpret(recording.events, vendor), marker, tail=tail)
    timeline, both = trace.timeline, trace.windows
    windows = both[window]
    _check_timed(windows, recording)
    of_events = event_steps(timeline, both, window)
    step = of_events.step
    steps = len(windows.label)
    events = len(recording.events)
    release(events)  # what reading and nesting took
    owners = find_owners(timeline, windows)
    owned = own(timeline, owners, step, steps)
    release(events)
    device = device_facts(recording, vendor)
    metrics = device_metrics(timeline, int(windows.start_ns[0]), int(windows.end_ns[-1]))
    paths = module_paths(timeline, owners, recording.flows)
    module_of = None if paths is None else partial(modules_of, owners, paths)
    groups = _group_tables(timeline, windows, step, steps, module_of, durations=paths_of_rows)
    measured = _measure(groups, timeline, recording, step, steps)
    on_path = critical_path(timeline, owners, windows, recording.flows)
    groups |= {} if on_path is None else {CRITICAL_PATH: on_path}
    memory = memory_use(timeline, both["marker"])
    series, coarse = _counters(recording, windows, device.word)
    by_module = None if paths is None else owned_modules(owners, paths, steps)
    release(events)
    tree = call_tree(timeline, owners, paths, step, steps)
    release(events)
    backlog = _backlog(timeline, owners, of_events, steps)
    tables = (("memory", memory), ("counters", series), ("modules_ledger", by_module), ("call_tree", tree))
    tabled = {name for name, present in tables if present is not None}
    if "kernels" not in groups:
        tabled |= {"kernels_by_launch", "kernels_by_module", "kernels_by_type"}  # no losses of their own
    if "communication" not in groups:
        tabled.add(BY_MESSAGE)
    if paths_of_rows:
        from tb_perfcompare.analysis.attribution.call_paths import call_paths
    other = both["marker" if window == "device" else "device"]
    return Summary(
        source=origin.source,
        format=TRACE,
        captures=(
            Capture(
                origin.run, origin.worker, origin.span, _rank(recording, origin.rank), recording.file, device,
                clock_zero_ns(recording.properties, int(windows.start_ns[0])),
            ),
        ),
        device=device,
        window=window,
        marked=windows.marked,
        steps=_step_table(timeline, windows, step, backlog, trace.text),
        iterations=trace.iterations,
        dropped=tuple(DroppedStep(0, label, total, reason) for label, total, reason in windows.dropped),
        other_window=other.end_ns - other.start_ns,
        owned=owned,
        groups=groups,
        device_metrics=metrics,
        environment=environment(recording, timeline, device),
        recommendations=recommendations(timeline, owned, metrics),
        absent={
            name: why for name, why in _absent(recording, timeline).items() if name not in groups and name not in tabled
        },
        memory=memory,
        modules=by_module,
        work=device_work(timeline, step),
        call_tree=tree,
        call_paths=call_paths(timeline, owners, paths, step) if paths_of_rows else {},
        collectives=collectives(timeline, windows, step),
        notes=recording.notes
        + iteration_notes(trace, recording.file.path)
        + _notes(recording, timeline, windows)
        + _disputed(windows, of_events, backlog, recording.file.path)
        + _pooled(owned.parts, by_module, recording.file.path)
        + coarse
        + measured,
        counters=series,
    )


def _check_timed(windows: Windows, recording: TraceRecording) -> None:
    """Raises CorruptInput where no step takes any time."""
    if not len(windows.label) or not int((windows.end_ns - windows.start_ns).sum()):
        raise CorruptInput(
            recording.file.path,
            "no operators, annotations, API calls or device events to time",
            hint="record with torch.profiler's CPU or device activity",
        )


def _group_tables(
    timeline: InterpretedTrace, windows: Windows, step: StepIndex, steps: int,
    module_of: Callable[[EventIndex], Texts] | None, *, durations: bool,
) -> dict[str, GroupTable]:  # fmt: skip
    """Tables of operators, device work, modules and the device's time line that have rows; `step` is each event's,
    `module_of` names those of device work."""
    groups = operator_tables(timeline, step, steps)
    groups |= device_tables(timeline, step, steps, module_of=module_of, durations=durations)
    groups |= work_tables(timeline, step, steps)
    release(len(timeline.events))
    modules = module_table(timeline, step, steps)
    if modules is not None:
        groups["modules"] = modules
    of_device = device_timeline(timeline, windows)
    if of_device is not None:
        groups[DEVICE_TIMELINE] = of_device
    return {name: table for name, table in groups.items() if len(table)}


def _measure(
    groups: dict[str, GroupTable], timeline: InterpretedTrace, recording: TraceRecording, step: StepIndex, steps: int
) -> tuple[Note, ...]:
    """Adds what the profiler measured of ranges. Where that is instead of kernels, work of operators has no time."""
    ranges = recording.ranges
    if not len(ranges):
        return ()
    from tb_perfcompare.analysis.entities.kernel_metrics import metric_tables

    tables, unknown = metric_tables(timeline, ranges, step, steps)
    groups |= {name: table for name, table in tables.items() if len(table)}
    if not timeline.is_device.any():
        work = groups.pop("operator_work", None)
        groups.pop("module_work", None)
        groups |= {} if work is None else {MODELLED_WORK: work}
    message = (
        f"the profiler ran {many(len(ranges), 'range')} one by one to measure them (cuda_profiler_range): their times "
        "are made up and count nowhere, and steps last as long as the measurement"
    )
    if unknown:
        message += f"; {unknown}: their steps and operators are unknown, and sums are shared out over the steps"
    return (Note(NoteCode.MEASURED_RANGES, message, recording.file.path),)


def _counters(
    recording: TraceRecording, windows: Windows, word: str
) -> tuple[CounterSeries | None, tuple[Note, ...]]:
    """The samples by step, and that they are few where they are."""
    if recording.counters is None:
        return None, ()
    from tb_perfcompare.analysis.counters.counter_tables import coarse_note, sampled_counters

    sampled = sampled_counters(recording.counters, windows.start_ns, windows.end_ns, word)
    if sampled is None:
        return None, ()
    coarse = coarse_note(sampled, windows.end_ns - windows.start_ns, recording.file.path)
    return sampled.series, () if coarse is None else (coarse,)


def _absent(recording: TraceRecording, timeline: InterpretedTrace) -> dict[str, str]:
    """Table -> why it is absent if it is. An option that was on is not asked for again."""
    on = [flag for flag in RECORDED_FLAGS if recording.properties.get(flag)]
    absent = {
        name: f"{why.partition(';')[0]}, though {flag}=True was on"
        for name, why in _ABSENT.items()
        for flag in on
        if f"{flag}=True" in why
    }
    if timeline.is_device.any():
        absent[DEVICE_TIMELINE] = "some device events do not name their device, of several"
    elif len(recording.ranges):
        absent |= dict.fromkeys(("kernels", DEVICE_TIMELINE), "kernels were measured one by one, without their times")
    found = {**_ABSENT, **absent, **({} if recording.counters is None else {"counters": _LATE_COUNTERS})}
    if all(note.code != NoteCode.TRUNCATED for note in recording.notes):
        return found
    cut = "the file is cut off; the lost part may hold them"
    return {name: f"{why.partition('; ')[0]}; {cut}" for name, why in found.items()}


def _rank(recording: TraceRecording, by_name: int | None) -> int | None:
    info = recording.properties.get("distributedInfo")
    rank = info.get("rank") if isinstance(info, dict) else None
    return rank if isinstance(rank, int) else by_name


def _backlog(timeline: InterpretedTrace, owners: Owners, found: EventSteps, steps: int) -> Ints:
    """(s,) of each window, what device work that an earlier step launched owns."""
    shares, device = owners.shares, timeline.is_device
    out = np.zeros(steps, dtype=np.int64)
    for some in chunks(len(shares.claim)):
        row, window = owners.row[shares.claim[some]], shares.step[some]
        late = device[row] & (found.step[row] < window) & ((found.step[row] >= 0) | found.before[row])
        np.add.at(out, window[late], shares.time_ns[some][late])
    return out


def _step_table(
    timeline: InterpretedTrace, windows: Windows, step: StepIndex, backlog: Ints, text: tuple[str, ...]
) -> StepTable:
    steps = len(windows.label)
    launched = timeline.is_device & (step >= 0)
    return StepTable(
        capture=np.zeros(steps, dtype=np.int32),
        label=windows.label,
        start_ns=windows.start_ns,
        total_ns=windows.end_ns - windows.start_ns,
        launches=np.bincount(step[launched], minlength=steps).astype(np.int64),
        backlog_ns=backlog,
        text=text,
    )


def _disputed(
    windows: Windows, of_events: EventSteps, backlog: Ints, where: str
) -> tuple[Note, ...]:
    """Says where windows and markers disagree on a step, and how much of the windows is backlog."""
    length = windows.end_ns - windows.start_ns
    if not windows.marked or not (len(of_events.disputed) or len(of_events.collapsed)):
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


def _by_reason(dropped: list[tuple[str, str]]) -> list[str]:
    """"left out: steps 7, 8 and 9 (incomplete: ...)", once for each reason."""
    labels: dict[str, list[str]] = {}
    for label, reason in dropped:
        labels.setdefault(reason, []).append(label)
    return [f"left out: {'step' if len(of) == 1 else 'steps'} {_named(of)} ({reason})" for reason, of in labels.items()]


def _named(labels: list[str], most: int = 5) -> str:
    return ", ".join(labels[:most]) + (f" and {len(labels) - most} more" if len(labels) > most else "")


def _pooled(parts: SplitTime | None, modules: SplitTime | None, where: str) -> tuple[Note, ...]:
    """Says what of the finest level is pooled."""
    found = ((parts, "callers and input shapes", "their entry"), (modules, "modules", "their category"))
    return tuple(
        Note(NoteCode.PARTS_POOLED, f"the {split.pooled:,} smallest {what} are pooled under {under}", where)
        for split, what, under in found
        if split is not None and split.pooled
    )


def _notes(recording: TraceRecording, timeline: InterpretedTrace, windows: Windows) -> tuple[Note, ...]:
    """What was corrected or is weak in the reading of this file."""
    path = recording.file.path
    device = timeline.is_device
    unlinked = int((device & (timeline.launcher < 0)).sum())
    total = int(device.sum())
    # Collectives that keep torch-tb-profiler's own kind are host annotations; kernels are the ones moved.
    moved = int((device & (timeline.role == StepCategory.COMMUNICATION)).sum())
    possible: list[tuple[bool, NoteCode, str]] = [
        (total == 0, NoteCode.NO_DEVICE_EVENTS, "no device events: host time only"),
        (
            timeline.device_markers > 0,
            NoteCode.DEVICE_STEPS_IGNORED,
            f"ignored {many(timeline.device_markers, 'copy', 'copies')} of step markers on device streams",
        ),
        (
            bool(windows.dropped),
            NoteCode.STEPS_DROPPED,
            "; ".join(_by_reason([(label, reason) for label, _, reason in windows.dropped])),
        ),
        (
            bool(windows.unfinished),
            NoteCode.UNFINISHED_STEPS,
            "; ".join(f"step {label} is compared, though {reason}" for label, reason in windows.unfinished),
        ),
        (
            windows.overlaps > 0,
            NoteCode.OVERLAPPING_STEPS,
            f"{windows.overlaps:,} step markers overlap the next one and were cut there",
        ),
        (
            total > 0 and unlinked > 0,
            NoteCode.UNLINKED_DEVICE_EVENTS,
            f"{unlinked:,} of {total:,} device events have no recorded launch: steps include their time, operators "
            "do not",
        ),
        (
            timeline.ids_unusable,
            NoteCode.LINKED_BY_TIME,
            "External ids equal correlation ids: operators of API calls were found by time on their thread",
        ),
        (
            timeline.host.clipped > 0,
            NoteCode.OVERLAPPING_OPERATORS,
            f"{timeline.host.clipped:,} host events outlast their enclosing event and were cut there",
        ),
        (
            moved > 0,
            NoteCode.COLLECTIVES_MOVED,
            f"{moved:,} collective kernels count as Communication; torch-tb-profiler's Overview counts them as Kernel",
        ),
    ]
    return tuple(Note(code, message, path) for applies, code, message in possible if applies)
