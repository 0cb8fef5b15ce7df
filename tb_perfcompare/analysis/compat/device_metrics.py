"""Per device: utilisation, SM efficiency, occupancy, tensor-core share; and the summary made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tb_perfcompare.analysis.compat.events import texts
from tb_perfcompare.analysis.compat.events.figures import LaunchFigures, NodeFigures
from tb_perfcompare.analysis.compat.events.forest import ORPHANS, Forest
from tb_perfcompare.analysis.compat.events.intervals import Ranges, intersect, running_total, union
from tb_perfcompare.analysis.compat.events.kinds import Kind
from tb_perfcompare.analysis.compat.events.links import Links
from tb_perfcompare.analysis.compat.events.steps import Steps
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.analysis.compat.events.variant import Variant
from tb_perfcompare.analysis.compat.kernels import BLOCKS, OCCUPANCY, stated
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.events import ABSENT

MAX_DEVICES = 64
"""Device ids are 0..63; kernels with another one are not counted."""


@dataclass(frozen=True, slots=True)
class DeviceMetrics:
    """One device over the steps. `utilization` and `sm_efficiency` are fractions, `occupancy` is in percent,
    `tensor_cores` the share of the operators' kernel time; None where the trace says nothing."""

    device: int
    utilization: float
    sm_efficiency: float | None
    occupancy: float | None
    tensor_cores: float | None


@dataclass(frozen=True, slots=True)
class TensorCoreTime:
    """`by_device` share of tensor-core time of operators' kernels per device (empty: operators launched no kernel),
    `eligible` the share of operators' kernel time that is under operators that could use them."""

    by_device: Mapping[int, float]
    eligible: float


def tensor_core_time(
    stream: EventStream, links: Links, forest: Forest, figures: NodeFigures, launches: LaunchFigures
) -> TensorCoreTime:
    """Tensor-core shares of a trace."""
    own_calls = [call for node in _operators(forest) for call in forest.calls[node] if call != ORPHANS]
    picked = slices(links.offset, np.array(own_calls, dtype=np.int64))
    events = links.device[picked]
    kernel = stream.kind[events] == Kind.KERNEL
    events, on_tensor_core = events[kernel], launches.on_tensor_core[picked][kernel]
    span = stream.end[events] - stream.start[events]
    total = running_total(span)
    device = np.asarray(stream.argument("device", events, ABSENT), dtype=np.int64)
    by_device = {}
    for number in np.unique(device[(device >= 0) & (device < MAX_DEVICES)]).tolist():
        here = device == number
        time = running_total(span[here])
        by_device[number] = running_total(span[here & on_tensor_core]) / time if time > 0 else 0.0
    eligible = _lowest_eligible_time(stream, links, forest, figures) / total if total > 0 else 0.0
    return TensorCoreTime(by_device, eligible)


def slices(offset: Ints, rows: Ints) -> Ints:
    """Indices of the grouped items of all `rows`, one row after the other."""
    count = offset[rows + 1] - offset[rows]
    return np.repeat(offset[rows] - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))


def _operators(forest: Forest) -> list[int]:
    return [node for node in forest.order if forest.operator[node]]


def _lowest_eligible_time(stream: EventStream, links: Links, forest: Forest, figures: NodeFigures) -> Any:
    """Kernel time of eligible nodes that have no eligible node below them: of their own API calls, as the original has
    it, not of what they call."""
    kernel = stream.kind[links.device] == Kind.KERNEL
    span = stream.end[links.device] - stream.start[links.device]
    of_call = links.launched_sums(np.where(kernel, span, span.dtype.type(0))).tolist()
    has_eligible = [False] * len(forest.name)
    total = 0
    for node in forest.order:
        has_eligible[node] = any(has_eligible[child] for child in forest.children[node])
        if figures.eligible[node] and not has_eligible[node]:
            has_eligible[node] = True
            for call in forest.calls[node]:
                total += of_call[call] if call != ORPHANS else 0
    return total


def device_metrics(stream: EventStream, steps: Steps, tensor_cores: TensorCoreTime) -> tuple[DeviceMetrics, ...]:
    """Metrics of every device a kernel ran on, by device number; all kernels count, also collectives' ones."""
    at = stream.of(Kind.KERNEL)
    device = np.asarray(stream.argument("device", at, ABSENT), dtype=np.int64)
    low, high = steps.window
    if low == high:
        return ()
    metrics = []
    for number in np.unique(device[(device >= 0) & (device < MAX_DEVICES)]).tolist():
        mine = at[device == number]
        metrics.append(
            DeviceMetrics(
                device=number,
                utilization=_clip(union(stream.start[mine], stream.end[mine]), low, high).total() / (high - low),
                sm_efficiency=_sm_efficiency(stream, mine, low, high),
                occupancy=_occupancy(stream, mine, low, high),
                tensor_cores=tensor_cores.by_device.get(number, 0.0) if tensor_cores.by_device else None,
            )
        )
    return tuple(metrics)


def _clip(ranges: Ranges, low: Any, high: Any) -> Ranges:
    return intersect(ranges, Ranges(np.array([low]), np.array([high])))


def _sm_efficiency(stream: EventStream, at: Ints, low: Any, high: Any) -> float | None:
    """Blocks per SM of everything running at an instant, at most 1, averaged over the steps."""
    value = stated(stream, at, BLOCKS)
    running = value > 0
    at, value = at[running], value[running]
    if not len(at):
        return None
    time = np.concatenate((stream.start[at], stream.end[at]))
    change = np.concatenate((value, -value))
    is_end = np.repeat((False, True), len(at))
    order = np.lexsort((is_end, time))
    time, level = time[order], np.cumsum(change[order])
    start, end = np.maximum(time[:-1], low), np.minimum(time[1:], high)
    kept = (level[:-1] > 0) & (start < end)
    if not kept.any():
        return None
    return float(running_total(np.minimum(level[:-1][kept], 1.0) * (end - start)[kept]) / (high - low))


def _occupancy(stream: EventStream, at: Ints, low: Any, high: Any) -> float | None:
    """Achieved occupancy weighted by the time inside the steps."""
    value = stated(stream, at, OCCUPANCY)
    known = value >= 0
    at, value = at[known], value[known]
    start, end = np.maximum(stream.start[at], low), np.minimum(stream.end[at], high)
    inside = start < end
    length = (end - start)[inside]
    weight = running_total(length)
    return float(running_total(value[inside] * length) / weight) if weight > 0 else None


def summary(
    metrics: tuple[DeviceMetrics, ...], variant: Variant, properties: list[dict[str, Any]]
) -> tuple[list[dict[str, str]], str] | None:
    """Rows and explanation of the device summary; None if no kernel names its device."""
    if not metrics:
        return None
    word = variant.word
    rows: list[tuple[str, str]] = []
    has_sm = variant.device_detail and any(m.sm_efficiency is not None for m in metrics)
    has_occupancy = variant.device_detail and any(m.occupancy is not None for m in metrics)
    has_tensor_cores = any(m.tensor_cores is not None for m in metrics)
    for m in metrics:
        if rows:
            rows.append(("<hr/>", ""))
        rows.append((f"{word} {m.device}:", ""))
        rows += _properties(properties[m.device] if m.device < len(properties) else {}, variant)
        rows.append((f"{word} Utilization", f"{round(m.utilization * 100, 2)} %"))
        if has_sm and m.sm_efficiency is not None:
            rows.append(("Est. SM Efficiency", f"{round(m.sm_efficiency * 100, 2)} %"))
        if has_occupancy and m.occupancy is not None:
            rows.append(("Est. Achieved Occupancy", f"{round(m.occupancy, 2)} %"))
        if m.tensor_cores is not None:
            rows.append(("Kernel Time using Tensor Cores", f"{round(m.tensor_cores * 100, 2)} %"))
    tooltip = texts.summary_intro(word)
    tooltip += texts.SUMMARY_SM if has_sm else ""
    tooltip += texts.SUMMARY_OCCUPANCY if has_occupancy else ""
    tooltip += texts.summary_tensor_cores(word) if has_tensor_cores else ""
    return [{"title": title, "value": value} for title, value in rows], tooltip


def _properties(facts: dict[str, Any], variant: Variant) -> list[tuple[str, str]]:
    """Name, memory and compute capability, as far as the trace states them."""
    rows = []
    if facts.get("name") is not None:
        rows.append(("Name", str(facts["name"])))
    gib = memory_bytes(facts, variant)
    if gib is not None:
        rows.append(("Memory", f"{round(gib / 1024**3, 2)} GB"))
    if facts.get("computeMajor") is not None and facts.get("computeMinor") is not None:
        rows.append(("Compute Capability", f"{facts['computeMajor']}.{facts['computeMinor']}"))
    return rows


def memory_bytes(facts: dict[str, Any], variant: Variant) -> float | None:
    """Memory of a device, None if its properties do not state it."""
    value = facts.get(variant.memory_mib or "totalGlobalMem")
    if not isinstance(value, (int, float)):
        return None
    return value * 1024 * 1024 if variant.memory_mib else value
