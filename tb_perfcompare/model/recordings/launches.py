"""Device launches in order, without timestamps: from a kernel listing or a kernel profiler's export."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tb_perfcompare.model.arrays import Floats, NameIndex, Nanoseconds
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.formats import LISTING
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.recordings.recording import ReadStats
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class LaunchTable:
    """n launches in execution order.

    name       (n,) int32 index into strings
    dur_ns     (n,) int64
    tensor     (n,) float64 share of time (or of peak) that the tensor pipe was active, NaN if not measured
    dram       (n,) float64 fraction of peak DRAM throughput, NaN if not measured
    occupancy  (n,) float64 achieved occupancy as a fraction, NaN if not measured; None if the source has none
    sm         (n,) float64 fraction of peak throughput of the multiprocessors, likewise
    """

    strings: StringTable
    name: NameIndex
    dur_ns: Nanoseconds
    tensor: Floats
    dram: Floats
    occupancy: Floats | None = None
    sm: Floats | None = None

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class LaunchRecording:
    """One listing or export.

    format              key of model/formats.py
    device_name         model of the device, "" if the source does not name it
    compute_capability  e.g. "8.0", "" if unknown
    devices             number of devices the launches ran on, if the source distinguishes them
    metrics             figure -> the source's name of the metric it was read from, if any; figures are
                        "tensor_active", "dram_active", "achieved_occupancy" and "sm_throughput"
    """

    file: FileFacts
    launches: LaunchTable
    stats: ReadStats
    notes: tuple[Note, ...]
    format: str = LISTING
    device_name: str = ""
    compute_capability: str = ""
    devices: int = 1
    metrics: Mapping[str, str] = field(default_factory=dict)
