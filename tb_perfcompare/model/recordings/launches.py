"""Device launches in order, without a clock: what a kernel listing or a kernel profiler's export says."""

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
    """n launches in the order they ran.

    name       (n,) int32 index into strings
    dur_ns     (n,) int64
    tensor     (n,) float64 fraction of its time (or peak) the tensor pipe was active, NaN where not measured
    dram       (n,) float64 fraction of peak DRAM throughput, NaN where not measured
    occupancy  (n,) float64 achieved occupancy as a fraction, NaN where not measured; None when the source has none
    sm      (n,) float64 fraction of peak throughput of the multiprocessors, likewise
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
    device_name         model of the device, "" where the source does not name it
    compute_capability  e.g. "8.0", "" where the source does not say
    devices             how many devices the launches ran on, as far as the source tells them apart
    metrics             figure -> what the source calls the metric it was read from, where it names one; the figures are
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
