"""Matches the events of one step to those of another (docs/method/step_timelines.md#counterparts).

Events of a thread are matched in their order: first those of the same name below the same operators all the way up,
then, between two matches, those of the same name, and operators that differ only in their library. Device work is
ordered by its launches, by thread. The rest below matched operators is matched by position: another kernel in the
same place. Exchanging the sides exchanges the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.launches.alignment import align
from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Ints32, each_side
from tb_perfcompare.model.names.join_keys import without_library
from tb_perfcompare.model.summary.step_events import (
    DEVICE_LANES,
    KINDS,
    NO_EVENT,
    NameDifference,
    NameTotals,
    StepEvents,
)
from tb_perfcompare.quick_dataclass import dataclass

Both = tuple[Ints, Ints]
"""Arrays of the sides a and b."""

_DEVICE = "device"
_NO_JOB = 0
_JOBS_OF_CALLS = ("launch", "invoke", "memcpy", "memset", "synchronize")
"""Purposes of calls of all vendors, as they occur in names."""
_CALLED = ("calls", _DEVICE)
"""Sequences of events that operators call or launch."""


@dataclass(frozen=True, slots=True, eq=False)
class StepMatches:
    """Matches of the n events of a step a and the m events of a step b.

    of_a     (n,) int32 the event of b matched to each event of a, NO_EVENT without one
    of_b     (m,) int32 likewise
    renamed  (n,) bool matched by position, under another name
    """

    of_a: Ints32
    of_b: Ints32
    renamed: Flags

    def turned(self, b: StepEvents) -> StepMatches:
        """Returns the matches with the sides exchanged."""
        renamed = np.zeros(len(b), dtype=np.bool_)
        renamed[self.of_a[self.renamed]] = True
        return StepMatches(self.of_b, self.of_a, renamed)


def match_steps(a: StepEvents, b: StepEvents) -> StepMatches:
    matcher = _Matcher(a, b)
    for sequence in ("host", "python", "calls", _DEVICE, "ranges", "waits", "overhead", "other"):
        matcher.match(sequence)
    return StepMatches(matcher.partner[0], matcher.partner[1], matcher.renamed)


class _Matcher:
    """Matches so far: `partner` of each side's events, and which of a's are matched under another name."""

    def __init__(self, a: StepEvents, b: StepEvents) -> None:
        self._sides = (a, b)
        keys = [[name.key for name in side.names] for side in self._sides]
        self._key = _text_numbers(self._sides, keys)
        self._free = _text_numbers(self._sides, [[without_library(key) for key in names] for names in keys])
        self._path = _paths(self._sides, self._key)
        self.partner = tuple(np.full(len(side), NO_EVENT, dtype=np.int32) for side in self._sides)
        self.renamed = np.zeros(len(a), dtype=np.bool_)

    def match(self, sequence: str) -> None:
        """Matches the lanes of one kind, the first of a with the first of b and so on; device lanes all together."""
        lanes = [_sequences(side, sequence) for side in self._sides]
        for lane in sorted(lanes[0].keys() & lanes[1].keys()):
            both = lanes[0][lane], lanes[1][lane]
            self._align(both, self._places(both, sequence))
            for number in (self._key, self._free) if sequence == "host" else (self._key,):
                rest, gap = self._rest(both)
                self._align(rest, _pair_numbers(gap, _rows_of_both(number, rest)))
            if sequence in _CALLED:
                self._by_position(both)

    def _places(self, rows: Both, sequence: str) -> Both:
        """Numbers of the events' places: the operators around them and their names."""
        if sequence not in _CALLED:
            return _rows_of_both(self._path, rows)
        around = each_side(
            lambda side, path, own: _values_at(path, side.operator[own], 0), self._sides, self._path, rows
        )
        return _pair_numbers(around, _rows_of_both(self._key, rows))

    def _align(self, rows: Both, symbols: Both) -> None:
        alignment = align(*symbols)
        self._join(rows[0][alignment.at_a], rows[1][alignment.at_b])

    def _join(self, events_a: Ints, events_b: Ints) -> None:
        self.partner[0][events_a], self.partner[1][events_b] = events_b, events_a
        self.renamed[events_a] = self._key[0][events_a] != self._key[1][events_b]

    def _rest(self, rows: Both) -> tuple[Both, Both]:
        """(unmatched events of both, number of matches before each). Matches keep their order, so equal numbers mean
        a gap between the same two matches."""
        free = each_side(lambda partner, own: partner[own] == NO_EVENT, self.partner, rows)
        return _rows_of_both(rows, free), each_side(lambda is_free: np.cumsum(~is_free)[is_free], free)

    def _by_position(self, rows: Both) -> None:
        """Matches the k-th unmatched event below an operator with the k-th of the same purpose below the matched
        operator."""
        (events_a, events_b), _ = self._rest(rows)
        a, b = self._sides
        jobs = _jobs(a)[events_a], _jobs(b)[events_b]
        # the operator of b identifies the pair of operators
        below = _values_at(self.partner[0], a.operator[events_a], NO_EVENT), b.operator[events_b].astype(np.int64)
        identified = each_side(lambda outer, job: (outer != NO_EVENT) & (job != _NO_JOB), below, jobs)
        events_a, events_b = _rows_of_both((events_a, events_b), identified)
        groups = _pair_numbers(_rows_of_both(below, identified), _rows_of_both(jobs, identified))
        places = _pair_numbers(groups, each_side(_ordinal, groups))
        _, at_a, at_b = np.intersect1d(*places, assume_unique=True, return_indices=True)
        self._join(events_a[at_a], events_b[at_b])


def _sequences(side: StepEvents, kind: str) -> dict[int, Ints]:
    """Place among the lanes of its kind -> numbers of its events in order. The device is one sequence."""
    if kind == _DEVICE:
        rows = np.flatnonzero(side.in_lanes(DEVICE_LANES))
        return {0: rows[np.lexsort(_launch_order(side, rows))]} if len(rows) else {}
    sequences = {}
    for lane in side.lanes:
        if lane.kind == kind:
            rows = np.flatnonzero((side.row >= lane.first) & (side.row < lane.first + lane.rows))
            lane_number = int(lane.key.rpartition(".")[2])
            sequences[lane_number] = rows[np.lexsort((rows, side.row[rows], side.start_ns[rows]))]
    return sequences


def _launch_order(side: StepEvents, rows: Ints) -> tuple[Ints, ...]:
    """Sort keys of the order of launches, the last key first: by thread, then by time; work without a known launch
    comes last, by the time it ran."""
    launcher = side.launcher[rows]
    launched = launcher != NO_EVENT
    thread = np.where(launched, side.row[launcher], np.iinfo(np.int32).max).astype(np.int64)
    when = np.where(launched, side.start_ns[launcher], side.start_ns[rows])
    return rows, side.start_ns[rows], when, thread


def _text_numbers(sides: tuple[StepEvents, StepEvents], texts: list[list[str]]) -> Both:
    """((n,), (m,)) a number for every event, equal for equal texts on both sides; `texts` by name."""
    number = {text: index for index, text in enumerate(sorted({*texts[0], *texts[1]}))}
    return each_side(
        lambda side, own: np.array([number[text] for text in own], dtype=np.int64)[side.name], sides, texts
    )


def _rows_of_both(values: Both, rows: tuple[NDArray[Any], NDArray[Any]]) -> Both:
    return values[0][rows[0]], values[1][rows[1]]


def _values_at(values: AnyInts, rows: AnyInts, otherwise: int) -> Ints:
    """(k,) the values at these rows, `otherwise` if the row is NO_EVENT."""
    if not len(values):
        return np.full(len(rows), otherwise, dtype=np.int64)
    return np.where(rows == NO_EVENT, otherwise, values[rows]).astype(np.int64)


def _pair_numbers(first: Both, second: Both) -> Both:
    """((n,), (m,)) one number for each pair of numbers from 0 up, the same on both sides."""
    width = 1 + max((int(values.max(initial=0)) for values in second), default=0)
    code = [major * width + minor for major, minor in zip(first, second, strict=True)]
    _, number = np.unique(np.concatenate(code), return_inverse=True)
    number = number.reshape(-1).astype(np.int64)
    return number[: len(code[0])], number[len(code[0]) :]


def _paths(sides: tuple[StepEvents, StepEvents], key: Both) -> Both:
    """((n,), (m,)) a number from 1 up for the chain of names from the top of the lane down to each event."""
    path = [np.zeros(len(side), dtype=np.int64) for side in sides]
    waiting = [np.arange(len(side)) for side in sides]
    level = [np.flatnonzero(side.parent == NO_EVENT) for side in sides]
    base = 1
    while len(level[0]) or len(level[1]):
        upper = each_side(lambda own, side, rows: _values_at(own, side.parent[rows], 0), path, sides, level)
        numbers = _pair_numbers(upper, each_side(lambda own, rows: own[rows], key, level))
        for s in (0, 1):
            path[s][level[s]] = base + numbers[s]
        base += 1 + max(int(values.max(initial=0)) for values in numbers)
        for s in (0, 1):
            waiting[s] = waiting[s][path[s][waiting[s]] == 0]
            above = sides[s].parent[waiting[s]]
            level[s] = waiting[s][(above != NO_EVENT) & (path[s][above] != 0)]
    return path[0], path[1]


def _jobs(side: StepEvents) -> Ints:
    """(n,) number of what each event does, whatever its name: its kind, or the purpose of a call."""
    table = []
    for name in side.names:
        job = 1 + len(_JOBS_OF_CALLS) + name.kind
        if KINDS[name.kind] == "runtime":
            text = name.key.lower()
            job = next((1 + index for index, word in enumerate(_JOBS_OF_CALLS) if word in text), _NO_JOB)
        table.append(job)
    return np.array(table, dtype=np.int64)[side.name]


def _ordinal(groups: Ints) -> Ints:
    """(k,) number of earlier elements with the same group."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    first = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1)) if len(ordered) else np.zeros(0, dtype=np.int64)
    out = np.empty(len(groups), dtype=np.int64)
    out[order] = np.arange(len(groups)) - np.repeat(first, np.diff(np.append(first, len(groups))))
    return out


def name_differences(baseline: Iterable[NameTotals], candidate: Iterable[NameTotals]) -> tuple[NameDifference, ...]:
    """Differences by name: every name of either step once; names with one key are merged."""
    sides = [{(totals.key, totals.kind): totals for totals in side} for side in (baseline, candidate)]
    keys = dict.fromkeys((*sides[0], *sides[1]))
    differences = [
        NameDifference((a or b).name, key[1], (a, b))  # type: ignore[union-attr]
        for key in keys
        for a, b in [(sides[0].get(key), sides[1].get(key))]
    ]
    return tuple(sorted(differences, key=lambda totals: (-abs(totals.delta_ns), totals.name, totals.kind)))
