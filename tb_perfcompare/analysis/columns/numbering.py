"""Numbering of distinct values, sums by number, and joins by equal integers.

Sums have two equal implementations: a compiled one (native/sums.c), which needs no memory beyond its result, and one in
numpy, whose doubles are exact for up to 104 days in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.native_passes import compiled, indices, packed, unpacked
from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Ints32, chunks
from tb_perfcompare.model.summary import split_time

Number = TypeVar("Number", bound=np.generic)
Chosen: TypeAlias = "AnyInts | tuple[AnyInts, AnyInts]"
"""One value per entry: a column, or (column, index into it per entry). Entries with a negative index are ignored."""


_MANY = 1 << 14
"""Number of indices from which on the compiled look-up is faster: finding the memory of arrays takes 4 µs."""


def gather(values: NDArray[Number], at: AnyInts) -> NDArray[Number]:
    """values[at], in a quarter of numpy's time for 4-byte indices. -1 is the last; out-of-range indices wrap around."""
    module = compiled() if len(at) >= _MANY and at.dtype == np.int32 else None
    if module is not None:
        integers = np.ascontiguousarray(values).view(f"i{values.itemsize}")
        return np.frombuffer(module.gather(integers, packed(at, np.int32), values.itemsize), values.dtype)
    gathered = np.empty(len(at), dtype=values.dtype)
    for chunk in chunks(len(at)):
        values.take(at[chunk], out=gathered[chunk], mode="wrap")
    return gathered


def rows_where(chosen: Flags) -> Ints32:
    """Returns the chosen rows as int32, half the memory of np.flatnonzero."""
    rows = np.empty(np.count_nonzero(chosen), dtype=np.int32)
    begin = 0
    for chunk in chunks(len(chosen)):
        (in_chunk,) = chosen[chunk].nonzero()
        found = rows[begin : begin + len(in_chunk)]
        found[:] = in_chunk
        found += np.int32(chunk.start)
        begin += len(in_chunk)
    return rows


def factorize(code: AnyInts, size: int) -> tuple[Ints, Ints32]:
    """Returns (the distinct codes in order, index of each code among them); codes lie in 0..size - 1."""
    module = compiled()
    if module is not None and not split_time.is_sparse(size, len(code)):
        return _numbered(module.number(indices(code), None, 1, size))
    codes, place = split_time.distinct(code.astype(np.int64, copy=False), size)
    return codes, place.astype(np.int32)


def numbered_pairs(first: AnyInts, firsts: int, second: AnyInts, seconds: int) -> tuple[Ints, Ints32]:
    """Same as factorize, of the codes `first * seconds + second`; `first` < firsts, `second` < seconds."""
    module, size = compiled(), firsts * seconds
    if module is not None and not split_time.is_sparse(size, len(first)):
        return _numbered(module.number(indices(first), indices(second), seconds, size))
    return factorize(first.astype(np.int64) * seconds + second, size)


def _numbered(columns: tuple[bytes, bytes]) -> tuple[Ints, Ints32]:
    return unpacked(columns[0], np.int64), unpacked(columns[1], np.int32)


def scatter_add(
    row: Chosen, rows: int, column: Chosen | None = None, columns: int = 1, value: Chosen | None = None
) -> Ints:
    """(rows, columns) Sums of the values by row and column; without values, the number of entries.

    Entries with a negative row or column are ignored.
    """
    module = compiled()
    if module is None:
        return _added_in_numpy(row, rows, column, columns, value)
    sums = module.add_up(_argument(row), _argument(column), _argument(value), max(columns, 1), rows * columns)
    return unpacked(sums, np.int64).reshape(rows, columns)


def _argument(chosen: Chosen | None) -> object:
    if chosen is None:
        return None
    return tuple(map(indices, chosen)) if isinstance(chosen, tuple) else indices(chosen)


def _added_in_numpy(row: Chosen, rows: int, column: Chosen | None, columns: int, value: Chosen | None) -> Ints:
    place, is_counted = _values(row)
    is_counted &= place >= 0
    if column is not None:
        within, also = _values(column)
        is_counted &= also & (within >= 0)
        place = place * columns + within
    weights = None
    if value is not None:
        weights, also = _values(value)
        is_counted &= also
        weights = weights[is_counted]
    sums = np.bincount(place[is_counted], weights=weights, minlength=rows * columns)
    table: Ints = sums.astype(np.int64, copy=False).reshape(rows, columns)
    return table


def _values(chosen: Chosen) -> tuple[Ints, Flags]:
    """Returns (value of each entry, whether the entry has one)."""
    if not isinstance(chosen, tuple):
        return chosen.astype(np.int64), np.ones(len(chosen), dtype=np.bool_)
    values, at = chosen
    return np.append(values, 0)[at].astype(np.int64), at >= 0


_MAX_RANGE_PER_KEY = 8
_EXTRA_RANGE = 1 << 16


def last_equal(keys: Ints, wanted: Ints, order: Callable[[], Ints]) -> Ints:
    """(w,) Index of the last key equal to each wanted value, -1 if none.

    `order` returns the indices in the order that "last" refers to; it is called only if a key occurs twice.
    """
    if not len(keys) or not len(wanted):
        return np.full(len(wanted), -1, dtype=np.int64)
    low, high = int(keys.min()), int(keys.max())
    if high - low < _MAX_RANGE_PER_KEY * len(keys) + _EXTRA_RANGE:
        return _by_table(keys, wanted, order, low, high - low + 1)
    return _by_sorting(keys, wanted, order)


def _by_table(keys: Ints, wanted: Ints, order: Callable[[], Ints], low: int, size: int) -> Ints:
    place = np.full(size, -1, dtype=np.int32)
    at, number = keys - low, np.arange(len(keys), dtype=np.int32)
    place[at] = number
    if not np.array_equal(place[at], number):
        number = order().astype(np.int32)
        place[at[number]] = number  # of equal keys the last assignment wins
    inside = (wanted >= low) & (wanted < low + size)
    index = np.full(len(wanted), -1, dtype=np.int64)
    index[inside] = place[wanted[inside] - low]
    return index


def _by_sorting(keys: Ints, wanted: Ints, order: Callable[[], Ints]) -> Ints:
    by_key = np.argsort(keys, kind="stable")
    ordered = keys[by_key]
    if (ordered[1:] == ordered[:-1]).any():
        by_key = order()
        by_key = by_key[np.argsort(keys[by_key], kind="stable")]
        ordered = keys[by_key]
    at = np.searchsorted(ordered, wanted, side="right") - 1
    index = by_key[np.maximum(at, 0)]
    return np.where((at >= 0) & (keys[index] == wanted), index, -1)
