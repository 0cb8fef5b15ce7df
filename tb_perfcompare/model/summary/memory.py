"""Memory of one side: allocations per step and operator, and memory in use over time."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import Floats, Ints, Nanoseconds
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class MemoryCurve:
    """Memory in use on one device in one capture, from the start of the first of its c steps to the end of the last.

    capture    index into Summary.captures
    device     "CPU", "GPU 0"
    absolute   False if the profiler wrote no totals: the curve then starts from zero at the recording's first record
    label, start_ns, end_ns  (c,) texts and int64: the steps, in time since the start of the first one
    time_ns    (t,) int64 since the start of the first step, ascending; thinned, each step keeps its extremes
    allocated  (t,) int64 bytes in use by tensors after the record; a first point at 0 is the amount before the steps
    reserved   (t,) int64 bytes reserved by the allocator, None if not recorded
    peak_allocated, peak_reserved  largest values; None if not recorded
    """

    capture: int
    device: str
    absolute: bool
    label: tuple[str, ...]
    start_ns: Nanoseconds
    end_ns: Nanoseconds
    time_ns: Nanoseconds
    allocated: Ints
    reserved: Ints | None
    peak_allocated: int
    peak_reserved: int | None

    @property
    def place(self) -> Floats:
        """(t,) position of each point in steps: 2.5 is the middle of the third step, whatever the steps' durations.

        The position does not advance between two steps.
        """
        step = np.maximum(np.searchsorted(self.start_ns, self.time_ns, side="right") - 1, 0)
        start, end = self.start_ns[step], self.end_ns[step]
        passed: Floats = step + np.clip((self.time_ns - start) / np.maximum(end - start, 1), 0.0, 1.0)
        return passed


@dataclass(frozen=True, slots=True, eq=False)
class MemoryUse:
    """Allocations by operator and device, g rows x s steps.

    keys       g pairs (operator, device), unique; joins the two sides
    allocated  (g, s) int64 bytes allocated in the step
    released   (g, s) int64 bytes released in the step
    calls      (g, s) int64 allocations in the step
    curves     one for each capture and device
    """

    keys: tuple[tuple[str, str], ...]
    allocated: Ints
    released: Ints
    calls: Ints
    curves: tuple[MemoryCurve, ...]

    def __len__(self) -> int:
        return len(self.keys)
