"""Numbering distinct values, and sums by number.

Sums have two equal forms: a compiled one (native/sums.c), which needs no memory beyond its result, and one in numpy,
whose doubles carry nanoseconds exactly up to 104 days.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.native_passes import compiled, indices, unpacked
from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Ints32
from tb_perfcompare.model.summary import split_time

Number = TypeVar("Number", bound=np.generic)
Chosen: TypeAlias = "AnyInts | tuple[AnyInts, AnyInts]"
"""A column with a value per i, or a column and the index into it per i; an index below zero is of nothing."""


_PORTION = 1 << 18


def chunks(count: int) -> Iterator[slice]:
    """Stretches of so many rows, one after the other: what is made of all rows at once takes more room than its result.
    At least one."""
    for begin in range(0, max(count, 1), _PORTION):
        yield slice(begin, min(begin + _PORTION, count))


def gather(values: NDArray[Number], at: AnyInts) -> NDArray[Number]:
    """values[at], in half the time that numpy takes where indices have 4 bytes. -1 is the last; places
    beyond the end wrap around instead of raising an error."""
    found = np.empty(len(at), dtype=values.dtype)
    for some in chunks(len(at)):
        values.take(at[some], out=found[some], mode="wrap")
    return found


def rows_where(chosen: Flags) -> Ints32:
    """The rows that are chosen; np.flatnonzero gives indices of twice the size."""
    found = np.empty(np.count_nonzero(chosen), dtype=np.int32)
    begin = 0
    for some in chunks(len(chosen)):
        here = np.flatnonzero(chosen[some])
        found[begin : begin + len(here)] = here + some.start
        begin += len(here)
    return found


def factorize(code: AnyInts, size: int) -> tuple[Ints, Ints32]:
    """(the different codes in order, which of them each is); codes lie in 0..size - 1."""
    module = compiled()
    if module is not None and not split_time.is_sparse(size, len(code)):
        return _numbered(module.number(indices(code), None, 1, size))
    found, place = split_time.distinct(code.astype(np.int64, copy=False), size)
    return found, place.astype(np.int32)


def numbered_pairs(first: AnyInts, firsts: int, second: AnyInts, seconds: int) -> tuple[Ints, Ints32]:
    """The same of the codes `first * seconds + second`; `first` lies in 0..firsts - 1, `second` in 0..seconds - 1."""
    module, size = compiled(), firsts * seconds
    if module is not None and not split_time.is_sparse(size, len(first)):
        return _numbered(module.number(indices(first), indices(second), seconds, size))
    return factorize(first.astype(np.int64) * seconds + second, size)


def _numbered(found: tuple[bytes, bytes]) -> tuple[Ints, Ints32]:
    return unpacked(found[0], np.int64), unpacked(found[1], np.int32)


def scatter_add(
    row: Chosen, rows: int, column: Chosen | None = None, columns: int = 1, value: Chosen | None = None
) -> Ints:
    """(rows, columns) sums of the values, or without them how many, that belong to each row and column; those with a
    row or column below zero belong to none."""
    module = compiled()
    if module is None:
        return _added_in_numpy(row, rows, column, columns, value)
    sums = module.add_up(_given(row), _given(column), _given(value), max(columns, 1), rows * columns)
    return unpacked(sums, np.int64).reshape(rows, columns)


def _given(chosen: Chosen | None) -> object:
    if chosen is None:
        return None
    return tuple(map(indices, chosen)) if isinstance(chosen, tuple) else indices(chosen)


def _added_in_numpy(row: Chosen, rows: int, column: Chosen | None, columns: int, value: Chosen | None) -> Ints:
    place, known = _values(row)
    known &= place >= 0
    if column is not None:
        within, also = _values(column)
        known &= also & (within >= 0)
        place = place * columns + within
    weights = None
    if value is not None:
        weights, also = _values(value)
        known &= also
        weights = weights[known]
    sums = np.bincount(place[known], weights=weights, minlength=rows * columns)
    table: Ints = sums.astype(np.int64, copy=False).reshape(rows, columns)
    return table


def _values(chosen: Chosen) -> tuple[Ints, Flags]:
    """(the value per i, whether there is one)."""
    if not isinstance(chosen, tuple):
        return chosen.astype(np.int64), np.ones(len(chosen), dtype=np.bool_)
    values, at = chosen
    return np.append(values, 0)[at].astype(np.int64), at >= 0
