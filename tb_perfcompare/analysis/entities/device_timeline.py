"""What the device did in each step: busy, exposed communication and copies, and why it was idle.

A view of time that the ledger already counts. Docs: docs/method/metrics.md.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.analysis.columns.grouping import argument_of
from tb_perfcompare.analysis.columns.intervals import union, within
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import EventIndex, Flags, Ints, unique
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.summary.device_timeline import (
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
    TABLE,
)
from tb_perfcompare.model.summary.summary import GroupTable, StepCategory

_UNKNOWN_DEVICE = -1
_NEVER = np.iinfo(np.int64).max

_Figures = Mapping[str, tuple[Ints, Ints]]
"""Figure -> (s,) nanoseconds and (s,) calls of each step."""


def device_timeline(timeline: InterpretedTrace, windows: Windows) -> GroupTable | None:
    """A row per figure, the mean over the devices that were recorded. None without device events, and where some of
    several devices' events do not say which one they ran on."""
    rows = np.flatnonzero(timeline.is_device)
    if not len(rows):
        return None
    device = np.asarray(argument_of(timeline.events, "device", rows, _UNKNOWN_DEVICE), dtype=np.int64)
    numbers = unique(device[device != _UNKNOWN_DEVICE])
    if len(numbers) > 1 and (device == _UNKNOWN_DEVICE).any():
        return None
    one_by_one = [rows] if len(numbers) < 2 else [rows[device == number] for number in numbers.tolist()]
    return _table([_figures(timeline, windows, own) for own in one_by_one])


def _table(devices: list[_Figures]) -> GroupTable:
    """The mean of each figure over devices: of the parts of a step one that sums to the step."""
    count = len(devices)
    whole, calls = ({name: np.sum([one[name][at] for one in devices], axis=0) for name in devices[0]} for at in (0, 1))
    parts = [BUSY, *IDLE_PARTS]
    running = np.cumsum([whole[name] for name in parts], axis=0) // count
    time = {name: total // count for name, total in whole.items()} | dict(
        zip(parts, np.diff(running, axis=0, prepend=0), strict=True)
    )
    time[IDLE] = running[-1] - time[BUSY]
    names = tuple(sorted(name for name in time if name != LAUNCH_UNKNOWN or time[name].any()))
    return GroupTable(
        kind=TABLE,
        key_columns=("figure",),
        keys=tuple((name,) for name in names),
        names=names,
        calls=np.array([np.rint(calls[name] / count) for name in names]).astype(np.int64),
        measures_ns={"total": np.array([time[name] for name in names], dtype=np.int64)},
        min_ns=None,
        max_ns=None,
        facts={},
    )


def _figures(timeline: InterpretedTrace, windows: Windows, rows: EventIndex) -> _Figures:
    """Of one device, whose events these are."""
    events = timeline.events
    start, end, role = events.start_ns[rows], timeline.ends(rows), timeline.role[rows]
    low, high = windows.start_ns, windows.end_ns
    copies = (role == StepCategory.MEMCPY) | (role == StepCategory.MEMSET)
    kernels = role == StepCategory.KERNEL
    computing, with_copies = (union(start[some], end[some]) for some in (kernels, kernels | copies))
    busy = union(start, end)
    covered = [within(some, low, high) for some in (computing, with_copies, busy)]
    step = _windows_of(start, windows)
    short = (events.category[rows] == Category.KERNEL) & (end - start < SHORT_NS)

    def begun(some: Flags, weights: Ints | None = None) -> Ints:
        found = np.bincount(step[some] + 1, None if weights is None else weights[some], len(low) + 1)
        return np.rint(found[1:]).astype(np.int64)

    idle = _idle(busy, _launch_ns(timeline, rows, busy[0]), windows)
    parts = np.array(list(idle.values()))
    return {
        BUSY: (covered[2], begun(np.ones(len(rows), dtype=bool))),
        EXPOSED_COPIES: (covered[1] - covered[0], begun(copies)),
        EXPOSED_COMMUNICATION: (covered[2] - covered[1], begun(role == StepCategory.COMMUNICATION)),
        IDLE: (parts[:, 0].sum(axis=0), parts[:, 1].sum(axis=0)),
        SHORT_KERNELS: (begun(short, end - start), begun(short)),
        **idle,
    }


def _windows_of(at: Ints, windows: Windows) -> Ints:
    """(n,) the window that each instant is in, -1 for none."""
    found = np.searchsorted(windows.start_ns, at, side="right") - 1
    return np.where((found >= 0) & (at < windows.end_ns[np.maximum(found, 0)]), found, -1)


def _launch_ns(timeline: InterpretedTrace, rows: EventIndex, begins: Ints) -> Ints:
    """(b,) when the host began to launch what starts at these instants, of several the first; _NEVER where no launch
    was recorded."""
    events = timeline.events
    launcher = timeline.launcher[rows]
    known = (launcher >= 0) & (events.dur_ns[rows] > 0)
    start = events.start_ns[rows[known]]
    place = np.minimum(np.searchsorted(begins, start), max(len(begins) - 1, 0))
    first = begins[place] == start
    launch = np.full(len(begins), _NEVER)
    np.minimum.at(launch, place[first], events.start_ns[launcher[known][first]])
    return launch


def _idle(busy: tuple[Ints, Ints], launch: Ints, windows: Windows) -> _Figures:
    """Of the gaps between busy stretches, what the device waited for; `launch` (b,) is of what each stretch begins
    with."""
    begins, ends = busy
    low, high = windows.start_ns, windows.end_ns
    last = np.searchsorted(begins, high, side="left") - 1
    until = np.where(last >= 0, np.clip(np.append(ends, 0)[last], low, high), low)
    step = _windows_of(begins, windows)
    inside = np.flatnonzero(step >= 0)
    step, launch, stop = step[inside], launch[inside], begins[inside]
    start = np.maximum(np.where(inside > 0, np.append(ends, 0)[inside - 1], low[step]), low[step])
    known = launch != _NEVER
    issued = np.clip(launch, start, stop)
    gaps = {
        HOST_WAIT: np.where(known, issued - start, 0),
        LAUNCH_LATENCY: np.where(known, stop - issued, 0),
        LAUNCH_UNKNOWN: np.where(known, 0, stop - start),
    }
    found: dict[str, tuple[Ints, Ints]] = {}
    for name, length in gaps.items():
        time = np.zeros(len(low), dtype=np.int64)
        np.add.at(time, step, length)
        found[name] = time, np.bincount(step[length > 0], minlength=len(low))
    found[STEP_END] = high - until, (high > until).astype(np.int64)
    return found
