"""Sums of rows by group and step.

Rows are summed once, by the finest groups that any table needs; coarser tables sum these groups, which are far fewer
than the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.native_passes import compiled
from tb_perfcompare.analysis.columns.numbering import Chosen, factorize, gather, numbered_pairs, scatter_add
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Flags, Ints, Ints32
from tb_perfcompare.model.events import EventTable
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.quick_dataclass import dataclass

_LATEST = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """r rows divided into g groups, over s steps.

    of_row  (r,) group of each row
    count   g
    step    step of each row; rows outside steps are not counted
    steps   s
    """

    of_row: AnyInts
    count: int
    step: Chosen
    steps: int

    def matrix(self, weights: Chosen | None = None, counted: AnyInts | None = None) -> Ints:
        """(g, s) Sum of the rows' weights, or number of rows without weights.

        `counted` (r,) replaces `of_row`; negative for rows that are not counted.
        """
        return scatter_add(self.of_row if counted is None else counted, self.count, self.step, self.steps, weights)

    def span(self, values: Ints, chosen: slice | Flags = slice(None)) -> tuple[Ints, Ints]:
        """(g,) smallest and (g,) largest value of the chosen rows; the largest int64 and 0 for groups without any."""
        low, high = np.full(self.count, _LATEST), np.zeros(self.count, dtype=np.int64)
        np.minimum.at(low, self.of_row[chosen], values[chosen])
        np.maximum.at(high, self.of_row[chosen], values[chosen])
        return low, high

    def first_names(self, strings: StringTable, name: AnyInts) -> Ints:
        """(g,) Alphabetical rank of the first name of each group; `name` (r,) are the rows' name codes."""
        first = np.full(self.count, _LATEST)
        np.minimum.at(first, self.of_row, gather(strings.ranks(), name))
        return first


def number_combinations(keys: Sequence[tuple[AnyInts, int]]) -> tuple[list[Ints], Ints32]:
    """Numbers the combinations of keys that occur; a key is (a number per row, the number of distinct numbers).

    Returns (per key, its number in each combination; combination of each row). Combinations are sorted by the first
    key, then the second and so on.
    """
    columns: list[Ints] = []
    at = np.zeros(0, dtype=np.int32)
    for number, size in keys:
        if size == 1 and columns:
            columns.append(np.zeros(len(columns[0]), dtype=np.int64))
            continue
        used: Ints | None = None
        if size > len(number):  # few may occur, and products of sizes get large
            used, number = factorize(number, size)
            size = len(used)
        if columns:
            code, at = numbered_pairs(at, len(columns[0]), number, size)
            before, after = np.divmod(code, max(size, 1))
        else:
            after, at = factorize(number, size)
            before = after[:0]
        columns = [*(column[before] for column in columns), after if used is None else used[after]]
    return columns, at


def argument_values(events: EventTable, name: str, rows: EventIndex, missing: int | float) -> NDArray[np.generic]:
    """(r,) Values of an argument for these rows, in any order; `missing` for rows without it."""
    column = events.args.get(name)
    if column is None:
        return np.full(len(rows), missing)
    if len(column.rows) == len(rows) and np.array_equal(column.rows, rows):
        return column.values  # usually all kernels have an argument if any has
    if len(rows) * _DENSE_RATIO > len(events) or not len(column.rows):
        return column.dense(len(events), missing)[rows]
    wanted = rows.astype(np.int32, copy=False)
    place = np.minimum(np.searchsorted(column.rows, wanted), len(column.rows) - 1)
    has_argument = column.rows[place] == wanted
    values = np.full(len(rows), missing, dtype=column.values.dtype)
    values[has_argument] = column.values[place[has_argument]]
    return values


_DENSE_RATIO = 4
"""An array over all events is made if at least one event in this many is wanted; else a search takes less memory."""


def sum_by_target(matrix: Ints, into: AnyInts, count: int) -> Ints:
    """(count, s) Sums of the matrix rows that have the same target row in `into`."""
    if count == len(into) and (np.diff(into) == 1).all():
        return matrix  # each row is its own target
    rows, steps = matrix.shape
    if compiled() is not None:
        row = into.astype(np.int32, copy=False), np.repeat(np.arange(rows, dtype=np.int32), steps)
        return scatter_add(row, count, np.tile(np.arange(steps, dtype=np.int32), rows), steps, matrix.ravel())
    out = np.zeros((count, steps), dtype=np.int64)
    if len(into):
        order = np.argsort(into, kind="stable")
        first = np.flatnonzero(np.diff(into[order], prepend=-1))
        out[into[order[first]]] = np.add.reduceat(matrix[order], first, axis=0)
    return out


def min_by_target(values: Ints, into: AnyInts, count: int) -> Ints:
    """(count,) Smallest of the values with each target; the largest int64 for targets without any."""
    out = np.full(count, _LATEST)
    np.minimum.at(out, into, values)
    return out


def max_by_target(values: Ints, into: AnyInts, count: int) -> Ints:
    """(count,) Largest of the non-negative values with each target; 0 for targets without any."""
    out = np.zeros(count, dtype=np.int64)
    np.maximum.at(out, into, values)
    return out
