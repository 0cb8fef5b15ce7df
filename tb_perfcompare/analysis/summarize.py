"""Builds the summary of one recording, in the corrected reading."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

import numpy as np

from tb_perfcompare.analysis.attribution.call_tree import call_tree
from tb_perfcompare.analysis.attribution.critical_path import critical_path
from tb_perfcompare.analysis.attribution.entities import find_owners, own
from tb_perfcompare.analysis.attribution.gil_waits import gil_waits
from tb_perfcompare.analysis.attribution.memory_use import memory_use
from tb_perfcompare.analysis.attribution.owned_modules import module_paths, modules_of, owned_modules
from tb_perfcompare.analysis.attribution.python_time import python_time
from tb_perfcompare.analysis.entities.collectives import collectives
from tb_perfcompare.analysis.entities.device_metrics import device_metrics, recommendations
from tb_perfcompare.analysis.entities.device_places import device_work
from tb_perfcompare.analysis.entities.device_timeline import device_timeline
from tb_perfcompare.analysis.entities.device_work import device_tables
from tb_perfcompare.analysis.entities.modules import calls_in_steps, module_table
from tb_perfcompare.analysis.entities.operators import operator_tables
from tb_perfcompare.analysis.entities.work_table import work_tables
from tb_perfcompare.analysis.outline import (
    TimedTrace,
    backlog_of,
    counters_by_step,
    measured_ranges,
    notes_of,
    timed_trace,
)
from tb_perfcompare.analysis.trace.environment import RECORDED_FLAGS, clock_zero_ns, environment, recorded_flag
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import EventIndex, Ints, StepIndex
from tb_perfcompare.model.collector import paused_collector
from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.recording import Origin, TraceRecording
from tb_perfcompare.model.summary.collectives import BY_MESSAGE
from tb_perfcompare.model.summary.groups import CRITICAL_PATH, DEVICE_TIMELINE, GIL_WAITS, MODELED_WORK, PYTHON_TIME
from tb_perfcompare.model.summary.summary import Capture, DroppedStep, Summary
from tb_perfcompare.model.summary.tables import GroupTable, StepTable
from tb_perfcompare.model.texts import Coded

_REASONS_IF_ABSENT = {
    "operators": "the trace has no operators; record with ProfilerActivity.CPU",
    "operators_by_shape": "no input shapes; record with record_shapes=True",
    "call_tree": "the trace has no operators; record with ProfilerActivity.CPU",
    "kernels": "no device events; record with the device's ProfilerActivity",
    "kernels_by_launch": "no kernel records its launch configuration",
    "kernels_by_module": "no nn.Module calls; record with with_stack=True",
    "kernels_by_type": "no input types; record with record_shapes=True",
    "memcpy": "no copies between host and device in the compared steps",
    DEVICE_TIMELINE: "no device events; record with the device's ProfilerActivity",
    CRITICAL_PATH: "no operators or markers on the host; record with ProfilerActivity.CPU",
    BY_MESSAGE: "no collective on the device has a recorded data type, message size and group of several ranks",
    "communication": "no collectives in the compared steps",
    "modules": "no nn.Module calls; record with with_stack=True",
    "modules_ledger": "no nn.Module calls; record with with_stack=True",
    "memory": "no memory events; record with profile_memory=True",
    "counters": "no counter events in the trace",
}

_OF_OTHER_THREADS = (
    "the trace has no operators; record with experimental_config=_ExperimentalConfig(profile_all_threads=True) if "
    "other threads than the profiler's call them"
)
"""Reason why a trace with step markers on the host, which need ProfilerActivity.CPU, has no operators."""

_LATE_COUNTERS = "no counter was sampled before the last compared step ended"


@paused_collector()
def summarize(
    recording: TraceRecording, origin: Origin, window: str = "device", *, marker: str = "",
    paths_of_rows: bool = False, tail: bool = False,
) -> Summary:  # fmt: skip
    """Summarizes one trace.

    window         "device" or "marker": where steps end
    marker         name of what delimits steps; "" to detect it
    paths_of_rows  also record the callers of each row and the durations of single launches
    tail           keep the last step even if the recording ended before it did

    Raises CorruptInput if the trace has nothing to time, SelectionError if it lacks the marker.
    """
    trace = timed_trace(recording, window, marker, tail=tail)
    timeline, windows_by_rule, windows, device = trace.timeline, trace.steps.windows, trace.windows, trace.device
    step = trace.of_events.step
    steps = len(windows.label)
    owners = find_owners(timeline, windows)
    in_python = python_time(timeline, owners, step, steps)  # first, as it needs the most memory
    owned = own(timeline, owners, step, steps)
    metrics = device_metrics(timeline, int(windows.start_ns[0]), int(windows.end_ns[-1]))
    paths = module_paths(timeline, owners, recording.flows)
    module_of = None if paths is None else partial(modules_of, owners, paths)
    groups = _group_tables(timeline, windows, step, steps, module_of, durations=paths_of_rows)
    measured = _measure(groups, trace)
    found = {
        CRITICAL_PATH: critical_path(timeline, owners, windows, recording.flows),
        GIL_WAITS: gil_waits(timeline, windows),
        PYTHON_TIME: in_python,
    }
    groups |= {name: table for name, table in found.items() if table is not None}
    memory = memory_use(timeline, windows_by_rule["marker"])
    series, coarse = counters_by_step(trace)
    by_module = None if paths is None else owned_modules(owners, paths, steps)
    tree = call_tree(timeline, owners, paths, step, steps)
    backlog = backlog_of(trace, owners)
    others = {"memory": memory, "counters": series, "modules_ledger": by_module, "call_tree": tree}
    present = groups.keys() | {name for name, table in others.items() if table is not None}
    if paths_of_rows:
        from tb_perfcompare.analysis.attribution.call_paths import call_paths
    other_windows = windows_by_rule["marker" if window == "device" else "device"]
    return Summary(
        source=origin.source,
        format=TRACE,
        captures=(_capture(recording, origin, trace),),
        device=device,
        window=window,
        marked=windows.marked,
        steps=_step_table(timeline, windows, step, backlog, trace.steps.text),
        iterations=trace.steps.iterations,
        dropped=tuple(DroppedStep(0, label, total, reason) for label, total, reason in windows.dropped),
        other_window=other_windows.end_ns - other_windows.start_ns,
        owned=owned,
        groups=groups,
        device_metrics=metrics,
        environment=environment(recording, timeline, device),
        recommendations=recommendations(timeline, owned, metrics),
        absent=_absent(_reasons_if_absent(recording, timeline), present),
        memory=memory,
        modules=by_module,
        work=device_work(timeline, step),
        call_tree=tree,
        call_paths=call_paths(timeline, owners, paths, step) if paths_of_rows else {},
        collectives=collectives(timeline, windows, step),
        notes=notes_of(trace, backlog, (owned.parts, by_module), (*coarse, *measured)),
        counters=series,
    )


def _group_tables(
    timeline: InterpretedTrace, windows: Windows, step: StepIndex, steps: int,
    module_of: Callable[[EventIndex], Coded] | None, *, durations: bool,
) -> dict[str, GroupTable]:  # fmt: skip
    """Returns the tables of operators, device work, modules and device timeline that have rows.

    `step` (n,) is the step of each event; `module_of` names the modules of device work.
    """
    groups = operator_tables(timeline, step, steps)
    groups |= device_tables(timeline, step, steps, module_of=module_of, durations=durations)
    modules = calls_in_steps(timeline, step)
    groups |= work_tables(timeline, step, steps, modules)
    if modules is not None:
        groups["modules"] = module_table(timeline, modules, step, steps)
    of_device = device_timeline(timeline, windows)
    if of_device is not None:
        groups[DEVICE_TIMELINE] = of_device
    return {name: table for name, table in groups.items() if len(table)}


def _measure(groups: dict[str, GroupTable], trace: TimedTrace) -> tuple[Note, ...]:
    """Adds tables of measured ranges to `groups` and returns their notes.

    If ranges were measured instead of kernels, operators have no device time: their work is listed as modeled only.
    """
    tables, notes = measured_ranges(trace)
    groups |= {name: table for name, table in tables.items() if len(table)}
    if notes and not trace.timeline.is_device.any():
        work = groups.pop("operator_work", None)
        groups.pop("module_work", None)
        groups |= {} if work is None else {MODELED_WORK: work}
    return notes


def _absent(reasons: Mapping[str, str], present: Collection[str]) -> dict[str, str]:
    """Reasons why tables are absent. That there are no kernels, or collectives, implies that there are none by
    something."""
    implied = tuple(f"{name}_by_" for name in ("kernels", "communication") if name not in present)
    return {name: why for name, why in reasons.items() if name not in present and not name.startswith(implied)}


def _reasons_if_absent(recording: TraceRecording, timeline: InterpretedTrace) -> dict[str, str]:
    """Maps each table to the reason it would be absent. Does not advise turning on an option that was on."""
    on = [flag for flag in RECORDED_FLAGS if recorded_flag(flag, recording) == "true"]
    absent = {
        name: f"{why.partition(';')[0]}, though {flag}=True was on"
        for name, why in _REASONS_IF_ABSENT.items()
        for flag in on
        if f"{flag}=True" in why
    }
    if timeline.is_marker.any():
        absent |= dict.fromkeys(("operators", "call_tree"), _OF_OTHER_THREADS)
    if timeline.is_device.any():
        absent[DEVICE_TIMELINE] = "some device events do not name their device, of several"
    elif len(recording.ranges):
        absent |= dict.fromkeys(("kernels", DEVICE_TIMELINE), "kernels were measured one by one, without their times")
    reasons = {**_REASONS_IF_ABSENT, **absent, **({} if recording.counters is None else {"counters": _LATE_COUNTERS})}
    if all(note.code != NoteCode.TRUNCATED for note in recording.notes):
        return reasons
    cut = "the file is cut off; the lost part may hold them"
    return {name: f"{why.partition('; ')[0]}; {cut}" for name, why in reasons.items()}


def _capture(recording: TraceRecording, origin: Origin, trace: TimedTrace) -> Capture:
    return Capture(
        origin.run, origin.worker, origin.span, _rank(recording, origin.rank), recording.file, trace.device,
        clock_zero_ns(recording.properties, int(trace.windows.start_ns[0])),
    )


def _rank(recording: TraceRecording, by_name: int | None) -> int | None:
    """Returns the rank that the trace records, else that of the worker's name."""
    info = recording.properties.get("distributedInfo")
    rank = info.get("rank") if isinstance(info, dict) else None
    return rank if isinstance(rank, int) else by_name


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
