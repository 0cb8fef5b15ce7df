"""Device time of each step: busy, exposed communication and copies, and reasons for idleness.

Another view of time that the ledger already counts. Docs: docs/method/metrics.md.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.analysis.columns.grouping import argument_values
from tb_perfcompare.analysis.columns.intervals import covered_in_windows, union
from tb_perfcompare.analysis.columns.numbering import scatter_add
from tb_perfcompare.analysis.trace.event_steps import step_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import EventIndex, Flags, Ints, is_of, min_by_target, unique
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.groups import (
    BUSY,
    EXPOSED_COMMUNICATION,
    EXPOSED_COPIES,
    HOST_WAIT,
    IDLE,
    IDLE_PARTS,
    LAUNCH_LATENCY,
    LAUNCH_UNKNOWN,
    SHORT_KERNELS,
    SHORT_NS,
    STEP_END,
)
from tb_perfcompare.model.summary.tables import GroupTable

_UNKNOWN_DEVICE = -1
_NEVER = np.iinfo(np.int64).max

_Figures = Mapping[str, tuple[Ints, Ints]]
"""Figure -> (s,) nanoseconds and (s,) calls of each step."""


def device_timeline(timeline: InterpretedTrace, windows: Windows) -> GroupTable | None:
    """Returns a row per figure, averaged over the recorded devices.

    None without device events, and if there are several devices and some events do not name theirs.
    """
    rows = np.flatnonzero(timeline.is_device)
    if not len(rows):
        return None
    device = argument_values(timeline.events, "device", rows, _UNKNOWN_DEVICE)
    numbers = unique(device[device != _UNKNOWN_DEVICE])
    if len(numbers) > 1 and (device == _UNKNOWN_DEVICE).any():
        return None
    one_by_one = [rows] if len(numbers) < 2 else [rows[device == number] for number in numbers.tolist()]
    return _table([_figures(timeline, windows, own) for own in one_by_one])


def _table(devices: list[_Figures]) -> GroupTable:
    """Averages each figure over devices; averages of the parts of a step still sum to the step."""
    count = len(devices)
    sums, calls = ({name: np.sum([own[name][at] for own in devices], axis=0) for name in devices[0]} for at in (0, 1))
    parts = [BUSY, *IDLE_PARTS]
    running = np.cumsum([sums[name] for name in parts], axis=0) // count
    time = {name: total // count for name, total in sums.items()} | dict(
        zip(parts, np.diff(running, axis=0, prepend=0), strict=True)
    )
    time[IDLE] = running[-1] - time[BUSY]
    names = tuple(sorted(name for name in time if name != LAUNCH_UNKNOWN or time[name].any()))
    return GroupTable(
        key_columns=("figure",),
        keys=tuple((name,) for name in names),
        names=names,
        calls=np.array([np.rint(calls[name] / count) for name in names]).astype(np.int64),
        measures_ns={"total": np.array([time[name] for name in names], dtype=np.int64)},
    )


def _figures(timeline: InterpretedTrace, windows: Windows, rows: EventIndex) -> _Figures:
    """Computes the figures of one device, whose events are `rows`."""
    events = timeline.events
    start, end, role = events.start_ns[rows], timeline.ends(rows), timeline.role[rows]
    low, high = windows.start_ns, windows.end_ns
    copies = is_of(role, StepCategory.MEMCPY) | is_of(role, StepCategory.MEMSET)
    kernels = is_of(role, StepCategory.KERNEL)
    computing, with_copies = (union(start[chosen], end[chosen]) for chosen in (kernels, kernels | copies))
    busy = union(start, end)
    covered = [covered_in_windows(intervals, low, high) for intervals in (computing, with_copies, busy)]
    step = step_of(start, windows)
    short = is_of(events.category[rows], Category.KERNEL) & (end - start < SHORT_NS)

    def begun(chosen: Flags, weights: Ints | None = None) -> Ints:
        return scatter_add(np.where(chosen, step, -1), len(low), value=weights)[:, 0]

    idle = _idle(busy, _launch_ns(timeline, rows, busy[0]), windows)
    parts = np.array(list(idle.values()))
    return {
        BUSY: (covered[2], begun(np.ones(len(rows), dtype=bool))),
        EXPOSED_COPIES: (covered[1] - covered[0], begun(copies)),
        EXPOSED_COMMUNICATION: (covered[2] - covered[1], begun(is_of(role, StepCategory.COMMUNICATION))),
        IDLE: (parts[:, 0].sum(axis=0), parts[:, 1].sum(axis=0)),
        SHORT_KERNELS: (begun(short, end - start), begun(short)),
        **idle,
    }


def _launch_ns(timeline: InterpretedTrace, rows: EventIndex, begins: Ints) -> Ints:
    """(b,) When the host began the first launch of work that starts at each instant; _NEVER if none was recorded."""
    events = timeline.events
    launcher = timeline.launcher[rows]
    is_launched = (launcher >= 0) & (events.dur_ns[rows] > 0)
    start = events.start_ns[rows[is_launched]]
    place = np.minimum(np.searchsorted(begins, start), max(len(begins) - 1, 0))
    first = begins[place] == start
    return min_by_target(events.start_ns[launcher[is_launched][first]], place[first], len(begins))


def _idle(busy: tuple[Ints, Ints], launch: Ints, windows: Windows) -> _Figures:
    """Splits the gaps between busy intervals by what the device waited for.

    `launch` (b,) is the launch time of the work that each busy interval begins with.
    """
    begins, ends = busy
    low, high = windows.start_ns, windows.end_ns
    last = np.searchsorted(begins, high, side="left") - 1
    until = np.where(last >= 0, np.clip(np.append(ends, 0)[last], low, high), low)
    step = step_of(begins, windows)
    inside = np.flatnonzero(step >= 0)
    step, launch, stop = step[inside], launch[inside], begins[inside]
    start = np.maximum(np.where(inside > 0, np.append(ends, 0)[inside - 1], low[step]), low[step])
    is_launched = launch != _NEVER
    issued = np.clip(launch, start, stop)
    gaps = {
        HOST_WAIT: np.where(is_launched, issued - start, 0),
        LAUNCH_LATENCY: np.where(is_launched, stop - issued, 0),
        LAUNCH_UNKNOWN: np.where(is_launched, 0, stop - start),
    }
    figures: dict[str, tuple[Ints, Ints]] = {}
    for name, length in gaps.items():
        time = scatter_add(step, len(low), value=length)[:, 0]
        figures[name] = time, np.bincount(step[length > 0], minlength=len(low))
    figures[STEP_END] = high - until, (high > until).astype(np.int64)
    return figures
