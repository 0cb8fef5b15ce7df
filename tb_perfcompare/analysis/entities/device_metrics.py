"""The device summary: utilisation, SM efficiency, occupancy, tensor-core share, over the compared window.

Formulas are torch-tb-profiler's, over all kernels (docs/method/metrics.md). A metric that the trace does not record is
absent, with a reason, which differs from zero.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import used_codes
from tb_perfcompare.analysis.columns.grouping import argument_values
from tb_perfcompare.analysis.columns.intervals import covered
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import EventIndex, unique
from tb_perfcompare.model.device import uses_tensor_cores
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.summary.summary import DeviceMetric


def device_metrics(timeline: InterpretedTrace, low: int, high: int) -> tuple[DeviceMetric, ...]:
    """Returns the metrics of each device in the window [low, high) of the trace's clock."""
    events = timeline.events
    kernels = np.flatnonzero(events.category == Category.KERNEL)
    if not len(kernels) or high <= low:
        return ()
    device = np.asarray(argument_values(events, "device", kernels, -1), dtype=np.int64)
    out: list[DeviceMetric] = []
    for number in unique(device).tolist():
        rows = kernels[device == number]
        name = f"{timeline.vendor.word} {number}" if number >= 0 else timeline.vendor.word
        start, end = events.start_ns[rows], timeline.ends(rows)
        out.append(DeviceMetric(name, "utilisation", "fraction", covered(start, end, low, high) / (high - low)))
        out.append(_sm_efficiency(timeline, name, rows, low, high))
        out.append(_occupancy(timeline, name, rows, low, high))
        out.append(_tensor_core_share(timeline, name, rows, low, high))
    return tuple(out)


def _sm_efficiency(timeline: InterpretedTrace, device: str, rows: EventIndex, low: int, high: int) -> DeviceMetric:
    """Time average of min(1, sum of blocks per SM of the running kernels)."""
    blocks = np.asarray(argument_values(timeline.events, "blocks_per_sm", rows, np.nan), dtype=np.float64)
    has = blocks > 0
    if not has.any():
        return DeviceMetric(device, "sm_efficiency", "fraction", None, "kernels do not record blocks per SM")
    start = np.clip(timeline.events.start_ns[rows][has], low, high)
    end = np.clip(timeline.ends(rows)[has], low, high)
    times = np.concatenate([start, end])
    change = np.concatenate([blocks[has], -blocks[has]])
    order = np.argsort(times, kind="stable")
    running = np.cumsum(change[order])[:-1]
    # Below 1e-9 it is rounding error and no kernel runs: a kernel has at least one block on a multiprocessor.
    level = np.where(running > 1e-9, np.minimum(running, 1.0), 0.0)
    value = float((level * np.diff(times[order])).sum()) / (high - low)
    return DeviceMetric(device, "sm_efficiency", "fraction", value)


def _occupancy(timeline: InterpretedTrace, device: str, rows: EventIndex, low: int, high: int) -> DeviceMetric:
    """Mean estimated achieved occupancy of the kernels, weighted by time."""
    percent = np.asarray(argument_values(timeline.events, "occupancy", rows, np.nan), dtype=np.float64)
    length = np.clip(timeline.ends(rows), low, high) - np.clip(timeline.events.start_ns[rows], low, high)
    has = (percent >= 0) & (length > 0)
    if not has.any():
        return DeviceMetric(device, "occupancy", "fraction", None, "kernels do not record occupancy")
    value = float((percent[has] * length[has]).sum() / length[has].sum()) / 100
    return DeviceMetric(device, "occupancy", "fraction", value)


def _tensor_core_share(timeline: InterpretedTrace, device: str, rows: EventIndex, low: int, high: int) -> DeviceMetric:
    """Share of kernel time in kernels whose name indicates tensor cores."""
    marks = timeline.vendor.tensor_cores
    if marks is None:
        return DeviceMetric(device, "tensor_core_share", "fraction", None, "not applicable: the device has none")
    if not marks:
        return DeviceMetric(device, "tensor_core_share", "fraction", None, "this device's kernel names do not show it")
    length = np.clip(timeline.ends(rows), low, high) - np.clip(timeline.events.start_ns[rows], low, high)
    total = int(length.sum())
    if not total:
        return DeviceMetric(device, "tensor_core_share", "fraction", None, "no kernel time in the window")
    events = timeline.events
    names = used_codes(events.name[rows], len(events.strings))
    uses = np.zeros(len(events.strings), dtype=bool)
    uses[names] = [uses_tensor_cores(events.strings[code], marks) for code in names.tolist()]
    return DeviceMetric(device, "tensor_core_share", "fraction", int(length[uses[events.name[rows]]].sum()) / total)
