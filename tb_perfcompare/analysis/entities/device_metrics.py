"""The device summary: utilization, SM efficiency, occupancy, tensor-core share, over the compared window; and advice.

Formulas and thresholds are torch-tb-profiler's, over all kernels (docs/method/metrics.md). A metric that the trace does
not record is absent, with a reason, which differs from zero.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import named
from tb_perfcompare.analysis.columns.grouping import argument_values
from tb_perfcompare.analysis.columns.intervals import covered
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import EventIndex, Ints, is_of, unique
from tb_perfcompare.model.device import uses_tensor_cores
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, StepCategory
from tb_perfcompare.model.summary.summary import DeviceMetric
from tb_perfcompare.model.summary.tables import OwnedTime
from tb_perfcompare.number_text import percent


def device_metrics(timeline: InterpretedTrace, low: int, high: int) -> tuple[DeviceMetric, ...]:
    """Returns the metrics of each device in the window [low, high) of the trace's clock."""
    events = timeline.events
    kernels = np.flatnonzero(is_of(events.category, Category.KERNEL))
    if not len(kernels) or high <= low:
        return ()
    device = argument_values(events, "device", kernels, -1)
    out: list[DeviceMetric] = []
    for number in unique(device).tolist():
        rows = kernels[device == number]
        name = f"{timeline.vendor.word} {number}" if number >= 0 else timeline.vendor.word
        start, end = np.clip(events.start_ns[rows], low, high), np.clip(timeline.ends(rows), low, high)
        figures: dict[str, float | str] = {
            "utilisation": covered(start, end, low, high) / (high - low),
            "sm_efficiency": _sm_efficiency(timeline, rows, start, end, high - low),
            "occupancy": _occupancy(timeline, rows, end - start),
            "tensor_core_share": _tensor_core_share(timeline, rows, end - start),
        }
        out += [
            DeviceMetric(name, figure, None, value) if isinstance(value, str) else DeviceMetric(name, figure, value)
            for figure, value in figures.items()
        ]
    return tuple(out)


def _sm_efficiency(timeline: InterpretedTrace, rows: EventIndex, start: Ints, end: Ints, length: int) -> float | str:
    """Time average of min(1, sum of blocks per SM of the running kernels), or why it is unknown."""
    blocks = argument_values(timeline.events, "blocks_per_sm", rows, np.nan)
    has = blocks > 0
    if not has.any():
        return "kernels do not record blocks per SM"
    times = np.concatenate([start[has], end[has]])
    change = np.concatenate([blocks[has], -blocks[has]])
    order = np.argsort(times, kind="stable")
    running = np.cumsum(change[order])[:-1]
    # Below 1e-9 it is rounding error and no kernel runs: a kernel has at least one block on a multiprocessor.
    level = np.where(running > 1e-9, np.minimum(running, 1.0), 0.0)
    return float((level * np.diff(times[order])).sum()) / length


def _occupancy(timeline: InterpretedTrace, rows: EventIndex, length: Ints) -> float | str:
    """Mean estimated achieved occupancy of the kernels, weighted by time, or why it is unknown."""
    percent = argument_values(timeline.events, "occupancy", rows, np.nan)
    has = (percent >= 0) & (length > 0)
    if not has.any():
        return "kernels do not record occupancy"
    return float((percent[has] * length[has]).sum() / length[has].sum()) / 100


def _tensor_core_share(timeline: InterpretedTrace, rows: EventIndex, length: Ints) -> float | str:
    """Share of kernel time in kernels whose name indicates tensor cores, or why it is unknown."""
    marks, total = timeline.vendor.tensor_cores, int(length.sum())
    if marks is None:
        return "not applicable: the device has none"
    if not marks:
        return "this device's kernel names do not show it"
    if not total:
        return "no kernel time in the window"
    uses = named(timeline.events, rows, lambda name: uses_tensor_cores(name, marks))
    return int(length[uses].sum()) / total


LOADER_SHARE = 0.05
COMMUNICATION_SHARE = 0.1
LOW_UTILIZATION = 0.5


def recommendations(timeline: InterpretedTrace, owned: OwnedTime, metrics: tuple[DeviceMetric, ...]) -> tuple[str, ...]:
    """Returns sentences of advice about one run, in fixed order; empty if no threshold is exceeded."""
    total = int(owned.time_ns.sum())
    if not total:
        return ()
    share = owned.by_category().sum(axis=1) / total
    out: list[str] = []
    loader = float(share[StepCategory.DATALOADER])
    if loader > LOADER_SHARE:
        out.append(
            f"{percent(loader)} of step time waits for the data loader: raise num_workers, use pinned memory or "
            "move decoding off the training process."
        )
    wrapper = timeline.events.strings.find("DataParallel.forward")
    if wrapper >= 0 and (timeline.events.name[timeline.host.row] == wrapper).any():
        out.append("DataParallel drives the devices from one process: DistributedDataParallel is faster.")
    communication = float(share[StepCategory.COMMUNICATION])
    if communication > COMMUNICATION_SHARE:
        out.append(
            f"{percent(communication)} of step time is exposed {CATEGORY_LABELS[StepCategory.COMMUNICATION].lower()}: "
            "try gradient accumulation, larger batches, gradient compression or better overlap."
        )
    low = [
        f"{metric.device} ({percent(metric.value)})"
        for metric in metrics
        if metric.name == "utilisation" and metric.value is not None and metric.value < LOW_UTILIZATION
    ]
    if low:
        out.append(f"Low device utilization: {', '.join(low)}. A larger batch or fewer host-side waits would raise it.")
    return tuple(out)
