"""Owned time by finer keys than the entities of OwnedTime: sparse, since most keys occur in few steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeAlias

import numpy as np

from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Ints32, Nanoseconds, unique_places
from tb_perfcompare.model.texts import Keys
from tb_perfcompare.quick_dataclass import dataclass

First: TypeAlias = Callable[[Ints, int], Ints]
"""(rows, k) -> the k rows whose keys come first."""

_PLACES_PER_CODE = 8
_SMALL_TABLE = 1 << 21
_SUMS_PER_CELL = 2  # a sum takes more memory than an index


@dataclass(frozen=True, slots=True, eq=False)
class SplitTime:
    """r keys x s steps; c cells, ordered by key and step. Cells that are not listed are zero.

    keys     r tuples of texts, unique
    row      (c,) int32 index into keys
    step     (c,) int32 index into the admitted steps
    time_ns  (c,) int64 owned (exposed) time
    calls    (c,) int64 events that start in the step
    recorded_keys  parts of the keys that this recording has: "operator", "shape"
    pooled   number of keys pooled under a rest key, because there were too many
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
        """Keeps the `most` largest keys by time (then calls, then name).

        The other keys become what `rest` returns for them.
        """
        if len(self) <= most:
            return self
        is_large = _largest(*self.totals(), most, _by_key(self.keys.__getitem__))
        keys = [key if keep else rest(key) for key, keep in zip(self.keys, is_large.tolist(), strict=True)]
        return replace(self.renamed(keys), pooled=len(self) - most)

    def renamed(self, keys: Sequence[tuple[str, ...]]) -> SplitTime:
        """The same cells under other keys, one for each present key; cells whose keys become equal are added."""
        return self.with_cells(self.row, self.step, self.time_ns, self.calls, keys)

    def with_cells(
        self, row: AnyInts, step: AnyInts, time_ns: Nanoseconds, calls: Ints,
        keys: Sequence[tuple[str, ...]] | None = None,
    ) -> SplitTime:  # fmt: skip
        """Other cells, of the same keys or of the given ones; arguments and result as of split_time."""
        changed = split_time(self.keys if keys is None else keys, row, step, time_ns, calls)
        return replace(changed, recorded_keys=self.recorded_keys, pooled=self.pooled)


@dataclass(frozen=True, slots=True, eq=False)
class SplitCells:
    """Owned time by rows that have no keys yet: c cells as in SplitTime in `count` rows, some possibly empty."""

    count: int
    row: Ints
    step: Ints
    time_ns: Nanoseconds
    calls: Ints

    def largest(self, most: int, first: First, group: Ints) -> tuple[SplitCells, Flags, int]:
        """Keeps the `most` largest rows and pools the others into one row for each group.

        `first` breaks ties; `group` is (count,). Returns the cells, (count,) whether a row is such a pool, and the
        number of rows pooled.
        """
        used = np.flatnonzero(np.bincount(self.row, minlength=self.count))
        is_rest = np.zeros(self.count, dtype=bool)
        if len(used) <= most:
            return self, is_rest, 0
        time, calls = _totals(self.row, self.time_ns, self.calls, self.count)

        def first_used(rows: Ints, many: int) -> Ints:
            return np.searchsorted(used, first(used[rows], many))

        small = used[~_largest(time[used], calls[used], most, first_used)]
        rest = np.zeros(int(group.max()) + 1, dtype=np.int64)
        rest[group[small[::-1]]] = small[::-1]  # for equal indices the last assignment wins
        place = np.arange(self.count)
        place[small] = rest[group[small]]
        is_rest[place[small]] = True
        row = place[self.row]
        joined = add_cells(self.count, [(row, self.step, self.time_ns)], [(row, self.step, self.calls)])
        return joined, is_rest, len(small)

    def named(self, keys: Callable[[Ints], Keys]) -> SplitTime:
        """Attaches keys to the rows that have cells; `keys` returns the keys of rows, which must be distinct."""
        used, row = distinct(self.row, self.count)
        return SplitTime(keys(used), row.astype(np.int32), self.step.astype(np.int32), self.time_ns, self.calls)


Values = tuple[AnyInts, AnyInts, Ints]
"""(c,) rows, (c,) steps, (c,) values; the same cell may occur several times."""


def add_cells(count: int, timed: Sequence[Values], called: Sequence[Values]) -> SplitCells:
    """Adds up times and calls of `count` rows. Cells without time and calls are left out."""
    parts = [*timed, *called]
    steps = max(int(step.max(initial=0)) for _, step, _ in parts) + 1
    place, size = [_code(row, step, steps) for row, step, _ in parts], count * steps
    used: Ints | None = None
    if is_sparse(size, sum(map(len, place)), _SUMS_PER_CELL):
        used, at = distinct(np.concatenate(place), size)
        place, size = np.split(at, np.cumsum([len(codes) for codes in place])[:-1]), len(used)
    of_parts = [
        np.bincount(codes, weights=values, minlength=size).astype(np.float64, copy=False)
        for codes, (_, _, values) in zip(place, parts, strict=True)
    ]
    time, calls = (
        reduce(np.add, sums, np.zeros(size)) for sums in (of_parts[: len(timed)], of_parts[len(timed) :])
    )
    cells = np.flatnonzero((time != 0) | (calls != 0))
    code = cells if used is None else used[cells]
    return SplitCells(count, code // steps, code % steps, time[cells].astype(np.int64), calls[cells].astype(np.int64))


def _code(row: AnyInts, step: AnyInts, steps: int) -> Ints:
    code = row.astype(np.int64)
    code *= steps
    code += step
    return code


def split_time(
    keys: Sequence[tuple[str, ...]], row: AnyInts, step: AnyInts, time_ns: Nanoseconds, calls: Ints
) -> SplitTime:
    """Builds a SplitTime from keys that may repeat and cells that may repeat, adding equal ones.

    Keys without time and calls are left out.
    """
    index: dict[tuple[str, ...], int] = {}
    place = np.array([index.setdefault(key, len(index)) for key in keys], dtype=np.int64)[row]
    return add_cells(len(index), [(place, step, time_ns)], [(place, step, calls)]).named(listed(list(index)))


def listed(keys: Sequence[tuple[str, ...]]) -> Callable[[Ints], Keys]:
    """Function from rows to their keys, given the keys of all rows."""
    return lambda rows: tuple(map(keys.__getitem__, rows.tolist()))


def _totals(row: AnyInts, time_ns: Nanoseconds, calls: Ints, count: int) -> tuple[Ints, Ints]:
    return (
        np.bincount(row, weights=time_ns, minlength=count).astype(np.int64),
        np.bincount(row, weights=calls, minlength=count).astype(np.int64),
    )


def _by_key(key: Callable[[int], tuple[str, ...]]) -> First:
    return lambda rows, many: np.array(sorted(rows.tolist(), key=key)[:many], dtype=np.int64)


def _nth_largest(values: Ints, number: int) -> int:
    return int(np.sort(values)[-number])  # np.partition is slow if most values are equal


def _largest(time: Ints, calls: Ints, most: int, first: First) -> Flags:
    """Whether each row is among the `most` largest by time, then calls, then key.

    `most` is less than the number of rows.
    """
    least = _nth_largest(time, most)
    is_large: Flags = time > least
    equal = np.flatnonzero(time == least)
    fewest = _nth_largest(calls[equal], most - int(np.count_nonzero(is_large)))
    is_large[equal[calls[equal] > fewest]] = True
    equal = equal[calls[equal] == fewest]
    is_large[first(equal, most - int(is_large.sum()))] = True
    return is_large


def is_sparse(size: int, count: int, most: int = _PLACES_PER_CODE) -> bool:
    """Whether a table of `size` entries would be much larger than the number of entries looked up in it."""
    return size > 1 << 16 and size > most * count


def distinct(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """(distinct codes, ascending; index of each code in them); codes are in 0..size - 1.

    Sorts only if a lookup table of all possible codes would be much larger than the codes.
    """
    if is_sparse(size, max(len(codes), _SMALL_TABLE // _PLACES_PER_CODE)):
        return unique_places(codes)
    seen = np.zeros(size, dtype=bool)
    seen[codes] = True
    present = np.flatnonzero(seen)
    place = np.empty(size, dtype=np.int32)  # pages that are never touched take no memory
    place[present] = np.arange(len(present), dtype=np.int32)
    return present, place[codes].astype(np.int64)
