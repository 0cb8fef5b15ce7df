"""The order in which one thread or stream did things, and how alike the stretches between marks are.

Nothing here looks at how long anything took: what marks an iteration must not depend on what is compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.event_masks import among, used_codes
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.events import Category

MOST_SCORED = 20_000
"""Entries of a sequence that are looked at to score a mark."""

IN_NEARLY_ALL = 0.9
"""A name belongs to every iteration if this share of them has it."""

_MOST_PAIRS = 12
_LONGEST_COMPARED = 4_000
_MOST_LANES = 3
_DEVICE = (Category.KERNEL, Category.MEMCPY, Category.MEMSET)


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """What one thread called directly, or one stream ran, in the order of time: n entries.

    start_ns  (n,) int64
    name      (n,) places in `names`
    names     distinct names, interned
    """

    start_ns: Ints
    name: Ints
    names: Ints


@dataclass(frozen=True, slots=True)
class Score:
    """recurring  share of the names between the first and the last mark that are in nearly every stretch
    alike      mean likeness of successive stretches, 0 to 1: 1 - edit distance (insertions and deletions of names) /
               the sum of their lengths
    foreign    the larger share of names before the first and after the last mark that no stretch has
    names      how many names recur
    """

    recurring: float
    alike: float
    foreign: float
    names: int


def sequences(timeline: InterpretedTrace) -> list[Sequence]:
    """Those of the busiest threads; of the busiest streams where the host was not recorded. Busiest first."""
    events = timeline.events
    rows = np.flatnonzero(timeline.is_operator)
    if not len(rows):
        rows = np.flatnonzero(timeline.is_api)
    if not len(rows):
        rows = np.flatnonzero(among(events.category, _DEVICE))
    if not len(rows):
        return []
    lane = timeline.lane[rows]
    counts = np.bincount(lane)
    busiest = np.argsort(-counts, kind="stable")[:_MOST_LANES]
    return [sequence_of(timeline, rows[lane == one]) for one in busiest.tolist() if counts[one]]


def _waits(timeline: InterpretedTrace, rows: Ints) -> NDArray[np.bool_]:
    """Calls that wait: the profiler makes some of its own."""
    events = timeline.events
    waits = np.zeros(len(events.strings), dtype=np.bool_)
    used = used_codes(events.name[rows], len(events.strings))
    waits[used] = ["Synchronize" in events.strings[code] for code in used.tolist()]
    return np.asarray(waits[events.name[rows]])


def sequence_of(timeline: InterpretedTrace, rows: Ints) -> Sequence:
    """Of events of one lane those inside no other, without calls that wait."""
    events = timeline.events
    rows = rows[~_waits(timeline, rows)]
    if (np.diff(events.start_ns[rows]) <= 0).any():
        rows = rows[np.lexsort((-events.dur_ns[rows], events.start_ns[rows]))]
    start, end = events.start_ns[rows], timeline.ends(rows)
    before = np.concatenate([[np.iinfo(np.int64).min], np.maximum.accumulate(end)[:-1]])
    top = start >= before
    codes = events.name[rows[top]]
    names = used_codes(codes, len(events.strings))
    place = np.zeros(len(events.strings), dtype=np.int64)
    place[names] = np.arange(len(names))
    return Sequence(start[top], place[codes], names)


def score(sequence: Sequence, marks: Ints) -> Score:
    """How well the ascending times `marks` cut the sequence into iterations; at least three marks."""
    place = np.searchsorted(sequence.start_ns, marks)
    last = int(np.searchsorted(place, place[0] + MOST_SCORED, side="right")) - 1
    cut_short = last < len(place) - 1
    place = place[: max(last + 1, 3)]
    first, final = int(place[0]), int(place[-1])
    name, names = sequence.name, len(sequence.names)
    inside = name[first:final]
    count = len(place) - 1
    stretch = np.repeat(np.arange(count), np.diff(place))
    seen = np.unique(stretch * names + inside) % max(names, 1)
    share = np.bincount(seen, minlength=names) / count
    known = share > 0
    outside = [name[:first], name[:0] if cut_short else name[final:]]
    return Score(
        recurring=float((share >= IN_NEARLY_ALL).sum() / max(known.sum(), 1)),
        alike=_likeness(name, place),
        foreign=max(_foreign(part, known) for part in outside),
        names=int((share >= IN_NEARLY_ALL).sum()),
    )


def _foreign(name: Ints, known: NDArray[np.bool_]) -> float:
    used = np.unique(name)
    return float((~known[used]).mean()) if len(used) else 0.0


def _likeness(name: Ints, place: Ints) -> float:
    """Mean likeness of successive stretches. Equal ones are found by hashes; of others, the pairs that occur most often
    are compared."""
    kind = _classes(name, place)
    if len(kind) < 2:
        return 0.0
    pairs = np.sort(np.stack([kind[:-1], kind[1:]]), axis=0)
    distinct, first, counts = np.unique(pairs, axis=1, return_index=True, return_counts=True)
    total, weight = 0.0, 0
    for at in np.argsort(-counts, kind="stable")[:_MOST_PAIRS].tolist():
        one = int(first[at])
        alike = 1.0
        if distinct[0, at] != distinct[1, at]:
            alike = likeness(name[place[one] : place[one + 1]], name[place[one + 1] : place[one + 2]])
        total += alike * int(counts[at])
        weight += int(counts[at])
    return total / weight


def _classes(name: Ints, place: Ints) -> Ints:
    """(c,) the same number for stretches of the same names in the same order (by a hash of 64 bits)."""
    first, final = int(place[0]), int(place[-1])
    inside = name[first:final]
    codes = np.random.default_rng(0).integers(1, 2**63, size=int(name.max(initial=0)) + 1, dtype=np.uint64)
    base, back = 0x9E3779B97F4A7C15, pow(0x9E3779B97F4A7C15, -1, 2**64)
    powers = np.full(len(inside) + 1, base, dtype=np.uint64)
    powers[0] = 1
    powers = np.multiply.accumulate(powers)
    inverse = np.full(len(inside) + 1, back, dtype=np.uint64)
    inverse[0] = 1
    inverse = np.multiply.accumulate(inverse)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(codes[inside] * powers[:-1], dtype=np.uint64)])
    at = place - first
    hashes = (sums[at[1:]] - sums[at[:-1]]) * inverse[at[:-1]]
    return np.asarray(np.unique(hashes, return_inverse=True)[1].reshape(-1))


def likeness(a: NDArray[np.integer], b: NDArray[np.integer]) -> float:
    """1 - insertions and deletions that make `b` of `a` / (len(a) + len(b)), by their longest common subsequence
    (Hyyrö, Bit-parallel LCS-length computation revisited, 2004). Long ones are compared by their beginnings."""
    one, two = a[:_LONGEST_COMPARED].tolist(), b[:_LONGEST_COMPARED].tolist()
    if not one and not two:
        return 1.0
    where: dict[int, int] = {}
    for at, name in enumerate(one):
        where[name] = where.get(name, 0) | 1 << at
    full = (1 << len(one)) - 1
    state = full
    for name in two:
        match = state & where.get(name, 0)
        state = (state + match | state - match) & full
    common = len(one) - state.bit_count()
    return 2 * common / (len(one) + len(two))
