"""Device launches in order, without a clock: what a kernel listing or a kernel profiler's export says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.note import Note
from tb_perfcompare.model.recording import FileFacts, ReadStats
from tb_perfcompare.model.strings import StringTable


@dataclass(frozen=True, slots=True, eq=False)
class LaunchTable:
    """n launches in the order they ran.

    name    (n,) int32 index into strings
    dur_ns  (n,) int64
    tensor  (n,) float64 fraction of its time (or peak) the tensor pipe was active, NaN where not measured
    dram    (n,) float64 fraction of peak DRAM throughput, NaN where not measured
    """

    strings: StringTable
    name: NDArray[np.int32]
    dur_ns: NDArray[np.int64]
    tensor: NDArray[np.float64]
    dram: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class LaunchRecording:
    """One listing. `cut_names` counts distinct names that end in "...": different kernels may hide behind each."""

    file: FileFacts
    launches: LaunchTable
    cut_names: int
    stats: ReadStats
    notes: tuple[Note, ...]
