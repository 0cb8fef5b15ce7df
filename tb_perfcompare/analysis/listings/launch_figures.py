"""Figures of each kernel from its matching launches: means weighted by time, and what limits the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tb_perfcompare.model.arrays import Flags, Floats, NameIndex, Nanoseconds
from tb_perfcompare.model.recordings.launches import LaunchTable
from tb_perfcompare.model.summary.bound import bound_class
from tb_perfcompare.model.summary.summary import BOUND_CLASSES
from tb_perfcompare.quick_dataclass import dataclass

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
