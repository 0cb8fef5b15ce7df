"""Owned time by keys finer than the entities of OwnedTime: sparse, since most of them occur in few steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeAlias

import numpy as np

from tb_perfcompare.model.arrays import AnyInts, Flags, Floats, Ints, Ints32, Nanoseconds, unique_places
from tb_perfcompare.model.texts import Keys
from tb_perfcompare.quick_dataclass import dataclass

First: TypeAlias = Callable[[Ints, int], Ints]
"""Given rows and a number, so many of them: those whose keys come first."""

_PLACES_PER_CODE = 8
_SMALL_TABLE = 1 << 21
_SUMS_PER_CELL = 2  # a sum takes more room than a place


@dataclass(frozen=True, slots=True, eq=False)
class SplitTime:
    """r keys x s steps; c cells, ordered by key and step. What is not listed is zero.

    keys     r tuples of texts, unique
    row      (c,) int32 index into keys
    step     (c,) int32 index into the admitted steps
    time_ns  (c,) int64 owned (exposed) time
    calls    (c,) int64 events that start in the step
    recorded_keys  parts of the keys that this recording has: "operator", "shape"
    pooled   keys that stand together under a rest key, because there were too many
    """

    keys: Keys
    row: Ints32
    step: Ints32
    time_ns: Nanoseconds
    calls: Ints
    recorded_keys: tuple[str, ...] = ()
    pooled: int = 0

    def __len__(self) -> int:
        return len(self.keys)

    def totals(self) -> tuple[Ints, Ints]:
        """(r,) time and (r,) calls over all steps."""
        return _totals(self.row, self.time_ns, self.calls, len(self))

    def largest(self, most: int, rest: Callable[[tuple[str, ...]], tuple[str, ...]]) -> SplitTime:
        """The `most` largest keys by time (then calls, then name) as they are; the others join the key that `rest`
        makes of theirs."""
        if len(self) <= most:
            return self
        kept = _largest(*self.totals(), most, _by_key(self.keys.__getitem__))
        keys = [key if keep else rest(key) for key, keep in zip(self.keys, kept.tolist(), strict=True)]
        return replace(self.renamed(keys), pooled=len(self) - most)

    def renamed(self, keys: Sequence[tuple[str, ...]]) -> SplitTime:
        """The same under other keys, one per key of this; what comes to have the same key is added up."""
        found = split_time(keys, self.row, self.step, self.time_ns, self.calls)
        return replace(found, recorded_keys=self.recorded_keys, pooled=self.pooled)


@dataclass(frozen=True, slots=True, eq=False)
class SplitCells:
    """Owned time by rows that have no keys yet: c cells as in SplitTime, `count` rows of which some may have none."""

    count: int
    row: Ints
    step: Ints
    time_ns: Nanoseconds
    calls: Ints

    def largest(self, most: int, first: First, group: Ints) -> tuple[SplitCells, Flags, int]:
        """(the `most` largest rows as they are and one more row for all others of each group, (count,) whether a row is
        such a one, how many stand together). `first` settles who of equal rows is larger; `group` is (count,)."""
        used = np.flatnonzero(np.bincount(self.row, minlength=self.count))
        is_rest = np.zeros(self.count, dtype=bool)
        if len(used) <= most:
            return self, is_rest, 0
        time, calls = _totals(self.row, self.time_ns, self.calls, self.count)

        def first_used(rows: Ints, many: int) -> Ints:
            return np.searchsorted(used, first(used[rows], many))

        small = used[~_largest(time[used], calls[used], most, first_used)]
        rest = np.zeros(int(group.max()) + 1, dtype=np.int64)
        rest[group[small[::-1]]] = small[::-1]  # of equal indices the last one assigned stays
        place = np.arange(self.count)
        place[small] = rest[group[small]]
        is_rest[place[small]] = True
        row = place[self.row]
        joined = add_cells(self.count, [(row, self.step, self.time_ns)], [(row, self.step, self.calls)])
        return joined, is_rest, len(small)

    def named(self, keys: Callable[[Ints], Keys]) -> SplitTime:
        """The rows that have cells, under their keys, which differ; `keys` gives those of rows."""
        used, row = distinct(self.row, self.count)
        return SplitTime(keys(used), row.astype(np.int32), self.step.astype(np.int32), self.time_ns, self.calls)


Values = tuple[AnyInts, AnyInts, Ints]
"""(c,) rows, (c,) steps, (c,) values; cells may lie upon each other."""


def add_cells(count: int, timed: Sequence[Values], called: Sequence[Values]) -> SplitCells:
    """Times and calls of `count` rows added up. Cells without any time or call go."""
    parts = [*timed, *called]
    steps = max(int(step.max(initial=0)) for _, step, _ in parts) + 1
    place, size = [_code(row, step, steps) for row, step, _ in parts], count * steps
    found: Ints | None = None
    if is_sparse(size, sum(map(len, place)), _SUMS_PER_CELL):
        found, at = distinct(np.concatenate(place), size)
        place, size = np.split(at, np.cumsum([len(codes) for codes in place])[:-1]), len(found)
    of_parts = [
        np.bincount(codes, weights=values, minlength=size).astype(np.float64, copy=False)
        for codes, (_, _, values) in zip(place, parts, strict=True)
    ]
    time, calls = (_sum(sums, size) for sums in (of_parts[: len(timed)], of_parts[len(timed) :]))
    some = np.flatnonzero((time != 0) | (calls != 0))
    code = some if found is None else found[some]
    return SplitCells(count, code // steps, code % steps, time[some].astype(np.int64), calls[some].astype(np.int64))


def _sum(columns: Sequence[Floats], size: int) -> Floats:
    return reduce(np.add, columns) if columns else np.zeros(size)


def _code(row: AnyInts, step: AnyInts, steps: int) -> Ints:
    code = row.astype(np.int64)
    code *= steps
    code += step
    return code


def split_time(
    keys: Sequence[tuple[str, ...]], row: AnyInts, step: AnyInts, time_ns: Nanoseconds, calls: Ints
) -> SplitTime:
    """From keys that may repeat and cells that may lie upon each other. Keys without any time or call go."""
    index: dict[tuple[str, ...], int] = {}
    place = np.array([index.setdefault(key, len(index)) for key in keys], dtype=np.int64)[row]
    return add_cells(len(index), [(place, step, time_ns)], [(place, step, calls)]).named(listed(list(index)))


def listed(keys: Sequence[tuple[str, ...]]) -> Callable[[Ints], Keys]:
    """What gives the keys of rows, from those of all rows."""
    return lambda rows: tuple(map(keys.__getitem__, rows.tolist()))


def _totals(row: AnyInts, time_ns: Nanoseconds, calls: Ints, count: int) -> tuple[Ints, Ints]:
    return (
        np.bincount(row, weights=time_ns, minlength=count).astype(np.int64),
        np.bincount(row, weights=calls, minlength=count).astype(np.int64),
    )


def _by_key(key: Callable[[int], tuple[str, ...]]) -> First:
    return lambda rows, many: np.array(sorted(rows.tolist(), key=key)[:many], dtype=np.int64)


def _nth_largest(values: Ints, number: int) -> int:
    return int(np.sort(values)[-number])  # np.partition is slow where most values are equal


def _largest(time: Ints, calls: Ints, most: int, first: First) -> Flags:
    """Which of the rows are the `most` largest by time, then calls, then key; there are more of them."""
    least = _nth_largest(time, most)
    kept: Flags = time > least
    equal = np.flatnonzero(time == least)
    fewest = _nth_largest(calls[equal], most - int(np.count_nonzero(kept)))
    kept[equal[calls[equal] > fewest]] = True
    equal = equal[calls[equal] == fewest]
    kept[first(equal, most - int(kept.sum()))] = True
    return kept


def is_sparse(size: int, count: int, most: int = _PLACES_PER_CODE) -> bool:
    """Whether a table of `size` places would be much larger than what is looked up in it."""
    return size > 1 << 16 and size > most * count


def distinct(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """(the different codes in order, index into them of each); codes lie in 0..size - 1. Sorts only where a table of
    all possible codes would be much larger than what is looked up."""
    if is_sparse(size, max(len(codes), _SMALL_TABLE // _PLACES_PER_CODE)):
        return unique_places(codes)
    seen = np.zeros(size, dtype=bool)
    seen[codes] = True
    found = np.flatnonzero(seen)
    place = np.empty(size, dtype=np.int32)  # where nothing is written or read, no memory is taken
    place[found] = np.arange(len(found), dtype=np.int32)
    return found, place[codes].astype(np.int64)
