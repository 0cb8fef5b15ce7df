"""Boolean masks over events, evaluated once per category or distinct name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.numbering import gather
from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, NameIndex, is_of
from tb_perfcompare.model.events import Category, EventTable
from tb_perfcompare.model.names.ranges import passing_names
from tb_perfcompare.model.strings import StringTable


def is_one_of(category: NDArray[np.int8], members: Iterable[Category]) -> Flags:
    """(n,) Whether each event's category is one of these. Compares bytes, the fastest comparison in numpy."""
    first, *others = sorted(members)
    if others and others[-1] - first == len(others):  # consecutive values: one comparison for all
        flags: Flags = (category - np.int8(first)).view(np.uint8) <= len(others)
        return flags
    flags = is_of(category, first)
    for other in others:
        flags |= is_of(category, other)
    return flags


def used_codes(codes: AnyInts, size: int) -> Ints:
    """Returns the distinct codes, ascending; codes lie in 0..size - 1."""
    seen = np.zeros(size, dtype=bool)
    seen[codes] = True
    return np.flatnonzero(seen)


def named(events: EventTable, rows: AnyInts, test: Callable[[str], bool]) -> Flags:
    """(r,) Whether the names of these events pass a test, which is made once per distinct name."""
    names = gather(events.name, rows)
    used = used_codes(names, len(events.strings))
    passes = np.zeros(len(events.strings), dtype=bool)
    passes[used] = [test(events.strings[code]) for code in used.tolist()]
    return gather(passes, names)


class NameFlags:
    """Up to eight tests of event names: evaluated per distinct name, looked up per event."""

    def __init__(self, strings: StringTable, name: NameIndex, *tests: Callable[[str], bool]) -> None:
        bits = np.zeros(len(strings), dtype=np.uint8)
        self._bit = {test: 1 << number for number, test in enumerate(tests)}
        self._any: dict[Callable[[str], bool], bool] = {}
        for test, bit in self._bit.items():
            passing = passing_names(test, strings)
            bits[passing] |= bit
            self._any[test] = bool(passing)
        self._bits = gather(bits, name)

    def where(self, test: Callable[[str], bool]) -> Flags:
        """(n,) Whether each event's name passes the test."""
        if not self._any[test]:
            return np.zeros(len(self._bits), dtype=bool)
        flags: Flags = (self._bits & self._bit[test]) != 0
        return flags
