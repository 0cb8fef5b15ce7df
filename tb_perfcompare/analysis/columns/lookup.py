"""Joins rows by equal integers: ids shared by operators, calls and device work."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tb_perfcompare.model.arrays import Ints

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
