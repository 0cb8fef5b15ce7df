"""Sums of rows by group and step.

Rows are summed once, by the finest groups that any table needs; coarser tables sum these groups, which are far fewer
than the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.numbering import Chosen, factorize, gather, numbered_pairs, scatter_add
from tb_perfcompare.model.arrays import (
    AnyInts,
    EventIndex,
    Flags,
    Floats,
    Ints,
    Ints32,
    max_by_target,
    min_by_target,
    places_of,
)
from tb_perfcompare.model.events import EventTable
from tb_perfcompare.model.summary.split_time import SplitCells, Values
from tb_perfcompare.quick_dataclass import dataclass


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
        group, values = self.of_row[chosen], values[chosen]
        return min_by_target(values, group, self.count), max_by_target(values, group, self.count)


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


@overload
def argument_values(events: EventTable, name: str, rows: EventIndex, missing: int) -> Ints: ...


@overload
def argument_values(events: EventTable, name: str, rows: EventIndex, missing: float) -> Floats: ...


def argument_values(events: EventTable, name: str, rows: EventIndex, missing: int | float) -> Ints | Floats:
    """(r,) Values of an argument for these rows, in any order, of the type of `missing`, which rows without it get."""
    return np.asarray(recorded_values(events, name, rows, missing), dtype=np.array(missing).dtype)


def recorded_values(events: EventTable, name: str, rows: EventIndex, missing: int | float) -> NDArray[np.generic]:
    """The same, of the type in which the argument is stored."""
    column = events.args.get(name)
    if column is None:
        return np.full(len(rows), missing)
    if len(column.rows) == len(rows) and np.array_equal(column.rows, rows):
        return column.values  # usually all kernels have an argument if any has
    absent = np.full(1, missing, dtype=column.values.dtype)
    return gather(np.concatenate([column.values, absent]), gather(places_of(column.rows, len(events)), rows))


def sum_by_target(matrix: Ints, into: AnyInts, count: int) -> Ints:
    """(count, s) Sums of the matrix rows that have the same target row in `into`."""
    if count == len(into) and (np.diff(into) == 1).all():
        return matrix  # each row is its own target
    rows, steps = matrix.shape
    row = into.astype(np.int32, copy=False), np.repeat(np.arange(rows, dtype=np.int32), steps)
    return scatter_add(row, count, np.tile(np.arange(steps, dtype=np.int32), rows), steps, matrix.ravel())


Cells: TypeAlias = tuple[Chosen, Chosen, "Chosen | None"]
"""(rows, steps, values); values None means 1 for each. Entries with a negative row or step are not counted."""

_SMALL = 1 << 16


def added_cells(count: int, steps: int, timed: Sequence[Cells], called: Sequence[Cells]) -> SplitCells:
    """Sums times and calls of `count` rows by step, as add_cells of model/summary/split_time.py does."""
    size = count * steps
    if size > _SMALL and size > sum(len(row[1] if isinstance(row, tuple) else row) for row, _, _ in (*timed, *called)):
        return _sparse_sums(count, steps, timed, called)
    time, calls = (np.zeros((count, steps), dtype=np.int64) for _ in range(2))
    for sums, parts in ((time, timed), (calls, called)):
        for row, step, values in parts:
            sums += scatter_add(row, count, step, steps, values)
    code = np.flatnonzero((time != 0) | (calls != 0))
    return SplitCells(count, code // steps, code % steps, time.ravel()[code], calls.ravel()[code])


def _sparse_sums(count: int, steps: int, timed: Sequence[Cells], called: Sequence[Cells]) -> SplitCells:
    """Computes the sums with memory only for cells that occur."""
    parts = [_counted(*part) for part in (*timed, *called)]
    rows, within = (np.concatenate([part[i] for part in parts]) for i in range(2))
    code, place = numbered_pairs(rows, count, within, steps)
    del rows, within
    time, calls = np.zeros(len(code), dtype=np.int64), np.zeros(len(code), dtype=np.int64)
    begin = 0
    for number, (row, _, values) in enumerate(parts):
        sums = time if number < len(timed) else calls
        sums += scatter_add(place[begin : begin + len(row)], len(code), value=values)[:, 0]
        begin += len(row)
    nonzero = np.flatnonzero((time != 0) | (calls != 0))
    code = code[nonzero]
    return SplitCells(count, code // max(steps, 1), code % max(steps, 1), time[nonzero], calls[nonzero])


def _counted(row: Chosen, step: Chosen, values: Chosen | None) -> Values:
    """Returns the values behind any indices, without entries that are not counted."""
    rows, within = _values(row), _values(step)
    counted = np.flatnonzero((rows >= 0) & (within >= 0))
    weights = np.ones(len(counted), dtype=np.int64) if values is None else _values(values, np.int64)[counted]
    return rows[counted], within[counted], weights


def _values(chosen: Chosen, dtype: type[np.generic] = np.int32) -> NDArray[Any]:
    values, at = chosen if isinstance(chosen, tuple) else (chosen, None)
    values = values.astype(dtype, copy=False)
    return values if at is None else np.where(at >= 0, values[at], values.dtype.type(-1))
