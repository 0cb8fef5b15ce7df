"""Moves the starts of iterations that an event within them marks to the iteration's first call."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.iterations.marks import MIN_OCCURRENCES, Marks
from tb_perfcompare.analysis.iterations.sequences import IN_NEARLY_ALL, Sequence
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import Ints, is_of
from tb_perfcompare.model.events import Category

_MAX_COMPARED = 4_000_000
"""Number of compared calls after which the search is given up."""


def from_the_beginning(
    timeline: InterpretedTrace, marks: Marks, sequences: list[Sequence], *, closed: bool = False
) -> Marks:
    """Moves marks to recurrences of the recording's first calls, if these occur once in every iteration.

    Otherwise moves them behind recurrences of the recording's last calls, if these do; otherwise returns them
    unchanged. With `closed`, only moves to the first calls, and only if each is preceded by the call that the recording
    ends with.
    """
    if not sequences or len(marks.start_ns) < MIN_OCCURRENCES:
        return marks
    sequence = min(sequences, key=lambda sequence: int(sequence.start_ns[0]))
    start, name = sequence.start_ns, sequence.name
    steady = ~sequence.nested[name]
    start, name = start[steady], name[steady]
    if not len(name):
        return marks
    edges = np.searchsorted(start, marks.start_ns)
    place = _once_in_each(name, edges)
    if place is None and not closed:
        place = _behind_the_ending(name, edges)
    if place is None or (closed and (name[place[1:] - 1] != name[-1]).any()):
        return marks
    return replace(marks, start_ns=_around(timeline, sequence, start[place]))


def _behind_the_ending(name: Ints, edges: Ints) -> Ints | None:
    """Returns places behind recurrences of the recording's last calls, None if they are not once in each iteration.

    For recordings whose first iteration begins with calls of its own. The first iteration is included if it has nearly
    all names as often as the second.
    """
    last = _once_in_each(name[::-1], len(name) - edges[::-1])
    if last is None or len(last) < MIN_OCCURRENCES:
        return None
    behind = len(name) - last[::-1]
    first, second = (np.bincount(part, minlength=int(name.max()) + 1) for part in np.split(name, behind[:2])[:2])
    is_complete = (first >= second)[second > 0].mean() >= IN_NEARLY_ALL
    return np.concatenate([[0] if is_complete else [], behind[behind < len(name)]]).astype(np.int64)


def _once_in_each(name: Ints, edges: Ints) -> Ints | None:
    """Returns the places of the shortest beginning of the sequence that occurs exactly once between each two edges.

    It may occur at most once before the first and after the last edge. None if there is no such beginning.
    """
    place, compared = np.flatnonzero(name == name[0]), 0
    for length in range(1, len(name)):
        compared += len(place)
        inside = np.searchsorted(edges, place, side="right")
        count = np.bincount(inside, minlength=len(edges) + 1)
        if (count[1:-1] < 1).any() or compared > _MAX_COMPARED:
            return None
        if (count[1:-1] == 1).all() and count[0] <= 1 and count[-1] <= 1:
            return place
        place = place[place + length < len(name)]
        place = place[name[place + length] == name[length]]
    return None


def _around(timeline: InterpretedTrace, sequence: Sequence, start_ns: Ints) -> Ints:
    """Returns the starts of these calls, or of annotations that start between the previous call and them."""
    events = timeline.events
    rows = np.flatnonzero(is_of(events.category, Category.ANNOTATION) & (timeline.lane == sequence.lane))
    begins = np.sort(events.start_ns[rows])
    before = np.searchsorted(sequence.start_ns, start_ns)
    end = np.concatenate([[np.iinfo(np.int64).min], sequence.end_ns])[before]
    first = np.searchsorted(begins, end)
    earliest: Ints = np.append(begins, np.iinfo(np.int64).max)[first]
    return np.asarray(np.minimum(start_ns, earliest))
