"""A kernel listing -> Summary. There is no clock: the launches one after another are the only "step", and their summed
time is the metric."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.device_work import TENSOR_CORE_MARKS
from tb_perfcompare.model.formats import LISTING
from tb_perfcompare.model.launches import LaunchRecording, LaunchTable
from tb_perfcompare.model.names import kernel_key
from tb_perfcompare.model.recording import Origin
from tb_perfcompare.model.summary import (
    BOUND,
    BOUND_CLASSES,
    Capture,
    DeviceFacts,
    DeviceMetric,
    GroupTable,
    OwnedTime,
    StepCategory,
    StepTable,
    Summary,
)

_NO_TRACE = "a kernel listing holds launches only"


def summarize_launches(recording: LaunchRecording, origin: Origin, window: str = "device") -> Summary:
    """Summary of one listing: one step "0" as long as all launches together."""
    launches = recording.launches
    total = np.array([launches.dur_ns.sum()], dtype=np.int64)
    # A listing does not name its device.
    device = DeviceFacts("unknown", "GPU", "", 1)
    kernels = _kernels(launches)
    time = kernels.measures_ns["total"]
    return Summary(
        source=origin.source,
        format=LISTING,
        captures=(Capture(origin.run, origin.worker, origin.span, origin.rank, recording.file, device),),
        device=device,
        window=window,
        marked=True,
        steps=StepTable(
            np.zeros(1, dtype=np.int32), ("0",), np.zeros(1, dtype=np.int64), total, np.array([len(launches)])
        ),
        dropped=(),
        other_window=total,
        owned=OwnedTime(
            category=np.full(len(kernels), StepCategory.KERNEL, dtype=np.int8),
            key=tuple(key for (key,) in kernels.keys),
            name=kernels.names,
            time_ns=time,
            plain_ns=time,
            calls=kernels.calls,
        ),
        groups={"kernels": kernels},
        device_metrics=_whole_run(launches),
        environment=(("device.kind", device.kind),),
        recommendations=(),
        absent=dict.fromkeys(
            ("operators", "operators_by_shape", "memcpy", "communication", "modules", "memory", "counters"), _NO_TRACE
        ),
        notes=recording.notes,
        reading="as listed",
        metric="kernel_time",
        bound_ns=_bound_times(launches),
    )


def _kernels(launches: LaunchTable) -> GroupTable:
    keys = [kernel_key(text) for text in launches.strings.texts]
    index = {key: row for row, key in enumerate(sorted(set(keys)))}
    row_of = np.array([index[key] for key in keys], dtype=np.int64)[launches.name]
    shown = dict(zip(keys, launches.strings.texts, strict=True))
    rows = len(index)
    low = np.full(rows, np.iinfo(np.int64).max)
    high = np.zeros(rows, dtype=np.int64)
    np.minimum.at(low, row_of, launches.dur_ns)
    np.maximum.at(high, row_of, launches.dur_ns)
    calls = np.bincount(row_of, minlength=rows).astype(np.int64)[:, None]
    total = np.bincount(row_of, weights=launches.dur_ns, minlength=rows).astype(np.int64)[:, None]
    by_name = [float(any(mark in key for mark in TENSOR_CORE_MARKS)) for key in index]
    return GroupTable(
        kind="kernel",
        key_columns=("name",),
        keys=tuple((key,) for key in index),
        names=tuple(shown[key] for key in index),
        calls=calls,
        measures_ns={"total": total},
        min_ns=low,
        max_ns=high,
        facts={
            "tensor_active": _weighted(launches.tensor, launches.dur_ns, row_of, rows),
            "dram_active": _weighted(launches.dram, launches.dur_ns, row_of, rows),
            "tensor_cores": np.array(by_name, dtype=np.float64),
        },
    )


def _weighted(
    value: NDArray[np.float64], dur_ns: NDArray[np.int64], group: NDArray[np.int64], groups: int
) -> NDArray[np.float64]:
    """Mean per group weighted by time, over the launches that carry the figure; NaN where none does."""
    has = np.isfinite(value)
    weight = np.bincount(group[has], weights=dur_ns[has], minlength=groups)
    product = np.bincount(group[has], weights=dur_ns[has] * value[has], minlength=groups)
    mean: NDArray[np.float64] = np.divide(product, weight, out=np.full(groups, np.nan), where=weight > 0)
    return mean


def _whole_run(launches: LaunchTable) -> tuple[DeviceMetric, ...]:
    """Utilisation of the whole listing, weighted by busy time, and the headroom neither unit used."""
    one = np.zeros(len(launches), dtype=np.int64)
    best = np.fmax(launches.tensor, launches.dram)
    figures = (
        ("tensor_active", float(_weighted(launches.tensor, launches.dur_ns, one, 1)[0])),
        ("dram_active", float(_weighted(launches.dram, launches.dur_ns, one, 1)[0])),
        ("unused_headroom", 1 - float(_weighted(np.minimum(best, 1.0), launches.dur_ns, one, 1)[0])),
    )
    return tuple(
        DeviceMetric(
            "GPU",
            name,
            "fraction",
            value if np.isfinite(value) else None,
            "" if np.isfinite(value) else "not in the listing",
        )
        for name, value in figures
    )


def _bound_times(launches: LaunchTable) -> dict[str, int]:
    """Nanoseconds per bound class; launches that carry neither figure are "not measured"."""
    tensor, dram = launches.tensor >= BOUND, launches.dram >= BOUND
    unknown = np.isnan(launches.tensor) & np.isnan(launches.dram)
    masks = (tensor & ~dram, dram & ~tensor, tensor & dram, ~(tensor | dram | unknown), unknown)
    return {name: int(launches.dur_ns[mask].sum()) for name, mask in zip(BOUND_CLASSES, masks, strict=True)}
