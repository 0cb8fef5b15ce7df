"""Summary of a kernel listing or an ncu export.

There is no clock: all launches together are the only "step", and their summed time is the metric.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tb_perfcompare.model.arrays import Flags, Floats, NameIndex, Nanoseconds, max_by_target, min_by_target
from tb_perfcompare.model.device import TENSOR_CORES_ANYWHERE, uses_tensor_cores
from tb_perfcompare.model.formats import FORMATS, NCU
from tb_perfcompare.model.names.join_keys import kernel_key
from tb_perfcompare.model.recordings.launches import LaunchRecording, LaunchTable
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.bound import bound_class
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.summary import (
    BOUND_CLASSES,
    METRIC_SETTING,
    Capture,
    DeviceFacts,
    DeviceMetric,
    Summary,
)
from tb_perfcompare.model.summary.tables import GroupTable, LaunchSequence, OwnedTime, StepTable
from tb_perfcompare.quick_dataclass import dataclass


def summarize_launches(recording: LaunchRecording, origin: Origin, window: str = "device") -> Summary:
    """Summarizes one listing as a single step "0", as long as all launches together."""
    launches = recording.launches
    total = np.array([launches.dur_ns.sum()], dtype=np.int64)
    device = _device(recording)
    kernels, sequence = _kernels(launches)
    time = kernels.measures_ns["total"]
    return Summary(
        source=origin.source,
        format=recording.format,
        captures=(Capture(origin.run, origin.worker, origin.span, origin.rank, recording.file, device),),
        device=device,
        window=window,
        marked=True,
        steps=StepTable(
            np.zeros(1, dtype=np.int32), ("0",), np.zeros(1, dtype=np.int64), total, np.array([len(launches)]),
            np.zeros(1, dtype=np.int64),
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
        environment=launch_environment(recording, device),
        recommendations=(),
        absent=dict.fromkeys(
            ("operators", "operators_by_shape", "memcpy", "communication", "modules", "memory", "counters"),
            f"{FORMATS[recording.format].with_article} holds launches only",
        ),
        notes=recording.notes,
        reading="as listed",
        metric="kernel_time",
        bound_ns=_bound_times(launches),
        launches=sequence,
    )


def _device(recording: LaunchRecording) -> DeviceFacts:
    """Returns what is known of the device: listings do not name it; ncu profiles NVIDIA GPUs and may omit the model."""
    kind = "cuda" if recording.format == NCU else "unknown"
    return DeviceFacts(kind, "GPU", recording.device_name, recording.devices)


def launch_environment(recording: LaunchRecording, device: DeviceFacts) -> tuple[tuple[str, str], ...]:
    """Returns what is known of the device, and the metric that each figure was read from."""
    rows = [
        ("device.kind", device.kind),
        ("device.name", device.name),
        ("device.compute_capability", recording.compute_capability),
        *metric_settings(recording),
    ]
    return tuple((name, value) for name, value in rows if value)


def metric_settings(recording: LaunchRecording) -> list[tuple[str, str]]:
    """Settings `metric.<figure>`: the source's name of the metric behind the figure."""
    return [(f"{METRIC_SETTING}{figure}", metric) for figure, metric in sorted(recording.metrics.items())]


def _kernels(launches: LaunchTable) -> tuple[GroupTable, LaunchSequence]:
    """Returns the kernels by key, and the launches in order as rows of that table."""
    keys = [kernel_key(text) for text in launches.strings.texts]
    index = {key: row for row, key in enumerate(sorted(set(keys)))}
    row_of = np.array([index[key] for key in keys], dtype=np.int64)[launches.name]
    shown = dict(zip(keys, launches.strings.texts, strict=True))
    rows = len(index)
    calls = np.bincount(row_of, minlength=rows).astype(np.int64)[:, None]
    total = np.bincount(row_of, weights=launches.dur_ns, minlength=rows).astype(np.int64)[:, None]
    codes = [list[int]() for _ in index]
    for code, key in enumerate(keys):
        codes[index[key]].append(code)
    kernels = GroupTable(
        key_columns=("name",),
        keys=tuple((key,) for key in index),
        names=tuple(shown[key] for key in index),
        calls=calls,
        measures_ns={"total": total},
        min_ns=min_by_target(launches.dur_ns, row_of, rows),
        max_ns=max_by_target(launches.dur_ns, row_of, rows),
        facts={
            **launch_figures(launches, codes).facts(),
            "tensor_cores": np.array([_tensor_cores(key) for key in index], dtype=np.float64),
        },
    )
    return kernels, LaunchSequence(row_of.astype(np.int32), launches.dur_ns, launches.tensor, launches.dram)


def _tensor_cores(key: str) -> float:
    """1 if the name indicates tensor cores, 0 if not, NaN if it is truncated and may."""
    if uses_tensor_cores(key, TENSOR_CORES_ANYWHERE):
        return 1.0
    return math.nan if key.endswith("...") else 0.0


def _whole_run(launches: LaunchTable) -> tuple[DeviceMetric, ...]:
    """Utilization over the whole listing, weighted by kernel time, and the headroom that neither unit used."""
    figures = (
        ("tensor_active", _mean(launches.tensor, launches)),
        ("dram_active", _mean(launches.dram, launches)),
        ("unused_headroom", 1 - _mean(np.minimum(np.fmax(launches.tensor, launches.dram), 1.0), launches)),
    )
    shown = ((name, value, "") if np.isfinite(value) else (name, None, "not in the listing") for name, value in figures)
    return tuple(DeviceMetric("GPU", name, value, why) for name, value, why in shown)


def _mean(value: Floats, launches: LaunchTable) -> float:
    """Mean weighted by time over the launches that have the figure; NaN if none has."""
    has = np.isfinite(value)
    weight = launches.dur_ns[has]
    return float((weight * value[has]).sum() / weight.sum()) if weight.any() else math.nan


def _bound_times(launches: LaunchTable) -> dict[str, int]:
    """Nanoseconds per bound class; launches without figures are "not measured"."""
    classes = bound_class(launches.tensor, launches.dram)
    return {name: int(launches.dur_ns[classes == index].sum()) for index, name in enumerate(BOUND_CLASSES)}


NOT_MEASURED = BOUND_CLASSES.index("not measured")

BOUND_SHARES = ("tensor_bound", "memory_bound", "both_bound", "neither_bound")
"""Facts of a kernel: share of its time per class, in the order of BOUND_CLASSES."""


@dataclass(frozen=True, slots=True, eq=False)
class LaunchFigures:
    """Figures of k kernels.

    means     fact -> (k,) float64 mean weighted by time, NaN if no launch has it
    class_ns  (k, 5) int64 time of the launches per BOUND_CLASSES
    """

    means: Mapping[str, Floats]
    class_ns: Nanoseconds

    def facts(self) -> dict[str, Floats]:
        """Returns the means and, for kernels with any figure, the share of time per class.

        Launches without a figure belong to no class.
        """
        total = self.class_ns.sum(axis=1)
        measured = total > self.class_ns[:, NOT_MEASURED]
        shares = {
            name: np.divide(self.class_ns[:, place], total, out=np.full(len(total), np.nan), where=measured)
            for place, name in enumerate(BOUND_SHARES)
        }
        return {**self.means, **shares}

    @property
    def known(self) -> Flags:
        """(k,) Whether a kernel has a figure that could limit it."""
        known: Flags = np.isfinite(self.means["tensor_active"]) | np.isfinite(self.means["dram_active"])
        return known


def launch_figures(launches: LaunchTable, codes: Sequence[Sequence[int]]) -> LaunchFigures:
    """Averages launches by kernel; `codes` are the listed names of each of the k kernels.

    A name may stand for several kernels, and a kernel may have several names, so sums are by name first.
    """
    names = len(launches.strings)

    def per_kernel(name: NameIndex, amount: Floats) -> Floats:
        per_name = np.bincount(name, weights=amount, minlength=names)
        return np.array([per_name[list(own)].sum() for own in codes], dtype=np.float64)

    columns = {
        "tensor_active": launches.tensor,
        "dram_active": launches.dram,
        "achieved_occupancy": launches.occupancy,
        "sm_throughput": launches.sm,
    }
    means = {}
    for fact, values in columns.items():
        if values is None:
            continue
        has = np.isfinite(values)
        name, weight = launches.name[has], launches.dur_ns[has].astype(np.float64)
        total = per_kernel(name, weight)
        product = per_kernel(name, weight * values[has])
        means[fact] = np.divide(product, total, out=np.full(len(total), np.nan), where=total > 0)
    per_name = np.zeros((names, len(BOUND_CLASSES)), dtype=np.int64)
    np.add.at(per_name, (launches.name, bound_class(launches.tensor, launches.dram).astype(np.intp)), launches.dur_ns)
    class_ns = np.array([per_name[list(own)].sum(axis=0) for own in codes], dtype=np.int64)
    return LaunchFigures(means, class_ns.reshape(-1, len(BOUND_CLASSES)))
