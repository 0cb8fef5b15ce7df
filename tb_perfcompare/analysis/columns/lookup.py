"""Joining rows by equal integers: ids that operators, calls and device work have in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tb_perfcompare.model.arrays import Ints

_ROOM_PER_KEY = 8
_ROOM = 1 << 16


def last_equal(keys: Ints, wanted: Ints, order: Callable[[], Ints]) -> Ints:
    """(w,) position in `keys` of the last entry equal to each wanted value, -1 if none. `order` gives the positions in
    the order that "last" is meant in; it is asked only if a key comes twice."""
    if not len(keys) or not len(wanted):
        return np.full(len(wanted), -1, dtype=np.int64)
    low, high = int(keys.min()), int(keys.max())
    if high - low < _ROOM_PER_KEY * len(keys) + _ROOM:
        return _by_table(keys, wanted, order, low, high - low + 1)
    return _by_sorting(keys, wanted, order)


def _by_table(keys: Ints, wanted: Ints, order: Callable[[], Ints], low: int, room: int) -> Ints:
    place = np.full(room, -1, dtype=np.int32)
    at, number = keys - low, np.arange(len(keys), dtype=np.int32)
    place[at] = number
    if not np.array_equal(place[at], number):
        number = order().astype(np.int32)
        place[at[number]] = number  # of equal indices the last one assigned stays
    inside = (wanted >= low) & (wanted < low + room)
    found = np.full(len(wanted), -1, dtype=np.int64)
    found[inside] = place[wanted[inside] - low]
    return found


def _by_sorting(keys: Ints, wanted: Ints, order: Callable[[], Ints]) -> Ints:
    by_key = np.argsort(keys, kind="stable")
    ordered = keys[by_key]
    if (ordered[1:] == ordered[:-1]).any():
        by_key = order()
        by_key = by_key[np.argsort(keys[by_key], kind="stable")]
        ordered = keys[by_key]
    at = np.searchsorted(ordered, wanted, side="right") - 1
    found = by_key[np.maximum(at, 0)]
    return np.where((at >= 0) & (keys[found] == wanted), found, -1)
