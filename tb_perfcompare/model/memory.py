"""Memory of one side: what was allocated per step and operator, and how much was held at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class MemoryCurve:
    """What one device held in one capture, over the compared window.

    capture    index into Summary.captures
    device     "CPU", "GPU 0"
    absolute   False: the profiler did not write totals, and the curve counts from zero at the first record
    time_ns    (t,) int64 since the start of the first step, ascending; thinned, peaks kept
    place      (t,) float64 the same in steps: 2.5 is in the middle of the third step, whatever the steps last
    allocated  (t,) int64 bytes held by tensors after the record
    reserved   (t,) int64 bytes held by the allocator, None where not written
    peak_allocated, peak_reserved  largest values before thinning; None where not written
    """

    capture: int
    device: str
    absolute: bool
    time_ns: NDArray[np.int64]
    place: NDArray[np.float64]
    allocated: NDArray[np.int64]
    reserved: NDArray[np.int64] | None
    peak_allocated: int
    peak_reserved: int | None


@dataclass(frozen=True, slots=True, eq=False)
class MemoryUse:
    """Allocations by operator and device, g rows x s steps.

    keys       g pairs (operator, device), unique; joins the two sides
    allocated  (g, s) int64 bytes allocated in the step
    released   (g, s) int64 bytes released in the step
    calls      (g, s) int64 allocations in the step
    curves     per capture and device
    """

    keys: tuple[tuple[str, str], ...]
    allocated: NDArray[np.int64]
    released: NDArray[np.int64]
    calls: NDArray[np.int64]
    curves: tuple[MemoryCurve, ...]

    def __len__(self) -> int:
        return len(self.keys)
