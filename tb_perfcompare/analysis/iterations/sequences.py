"""The order of calls of a thread (or work of a stream), and how alike the stretches between marks are: passes through a
model have a stack of similar layers and calls around it.

Times are not used: what marks an iteration must not depend on what is compared.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.event_masks import named, used_codes
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import Flags, Ints, places_of, unique, unique_first, unique_places
from tb_perfcompare.model.names.ranges import is_update
from tb_perfcompare.quick_dataclass import dataclass

MAX_SCORED = 20_000
"""Largest number of entries of a sequence that are used to score marks."""

IN_NEARLY_ALL = 0.9
"""A name belongs to every iteration if at least this share of them has it."""

KNOWN_IN = 2
"""Number of stretches that must have a name for it to belong to the loop.

More than one: what happens between two runs of a model is in one stretch between two layers.
"""

MIN_WARM = 4
"""With at least this many stretches, names are counted without the first one.

It does set-up, compilation and allocation that later ones do not.
"""

_MAX_PAIRS = 12
_LONGEST_COMPARED = 4_000
_BUSIEST, _MAX_LANES = 8, 4
_MIN_NAMES = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """n outermost calls of one thread, or work of one stream, in time order.

    start_ns  (n,) int64
    end_ns    (n,) int64 latest end of all entries so far
    name      (n,) index into `names`
    names     distinct names, interned
    nested    (names,) whether most calls of the name are inside others; rounding to microseconds lets some appear
              outside
    updates   (names,) whether the name is of an optimizer's parameter update
    lane      the thread or stream
    """

    start_ns: Ints
    end_ns: Ints
    name: Ints
    names: Ints
    nested: Flags
    updates: Flags
    lane: int


@dataclass(frozen=True, slots=True)
class Score:
    """How well marks cut a sequence into iterations.

    recurring  share of the names between the first and the last mark that are in nearly every stretch, without the
               first stretch, which may warm up
    in_order   mean over successive stretches of 1 - edit distance (insertions and deletions of names) / the sum of
               their lengths
    alike      the same mean, but of the share of distinct neighbor pairs in common if that is larger, as a loop within
               an iteration may run more often
    foreign    larger share of names, before the first or after the last mark, that fewer than two stretches have
    names      number of names that recur
    updating   share of stretches that update parameters; None if fewer than two do
    """

    recurring: float
    in_order: float
    alike: float
    foreign: float
    names: int
    updating: float | None


def sequences(timeline: InterpretedTrace) -> list[Sequence]:
    """Returns the sequences of the threads with most operators, else of streams; those with most names first.

    If there is device work, excludes threads that launch none (they decode and collate the next batches).
    """
    rows = np.flatnonzero(timeline.is_operator)
    if not len(rows):
        rows = np.flatnonzero(timeline.is_api)
    if not len(rows):
        rows = np.flatnonzero(timeline.is_device)
    if not len(rows):
        return []
    lane = timeline.lane[rows]
    counts = np.bincount(lane)
    launches = np.bincount(timeline.lane[timeline.launcher[timeline.launcher >= 0]], minlength=len(counts))
    launching = launches[: len(counts)] > 0
    if (counts[launching] > 0).any():
        counts[~launching] = 0
    busiest = np.argsort(-counts, kind="stable")[:_BUSIEST]
    by_lane = [sequence_of(timeline, rows[lane == number]) for number in busiest.tolist() if counts[number]]
    by_lane.sort(key=lambda sequence: -len(sequence.names))
    least = _MIN_NAMES * len(by_lane[0].names) if by_lane else 0
    return [sequence for sequence in by_lane[:_MAX_LANES] if len(sequence.names) >= least]


def sequence_of(timeline: InterpretedTrace, rows: Ints) -> Sequence:
    """Builds the sequence of the outermost of these events of one lane, without synchronizations: the profiler itself
    makes some."""
    events, role_of = timeline.events, timeline.vendor.role_of
    rows = rows[~named(events, rows, lambda name: "Synchronize" in (role_of(name) or name))]
    if (np.diff(events.start_ns[rows]) <= 0).any():
        rows = rows[np.lexsort((-events.dur_ns[rows], events.start_ns[rows]))]
    start, end = events.start_ns[rows], np.maximum.accumulate(timeline.ends(rows))
    top = np.ones(len(rows), dtype=np.bool_)
    top[1:] = start[1:] >= end[:-1]
    codes = events.name[rows[top]]
    names = used_codes(codes, len(events.strings))
    place = places_of(names, len(events.strings)).astype(np.int64)
    calls = np.bincount(events.name[rows], minlength=len(events.strings))[names]
    nested = 2 * np.bincount(place[codes], minlength=len(names)) < calls
    updates = np.array([is_update(events.strings[code]) for code in names.tolist()], dtype=np.bool_)
    lane = int(timeline.lane[rows[0]]) if len(rows) else -1
    return Sequence(start[top], end[top], place[codes], names, nested, updates, lane)


def outside(sequence: Sequence, start_ns: Ints, end_ns: Ints) -> Sequence:
    """Returns the entries that start outside these ascending ranges."""
    around = np.searchsorted(start_ns, sequence.start_ns, side="right") - 1
    is_outside = (around < 0) | (sequence.start_ns >= end_ns[around])
    names, name = np.unique(sequence.name[is_outside], return_inverse=True)
    return Sequence(
        sequence.start_ns[is_outside], sequence.end_ns[is_outside], name.reshape(-1), sequence.names[names],
        sequence.nested[names], sequence.updates[names], sequence.lane,
    )  # fmt: skip


def score(sequence: Sequence, marks: Ints) -> Score:
    """Scores how well the ascending times `marks` (at least three) cut the sequence into iterations."""
    place = np.searchsorted(sequence.start_ns, marks)
    last = int(np.searchsorted(place, place[0] + MAX_SCORED, side="right")) - 1
    cut_short = last < len(place) - 1
    place = place[: max(last + 1, 3)]
    first, final = int(place[0]), int(place[-1])
    name, names = sequence.name, len(sequence.names)
    inside = name[first:final]
    count = len(place) - 1
    stretch = np.repeat(np.arange(count), np.diff(place))
    updated = len(unique(stretch[sequence.updates[inside]]))
    seen = unique(stretch * names + inside)
    known = np.bincount(seen % max(names, 1), minlength=names) >= min(KNOWN_IN, count)
    skipped = int(count >= MIN_WARM)
    share = np.bincount(seen[seen >= skipped * names] % max(names, 1), minlength=names) / (count - skipped)
    after = name[:0] if cut_short else name[final:][::-1]
    outside = [_whole(part, sequence) for part in (name[:first], after)]
    in_order, alike = _likeness(name, place)
    return Score(
        recurring=float((share >= IN_NEARLY_ALL).sum() / max((share > 0).sum(), 1)),
        in_order=in_order,
        alike=alike,
        foreign=max(_foreign(part, known) for part in outside),
        names=int((share >= IN_NEARLY_ALL).sum()),
        updating=updated / count if updated >= KNOWN_IN else None,
    )


def _whole(name: Ints, sequence: Sequence) -> Ints:
    """Leaves out leading names that are mostly inside others, before the first that is not: an operator in which the
    recording begins left them."""
    return name[int((~sequence.nested[name]).argmax()) :] if len(name) else name


def _foreign(name: Ints, known: NDArray[np.bool_]) -> float:
    """Share of the distinct names that are not known."""
    used = unique(name)
    return float((~known[used]).mean()) if len(used) else 0.0


def _likeness(name: Ints, place: Ints) -> tuple[float, float]:
    """Mean likeness of successive stretches: (in order, in order or by neighbors).

    Equal stretches are found by hashes; of the other pairs, the most frequent ones are compared.
    """
    kind = _classes(name, place)
    if len(kind) < 2:
        return 0.0, 0.0
    low, high = np.minimum(kind[:-1], kind[1:]), np.maximum(kind[:-1], kind[1:])
    _, first, counts = unique_first(low * len(kind) + high)
    in_order, alike, weight = 0.0, 0.0, 0
    for at in np.argsort(-counts, kind="stable")[:_MAX_PAIRS].tolist():
        pair, times = int(first[at]), int(counts[at])
        ordered, best = 1.0, 1.0
        if low[pair] != high[pair]:
            a, b = name[place[pair] : place[pair + 1]], name[place[pair + 1] : place[pair + 2]]
            ordered = likeness(a, b)
            best = max(ordered, _neighbors_alike(a, b))
        in_order += ordered * times
        alike += best * times
        weight += times
    return in_order / weight, alike / weight


def _classes(name: Ints, place: Ints) -> Ints:
    """(c,) Class of each stretch: stretches with the same names in the same order have one class (by a 64-bit hash)."""
    first, final = int(place[0]), int(place[-1])
    inside = name[first:final]
    base, back = 0x9E3779B97F4A7C15, pow(0x9E3779B97F4A7C15, -1, 2**64)
    # random codes by SplitMix64 (Steele, Lea, Flood 2014): importing numpy.random takes as long as scoring
    codes = np.arange(1, int(name.max(initial=0)) + 2, dtype=np.uint64) * np.uint64(base)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        codes = (codes ^ (codes >> np.uint64(shift))) * np.uint64(factor)
    powers = np.full(len(inside) + 1, base, dtype=np.uint64)
    powers[0] = 1
    powers = np.multiply.accumulate(powers)
    inverse = np.full(len(inside) + 1, back, dtype=np.uint64)
    inverse[0] = 1
    inverse = np.multiply.accumulate(inverse)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(codes[inside] * powers[:-1], dtype=np.uint64)])
    at = place - first
    hashes = (sums[at[1:]] - sums[at[:-1]]) * inverse[at[:-1]]
    return unique_places(hashes)[1]


def likeness(a: NDArray[np.integer], b: NDArray[np.integer]) -> float:
    """1 - edit distance / (len(a) + len(b)), where the edits are insertions and deletions.

    By the longest common subsequence (Hyyrö, Bit-parallel LCS-length computation revisited, 2004). Only the beginnings
    of long sequences are compared.
    """
    left, right = a[:_LONGEST_COMPARED].tolist(), b[:_LONGEST_COMPARED].tolist()
    if not left and not right:
        return 1.0
    where: dict[int, int] = {}
    for at, name in enumerate(left):
        where[name] = where.get(name, 0) | 1 << at
    full = (1 << len(left)) - 1
    state = full
    for name in right:
        match = state & where.get(name, 0)
        state = (state + match | state - match) & full
    common = len(left) - state.bit_count()
    return 2 * common / (len(left) + len(right))


def _neighbors_alike(a: Ints, b: Ints) -> float:
    """Share of distinct neighbor pairs in common: twice the number in common / the sum of both."""
    if min(len(a), len(b)) < 2:
        return 0.0
    base = max(int(a.max()), int(b.max())) + 1
    left, right = (unique(part[:-1] * base + part[1:]) for part in (a, b))
    return 2 * len(np.intersect1d(left, right, assume_unique=True)) / (len(left) + len(right))
