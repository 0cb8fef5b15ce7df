"""Sums of rows by group and step.

Rows are summed once, by the finest groups that any table needs; coarser tables are sums of those groups, which are far
fewer than rows.
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
    """Rows divided into groups; r rows, g groups, s steps.

    of_row   (r,) group of each row
    step     of each row; rows outside steps count nowhere
    """

    of_row: AnyInts
    count: int
    step: Chosen
    steps: int

    def matrix(self, weights: Chosen | None = None, counted: AnyInts | None = None) -> Ints:
        """(g, s) summed weights of the rows; without weights their number. `counted` (r,) is in place of `of_row`,
        below zero for rows that do not count."""
        return scatter_add(self.of_row if counted is None else counted, self.count, self.step, self.steps, weights)

    def span(self, values: Ints, chosen: slice | Flags = slice(None)) -> tuple[Ints, Ints]:
        """(g,) smallest and (g,) largest value of the chosen rows; the largest integer and 0 where there is none."""
        low, high = np.full(self.count, _LATEST), np.zeros(self.count, dtype=np.int64)
        np.minimum.at(low, self.of_row[chosen], values[chosen])
        np.maximum.at(high, self.of_row[chosen], values[chosen])
        return low, high

    def first_names(self, strings: StringTable, name: AnyInts) -> Ints:
        """(g,) place in alphabetical order of the first of the rows' names; `name` (r,) are their codes."""
        first = np.full(self.count, _LATEST)
        np.minimum.at(first, self.of_row, gather(strings.ranks(), name))
        return first


def finest(keys: Sequence[tuple[AnyInts, int]]) -> tuple[list[Ints], Ints32]:
    """(each key's number of every combination that occurs, combination of each row); a key is a number per row and how
    many numbers there are. Combinations are in the order of their keys, the first before the second."""
    columns: list[Ints] = []
    at = np.zeros(0, dtype=np.int32)
    for number, size in keys:
        if size == 1 and columns:
            columns.append(np.zeros(len(columns[0]), dtype=np.int64))
            continue
        used: Ints | None = None
        if size > len(number):  # the numbers that occur may be few, and products of sizes are large
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


def argument_of(events: EventTable, name: str, rows: EventIndex, missing: int | float) -> NDArray[np.generic]:
    """(r,) values of an argument for these rows, in any order, `missing` where absent."""
    column = events.args.get(name)
    if column is None:
        return np.full(len(rows), missing)
    if len(column.rows) == len(rows) and np.array_equal(column.rows, rows):
        return column.values  # as a rule all kernels carry what any of them carries
    if len(rows) * _FEW > len(events) or not len(column.rows):
        return column.dense(len(events), missing)[rows]
    wanted = rows.astype(np.int32, copy=False)
    place = np.minimum(np.searchsorted(column.rows, wanted), len(column.rows) - 1)
    there = column.rows[place] == wanted
    found = np.full(len(rows), missing, dtype=column.values.dtype)
    found[there] = column.values[place[there]]
    return found


_FEW = 4
"""An array of all events is made where one event in so many is asked for; a search takes less memory."""


def added_up(matrix: Ints, into: AnyInts, count: int) -> Ints:
    """(count, s) sums of the rows of a matrix that go into the same row."""
    if count == len(into) and (np.diff(into) == 1).all():
        return matrix  # every row into its own
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


def least(values: Ints, into: AnyInts, count: int) -> Ints:
    """(count,) smallest of the values that go into the same place, the largest integer where none does."""
    out = np.full(count, _LATEST)
    np.minimum.at(out, into, values)
    return out


def largest(values: Ints, into: AnyInts, count: int) -> Ints:
    """(count,) largest of the values, none below 0, that go into the same place; 0 where none does."""
    out = np.zeros(count, dtype=np.int64)
    np.maximum.at(out, into, values)
    return out
