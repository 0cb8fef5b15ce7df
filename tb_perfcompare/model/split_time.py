"""Owned time by keys finer than the entities of OwnedTime: sparse, since most of them occur in few steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SplitTime:
    """r keys x s steps; c cells, ordered by key and step. What is not listed is zero.

    keys     r tuples of texts, unique
    row      (c,) int32 index into keys
    step     (c,) int32 index into the admitted steps
    time_ns  (c,) int64 owned (exposed) time
    calls    (c,) int64 events that start in the step
    told     what of the keys this recording tells: "operator", "shape"
    pooled   keys that stand together under a rest key, because there were too many
    """

    keys: tuple[tuple[str, ...], ...]
    row: NDArray[np.int32]
    step: NDArray[np.int32]
    time_ns: Ints
    calls: Ints
    told: tuple[str, ...] = ()
    pooled: int = 0

    def __len__(self) -> int:
        return len(self.keys)

    def totals(self) -> tuple[Ints, Ints]:
        """(r,) time and (r,) calls over all steps."""
        return (
            np.bincount(self.row, weights=self.time_ns, minlength=len(self)).astype(np.int64),
            np.bincount(self.row, weights=self.calls, minlength=len(self)).astype(np.int64),
        )

    def largest(self, most: int, rest: Callable[[tuple[str, ...]], tuple[str, ...]]) -> SplitTime:
        """The `most` largest keys by time (then calls, then name) as they are; the others join the key that `rest`
        makes of theirs."""
        if len(self) <= most:
            return self
        time, calls = self.totals()
        last = np.lexsort((-calls, -time))[most - 1]
        larger = (time > time[last]) | ((time == time[last]) & (calls > calls[last]))
        equal = np.flatnonzero((time == time[last]) & (calls == calls[last])).tolist()
        kept = larger.copy()
        kept[sorted(equal, key=lambda i: self.keys[i])[: most - int(larger.sum())]] = True
        keys = [key if keep else rest(key) for key, keep in zip(self.keys, kept.tolist(), strict=True)]
        return replace(self.renamed(keys), pooled=len(self) - most)

    def renamed(self, keys: Sequence[tuple[str, ...]]) -> SplitTime:
        """The same under other keys, one per key of this; what comes to have the same key is added up."""
        found = split_time(keys, self.row, self.step, self.time_ns, self.calls)
        return replace(found, told=self.told, pooled=self.pooled)


def split_time(
    keys: Sequence[tuple[str, ...]], row: NDArray[np.integer], step: NDArray[np.integer], time_ns: Ints, calls: Ints
) -> SplitTime:
    """From keys that may repeat and cells that may lie upon each other. Keys without any time or call go."""
    index: dict[tuple[str, ...], int] = {}
    place = np.array([index.setdefault(key, len(index)) for key in keys], dtype=np.int64)
    steps = int(step.max(initial=0)) + 1
    code, at = distinct(place[row] * steps + step, len(index) * steps)
    time = np.bincount(at, weights=time_ns, minlength=len(code)).astype(np.int64)
    count = np.bincount(at, weights=calls, minlength=len(code)).astype(np.int64)
    some = np.flatnonzero((time != 0) | (count != 0))
    used, new = distinct(code[some] // steps, len(index))
    distinct_keys = list(index)
    return SplitTime(
        keys=tuple(distinct_keys[i] for i in used.tolist()),
        row=new.astype(np.int32),
        step=(code[some] % steps).astype(np.int32),
        time_ns=time[some],
        calls=count[some],
    )


def distinct(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """(the different codes in order, index into them of each); codes lie in 0..size - 1. Sorts only where a table of
    all possible codes would be much larger than what is looked up."""
    if size > 1 << 16 and size > 8 * len(codes):
        found, at = np.unique(codes, return_inverse=True)
        return found, at.reshape(-1)
    seen = np.zeros(size, dtype=bool)
    seen[codes] = True
    found = np.flatnonzero(seen)
    place = np.zeros(size, dtype=np.int64)
    place[found] = np.arange(len(found))
    return found, place[codes]
