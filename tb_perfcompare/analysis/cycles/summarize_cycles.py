"""A per-cycle table -> Summary: cycles are steps, functions and counters are per cycle (docs/inputs/perf_data.md).

Functions of a table are sums over threads, processes and streams. Their overlap was not recorded, so the ledger does
not split a cycle; functions are compared in a table of their own.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.cycles.cycle_counters import cycle_counters
from tb_perfcompare.analysis.cycles.cycle_functions import (
    Cycles,
    Functions,
    find_cycles,
    find_functions,
    function_table,
    launches_per_cycle,
)
from tb_perfcompare.analysis.cycles.cycle_notes import counter_notes, cycle_notes, listing, row_notes
from tb_perfcompare.analysis.pooling.step_admission import admit
from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.arrays import Ints, Nanoseconds, unique
from tb_perfcompare.model.formats import CYCLES
from tb_perfcompare.model.recordings.cycles import HOST, NO_TEXT, CycleRecording, CycleTable
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.categories import OVERLAPPING, StepCategory
from tb_perfcompare.model.summary.summary import CYCLE_TIME, INCOMPLETE, Capture, DeviceFacts, DroppedStep, Summary
from tb_perfcompare.model.summary.tables import OwnedTime, StepTable

_NO_LENGTH = "no length"

_NO_TRACE = "a perf_data table has sums per cycle and function, no events"
_AMONG = "a perf_data table has its kernels, copies and collectives among the functions"
_ABSENT = {
    "categories": (
        "functions overlap across threads and streams by an amount that the table does not tell: a cycle cannot be "
        "split into parts that add up to it, the table of functions has their times side by side"
    ),
    "operators": _NO_TRACE,
    "operators_by_shape": _NO_TRACE,
    "kernels": _AMONG,
    "modules": _NO_TRACE,
    "communication": _AMONG,
    "memcpy": _AMONG,
    "memory": _NO_TRACE,
    "launches": "a perf_data table has sums per cycle, no single launches",
    "device": "a perf_data table has no device figures beyond its counters",
}
_NO_FUNCTIONS = {"functions": "no row names a function"}
_NO_COUNTERS = {"counters": "no counter has a value in the compared cycles"}


def summarize_cycles(recording: CycleRecording, origin: Origin, window: str = "device") -> Summary:
    """Summarizes one table. Cycles are as the tracer cut them, whatever the `window`.

    Raises CorruptInput if no cycle has a length, or for values beyond 64 bits.
    """
    table, path = recording.table, recording.file.path
    cycles = find_cycles(table)
    functions = find_functions(table, cycles)
    launches = launches_per_cycle(functions, cycles)
    admission = admit(np.where(cycles.total_ns > 0, launches, 0))
    timed = cycles.total_ns > 0
    kept = np.flatnonzero(timed & ~admission.incomplete)
    if not len(kept):
        hint = "the column anchor_dur_us must hold the lengths of the cycles in microseconds"
        raise CorruptInput(path, "no cycle has a length", hint=hint)
    steps = _steps(cycles, launches, kept)
    group = function_table(table, cycles, functions, kept)
    counters = cycle_counters(table, cycles, functions, recording.counters, kept)
    device = _device(table, functions, cycles, kept)
    zero_ns = 0 if cycles.dated else None  # dated cycles already have the time of day
    return Summary(
        source=origin.source,
        format=CYCLES,
        captures=(Capture(origin.run, origin.worker, origin.span, origin.rank, recording.file, device, zero_ns),),
        device=device,
        window=window,
        marked=True,
        steps=steps,
        dropped=tuple(
            DroppedStep(0, cycles.label[cycle], int(cycles.total_ns[cycle]), INCOMPLETE if timed[cycle] else _NO_LENGTH)
            for cycle in np.flatnonzero(~timed | admission.incomplete).tolist()
        ),
        other_window=steps.total_ns,
        owned=_unsplit(steps.total_ns),
        groups={"functions": group} if len(group) else {},
        device_metrics=(),
        environment=_environment(table, cycles, device),
        recommendations=(),
        absent=_ABSENT | ({} if len(group) else _NO_FUNCTIONS) | ({} if counters is not None else _NO_COUNTERS),
        notes=(
            *recording.notes,
            *cycle_notes(cycles, launches, admission, path),
            *row_notes(table, functions, path),
            *counter_notes(recording.counters, cycles, counters),
        ),
        reading="as recorded",
        metric=CYCLE_TIME,
        counters=counters,
    )


def _steps(cycles: Cycles, launches: Ints, kept: Ints) -> StepTable:
    return StepTable(
        capture=np.zeros(len(kept), dtype=np.int32),
        label=tuple(cycles.label[cycle] for cycle in kept.tolist()),
        start_ns=cycles.start_ns[kept],
        total_ns=cycles.total_ns[kept],
        launches=launches[kept],
        backlog_ns=np.zeros(len(kept), dtype=np.int64),
    )


def _unsplit(total_ns: Nanoseconds) -> OwnedTime:
    """Assigns every cycle to one entity, so that the ledger closes without an unmeasured split."""
    total = total_ns[None, :]
    return OwnedTime(
        category=np.array([StepCategory.OTHER], dtype=np.int8),
        key=(OVERLAPPING,),
        name=(OVERLAPPING,),
        time_ns=total,
        plain_ns=total,
        calls=np.zeros_like(total),
    )


def _device(table: CycleTable, functions: Functions, cycles: Cycles, kept: Ints) -> DeviceFacts:
    """Returns the devices that did work in the kept cycles; tables do not name their model."""
    rows = functions.first[functions.on_device[functions.first]]
    rows = rows[np.isin(cycles.of_row[rows], kept)]
    names = sorted({table.strings[code] for code in unique(table.device[rows]).tolist()})
    words = dict.fromkeys(name.split(" ")[0] for name in names)
    return DeviceFacts("unknown", "/".join(words) or HOST, "", len(names))


def _environment(table: CycleTable, cycles: Cycles, device: DeviceFacts) -> tuple[tuple[str, str], ...]:
    pids = table.pids()
    devices = [table.strings[code] for code in unique(table.device).tolist() if code != NO_TEXT]
    hosts = [] if table.host is None else [table.strings[c] for c in unique(table.host).tolist() if c != NO_TEXT]
    rows = (
        ("cycle.anchor", ", ".join(table.anchors())),
        ("cycle.recorded", str(len(cycles))),
        ("process.count", str(len(pids))),
        ("process.ids", listing([str(pid) for pid in pids])),
        ("host.count", str(len(hosts)) if hosts else ""),
        ("host.names", listing(sorted(hosts))),
        ("device.count", str(device.count)),
        ("device.names", listing(sorted(name for name in devices if name != HOST))),
    )
    return tuple((name, value) for name, value in rows if value)
