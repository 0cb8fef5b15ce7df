"""Use of a kernel on one side: its time, calls, utilization and tensor cores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.model.arrays import Floats, Nanoseconds
from tb_perfcompare.model.summary.summary import METRIC_SETTING, Summary
from tb_perfcompare.quick_dataclass import dataclass

TENSOR_USED, TENSOR_UNUSED = 0.10, 0.02
"""A kernel uses tensor cores from the first tensor-pipe activity up, and does not below the second."""

_FIGURES = ("tensor_active", "dram_active")


@dataclass(frozen=True, slots=True)
class Use:
    """A kernel on one side (or its replaced launches): microseconds and calls per step, utilization (NaN if not
    measured), and 1 or 0 if its name says that it uses tensor cores or not (NaN if it does not say)."""

    name: str
    time_us: float
    calls: float
    tensor: float
    dram: float
    by_name: float

    @property
    def uses_tensor_cores(self) -> bool | None:
        """Whether the kernel uses tensor cores, by measurement, else by name; None between the two thresholds."""
        if self.tensor < TENSOR_UNUSED or (np.isnan(self.tensor) and self.by_name == 0):
            return False
        return True if self.tensor >= TENSOR_USED or self.by_name == 1 else None


def tensor_cores(a: Use, b: Use) -> tuple[bool | None, bool | None]:
    """Whether each of two uses is of tensor cores, judged alike: by measurement only if both were measured."""
    if np.isnan(a.tensor) or np.isnan(b.tensor):
        a, b = (replace(use, tensor=float("nan")) for use in (a, b))
    return a.uses_tensor_cores, b.uses_tensor_cores


def incomparable(baseline: Summary, candidate: Summary) -> frozenset[str]:
    """Figures for which both sides name different metrics, or that only one side has."""
    a, b = (dict(side.environment) for side in (baseline, candidate))
    names = {figure: METRIC_SETTING + figure for figure in _FIGURES}
    other = {figure for figure, name in names.items() if a.get(name) and b.get(name) and a[name] != b[name]}
    return frozenset(other | {f for f in _FIGURES if _is_measured(baseline, f) != _is_measured(candidate, f)})


def _is_measured(side: Summary, figure: str) -> bool:
    return figure in (facts := side.groups["kernels"].facts) and bool(np.isfinite(facts[figure]).any())


def kernel_uses(side: Summary, without: frozenset[str]) -> dict[str, Use]:
    """Joining name -> use of the kernel, in the order of the rows. Figures in `without` count as not measured."""
    table = side.groups["kernels"]
    steps = len(side.steps)
    nothing = [float("nan")] * len(table)
    facts = (
        table.facts[fact].tolist() if fact in table.facts and fact not in without else nothing
        for fact in (*_FIGURES, "tensor_cores")
    )
    time = (table.measures_ns["total"].sum(axis=1) / steps / 1000).tolist()
    calls = (table.calls.sum(axis=1) / steps).tolist()
    return {key[0]: Use(key[0], *figures) for key, *figures in zip(table.keys, time, calls, *facts, strict=True)}


def launches_of(kernel: Use, dur_ns: Nanoseconds, tensor: Floats) -> Use:
    """Use of some launches of a kernel, on a side with one step."""
    has = np.isfinite(tensor) & (dur_ns > 0) & bool(np.isfinite(kernel.tensor))
    mean = float(np.average(tensor[has], weights=dur_ns[has])) if has.any() else float("nan")
    return Use(kernel.name, int(dur_ns.sum()) / 1000, len(dur_ns), mean, float("nan"), kernel.by_name)
