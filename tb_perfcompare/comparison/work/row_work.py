"""Work of each row of a table on one side: sums over rows of the counts in analysis/entities/work_table.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.arrays import Flags, Floats, Ints, divided
from tb_perfcompare.model.device_peaks import DevicePeaks, device_peaks
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import STATED_WORK
from tb_perfcompare.quick_dataclass import dataclass

OPERATOR_WORK, MODULE_WORK, KERNEL_WORK = "operator_work", "module_work", "kernel_work"
"""Names of the groups; their keys are (name, input shape, data type, family, reason)."""

COMPUTE, MEMORY = "compute-bound", "memory-bound"
"""The roof that bounds a row."""

RIDGE = 1.2
"""Ratio of compute to memory time at the peaks within which a row is near the ridge, and neither bounds it."""

BOUND_FROM = 0.3
"""Share of peak below which neither bounds a row: launches and latency take the time then."""

_LISTED = 3

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RowWork:
    """Work of r rows in s steps.

    flops, bytes, time_ns  (r, s) int64 work, and the time of the calls whose work is known
    whole_ns               (r,) int64 time of all calls, of all steps together
    roof_ns                (r,) time of the work at the device's peak, for each part the longer of computing and moving;
                           NaN if no peak is known
    compute_ns, memory_ns  (r,) time of computing and of moving alone; NaN as before
    unjudged_ns            (r,) part of memory_ns for work whose FLOPs have no peak or are not known; NaN as before
    data_type, reason      r texts: types by time; why calls have no model, by time
    """

    flops: Ints
    bytes: Ints
    time_ns: Ints
    whole_ns: Ints
    roof_ns: Floats
    compute_ns: Floats
    memory_ns: Floats
    unjudged_ns: Floats
    data_type: tuple[str, ...]
    reason: tuple[str, ...]

    @property
    def steps(self) -> int:
        return int(self.flops.shape[1])

    def has_model(self) -> Flags:
        """(r,) whether the work of any call of the row is known."""
        modeled: Flags = self.time_ns.sum(axis=1) > 0
        return modeled

    def per_step(self, of: str) -> Floats:
        """(r,) mean of "flops", "bytes" or "time_ns" per step."""
        total: Ints = getattr(self, of).sum(axis=1)
        return total / max(self.steps, 1)

    def ratio(self, over: str, under: str) -> Floats:
        """(r,) one sum over another; NaN if the latter is zero."""
        top, bottom = (getattr(self, name).sum(axis=1).astype(np.float64) for name in (over, under))
        return divided(top, bottom)

    def roof_share(self) -> Floats:
        """(r,) share of the roof that the rows reach; above 1 if the model and the peak cannot both be right."""
        return divided(np.where(self.roof_ns > 0, self.roof_ns, np.nan), self.time_ns.sum(axis=1).astype(np.float64))

    def coverage(self) -> Floats:
        """(r,) share of the time that has a model."""
        return divided(self.time_ns.sum(axis=1).astype(np.float64), self.whole_ns.astype(np.float64))

    def is_far(self) -> Flags:
        """(r,) whether the rows reach so little of their roof that it does not bound them."""
        far: Flags = self.roof_share() < BOUND_FROM
        return far

    def bound(self) -> list[str]:
        """COMPUTE right of the ridge, MEMORY left of it; "" near it, far from both roofs, or if a peak, FLOPs or
        bytes are not known."""
        at_least, near = self.memory_ns - self.unjudged_ns, ~self.is_far()
        compute_bound = near & (self.memory_ns > 0) & (self.compute_ns > RIDGE * self.memory_ns)
        memory_bound = near & (at_least > RIDGE * self.compute_ns)
        pairs = zip(compute_bound.tolist(), memory_bound.tolist(), strict=True)
        return [COMPUTE if computes else MEMORY if moves else "" for computes, moves in pairs]


OF_TABLES: Mapping[str, tuple[str, Callable[[Key], Key]]] = {
    "operators": (OPERATOR_WORK, lambda key: key[:1]),
    "operators_by_shape": (OPERATOR_WORK, lambda key: key[:2]),
    "modules": (MODULE_WORK, lambda key: key[:1]),
    "kernels": (KERNEL_WORK, lambda key: key[:1]),
}
"""Table -> the group with its work, and the function from the group's key to the row's key."""


def has_work(summary: Summary, group: str = OPERATOR_WORK) -> bool:
    """Whether the work of any call, of operators, modules or kernels, is known."""
    table = summary.groups.get(group)
    return table is not None and any(not key[4] for key in table.keys)


def peaks_of(
    baseline: Summary, candidate: Summary, options: CompareOptions
) -> tuple[DevicePeaks | None, DevicePeaks | None]:
    """Peak rates of the devices of both sides."""
    return (
        device_peaks(baseline.device.name, options.peaks, "baseline"),
        device_peaks(candidate.device.name, options.peaks, "candidate"),
    )


def table_work(summary: Summary, name: str, places: Mapping[Key, int], rows: int, peaks: DevicePeaks | None) -> RowWork:
    """Work of the rows of a table of OF_TABLES."""
    group, key_of = OF_TABLES[name]
    return row_work(summary, key_of, places, rows, peaks, group)


def row_work(
    summary: Summary, key_of: Callable[[Key], Key], places: Mapping[Key, int], rows: int, peaks: DevicePeaks | None,
    group: str = OPERATOR_WORK,
) -> RowWork:  # fmt: skip
    """Sums the work by row. `key_of` maps the group's keys to row keys, `places` these to row numbers; other keys
    belong to no row."""
    table = summary.groups.get(group)
    steps = len(summary.steps)
    sums, roofs = np.zeros((3, rows, steps), dtype=np.int64), np.zeros((4, rows))
    all_time = np.zeros(rows, dtype=np.int64)
    types: dict[int, dict[str, int]] = {}
    reasons: dict[int, dict[str, int]] = {}
    if table is not None:
        row_of = [places.get(key_of(key), -1) for key in table.keys]
        of_row = np.array([index for index, row in enumerate(row_of) if row >= 0], dtype=np.int64)
        done = [table.measures_ns[name][of_row] for name in ("flops", "bytes", "total")]
        keys, time = [table.keys[index] for index in of_row.tolist()], done[2].sum(axis=1)
        row = np.array(row_of, dtype=np.int64)[of_row]
        np.add.at(all_time, row, time)
        modeled = np.array([not key[4] for key in keys], dtype=bool)
        for matrix, values in zip(sums, done, strict=True):
            np.add.at(matrix, row[modeled], values[modeled])
        np.add.at(roofs.T, row[modeled], _roof_times(keys, done, peaks).T[modeled])
        for number, key, ns in zip(row.tolist(), keys, time.tolist(), strict=True):
            text, of = (key[4], reasons) if key[4] else (key[2], types)
            if text:
                amounts = of.setdefault(number, {})
                amounts[text] = amounts.get(text, 0) + ns
    listed = [tuple(_listed(of[number]) if number in of else "" for number in range(rows)) for of in (types, reasons)]
    return RowWork(sums[0], sums[1], sums[2], all_time, roofs[0], roofs[1], roofs[2], roofs[3], listed[0], listed[1])


def _roof_times(keys: Sequence[Key], done: Sequence[Ints], peaks: DevicePeaks | None) -> Floats:
    """(4, g) nanoseconds at the peak: the longer of both, computing, moving, moving if computing has no peak.
    `done`: FLOPs and bytes by step."""
    if peaks is None:
        return np.full((4, len(keys)), np.nan)
    flops, moved = (matrix.sum(axis=1).astype(np.float64) for matrix in done[:2])
    peak = np.array([peaks.tflops.get(key[2], 0.0) for key in keys]) * 1000  # FLOP per nanosecond
    compute = np.divide(flops, peak, out=np.zeros(len(keys)), where=peak > 0)
    memory = moved / peaks.memory_gbs if peaks.memory_gbs else np.zeros(len(keys))
    unknown = (peak == 0) & ((flops > 0) | np.array([key[3] == STATED_WORK for key in keys], dtype=bool))
    return np.stack([np.maximum(compute, memory), compute, memory, np.where(unknown, memory, 0)])


def _listed(texts: Mapping[str, int]) -> str:
    ranked = sorted(texts, key=lambda text: (-texts[text], text))
    return ", ".join(ranked[:_LISTED]) + (", ..." if len(ranked) > _LISTED else "")
