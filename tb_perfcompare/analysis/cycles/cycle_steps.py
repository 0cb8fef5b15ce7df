"""The cycles of a table: their numbers, lengths and rows."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.arrays import Floats, Ints, Nanoseconds, is_run_start
from tb_perfcompare.model.recordings.cycles import CycleTable
from tb_perfcompare.model.texts import numbered
from tb_perfcompare.quick_dataclass import dataclass

LONGEST_NS = 2.0**62
"""Limit on sums of a table's times, 146 years."""


@dataclass(frozen=True, slots=True, eq=False)
class Cycles:
    """s distinct cycles by number, start and length.

    label     s texts: the number; "3 (2)" for a second cycle with the number 3
    total_ns  (s,) length
    start_ns  (s,) since the epoch if the table has starts, else each cycle starts where the previous one ends
    dated     whether the starts are the table's
    of_row    (rows,) cycle of each row
    repeated  numbers that several cycles have
    """

    label: tuple[str, ...]
    total_ns: Nanoseconds
    start_ns: Nanoseconds
    dated: bool
    of_row: Ints
    repeated: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.label)


def find_cycles(table: CycleTable) -> Cycles:
    """Finds the distinct (number, length) pairs of the rows. Raises CorruptInput for lengths beyond LONGEST_NS."""
    length = whole_ns(table.cycle_us, table.source, "anchor_dur_us")
    start = None  # of each row's cycle, -1 if the row has none
    if table.start_us is not None:
        has_start = np.isfinite(table.start_us) & (table.start_us >= 0)
        start = np.where(has_start, whole_ns(table.start_us, table.source, "cycle_start_ts"), -1)
    # a cycle starts at the earliest start of its rows; cycles are sorted by number, start, length
    order = np.lexsort((length, table.cycle))
    number, size = table.cycle[order], length[order]
    first = is_run_start(number) | is_run_start(size)
    place = np.cumsum(first) - 1
    of_row = np.empty(len(order), dtype=np.int64)
    of_row[order] = place
    number, size = number[first], size[first]
    begin = np.full(len(number), np.iinfo(np.int64).max)
    if start is not None:
        started = np.flatnonzero(start >= 0)
        np.minimum.at(begin, of_row[started], start[started])
    dated = bool((begin < np.iinfo(np.int64).max).all())
    ranked = np.lexsort((size, begin, number)) if dated else np.arange(len(number))
    new = np.empty(len(ranked), dtype=np.int64)
    new[ranked] = np.arange(len(ranked))
    number, size, begin = number[ranked], size[ranked], begin[ranked]
    if float(size.astype(np.float64).sum()) >= LONGEST_NS:
        raise _too_long(table.source, "anchor_dur_us")
    return Cycles(
        label=numbered(map(str, number.tolist())),
        total_ns=size,
        start_ns=begin if dated else np.cumsum(size) - size,
        dated=dated,
        of_row=new[of_row],
        repeated=tuple(n for n, count in Counter(number.tolist()).items() if count > 1),
    )


def whole_ns(us: Floats, path: str, column: str) -> Ints:
    """Converts microseconds to nanoseconds, NaN to 0. Raises CorruptInput beyond 64 bits."""
    finite_us = np.nan_to_num(us, nan=0.0)
    if len(finite_us) and float(np.abs(finite_us).max()) * 1000 >= LONGEST_NS:
        raise _too_long(path, column)
    # convert the fraction separately: a double cannot hold nanoseconds since 1970 exactly
    integer_us = np.floor(finite_us)
    return integer_us.astype(np.int64) * 1000 + np.rint((finite_us - integer_us) * 1000).astype(np.int64)


def _too_long(path: str, column: str) -> CorruptInput:
    return CorruptInput(
        path, "times add up to more than 146 years", place=f"column {column}", hint="its unit is microseconds"
    )
