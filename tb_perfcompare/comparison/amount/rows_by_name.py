"""Work of each step by name: calls, size of the work, time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tb_perfcompare.comparison.statistics.samples import Samples, mean_per_observation
from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.model.summary.summary import GroupTable
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class NamedRows:
    """r operators or kernels by name in n observations.

    names    r different names, in order
    calls    (r, n) float64
    size     (r, n) float64 elements of all inputs, or threads launched
    time_ns  (r, n) float64
    """

    names: tuple[str, ...]
    calls: Floats
    size: Floats
    time_ns: Floats


def rows_by_name(
    group: GroupTable, measure: str, samples: Samples, sizes_of: Callable[[str], tuple[int, ...]]
) -> NamedRows:
    """Sums rows of equal names; `sizes_of` gives the parts of a call's size from the second part of the row's key."""
    names = sorted({key[0] for key in group.keys})
    number = {name: index for index, name in enumerate(names)}
    row = np.array([number[key[0]] for key in group.keys], dtype=np.int64)
    order = np.argsort(row, kind="stable")
    starts = np.searchsorted(row[order], np.arange(len(names)))
    size = np.array([math.fsum(sizes_of(key[1])) if len(key) > 1 else 0.0 for key in group.keys])

    def summed(values: Ints | Floats) -> Floats:
        if not len(names):
            return np.zeros((0, len(samples.label)))
        return mean_per_observation(np.add.reduceat(values[order], starts, axis=0), samples)

    return NamedRows(
        tuple(names), summed(group.calls), summed(group.calls * size[:, None]), summed(group.measures_ns[measure])
    )


def of_both(a: NamedRows, b: NamedRows) -> tuple[NamedRows, NamedRows]:
    """The rows of the names that both sides have, in the same order."""
    shared = set(a.names) & set(b.names)

    def only(rows: NamedRows) -> NamedRows:
        kept = np.array([name in shared for name in rows.names], dtype=bool)
        names = tuple(name for name in rows.names if name in shared)
        return NamedRows(names, rows.calls[kept], rows.size[kept], rows.time_ns[kept])

    return only(a), only(b)
