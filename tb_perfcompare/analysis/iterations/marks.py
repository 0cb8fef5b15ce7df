"""Occurrences of an event that happens once per iteration, tests whether they can be steps, and the first call of
each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.iterations.layers import holds_layers
from tb_perfcompare.analysis.iterations.sequences import IN_NEARLY_ALL, Score, Sequence, score
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import Ints, is_of
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.summary.iterations import Marker
from tb_perfcompare.quick_dataclass import dataclass

MIN_OCCURRENCES = 3
"""Least number of occurrences that count as repetition."""

MAX_ITERATIONS = 20_000
"""Largest number of iterations of one recording that can be steps: every table has a column for each."""

MIN_COVERED, MIN_PART = 0.5, 0.1
"""Least share of the recording that iterations must cover, and least share from which they may be a part of it, such
as training before a validation."""

MIN_RECURRING, MIN_LIKENESS, MAX_FOREIGN, MIN_NAMES = 0.8, 0.8, 0.1, 3
"""Limits of `Score` for marks whose names are unknown.

Layers of a model repeat, too, but have foreign calls around them: a script that runs a model once has work before and
after its layers that the layers lack.
"""

NEAR_BEST_SHARE = 0.9
"""Among marks whose score is at least this share of the best, the most frequent one has the true period."""

_ROUNDED_NS = 1_000
"""Largest overlap of consecutive times that are rounded to microseconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Iterations that begin at `start_ns` (n,), ascending; the last one is cut off by the end of the recording.

    texts      raw name of each occurrence, () if all have one name
    rows       (r,) events that enclose whole iterations, like ProfilerStep: they own no time themselves
    alike      as in Marker
    nested     number of occurrences dropped because they lie within another
    elsewhere  number of occurrences on other threads, dropped
    lane       the thread or stream (InterpretedTrace.lane), -1 if there is none
    """

    origin: str
    name: str
    start_ns: Ints
    texts: tuple[str, ...] = ()
    rows: Ints | None = None
    alike: float | None = None
    nested: int = 0
    elsewhere: int = 0
    lane: int = -1

    def marker(self, extent: tuple[int, int]) -> Marker:
        """Returns the description of these marks; `extent` is the start and end of the recording."""
        covered = int(self.start_ns[-1] - self.start_ns[0]) if len(self.start_ns) else 0
        count = max(len(self.start_ns) - 1, 0)
        length = extent[1] - extent[0]
        return Marker(
            self.origin, self.name, count, min(covered / length, 1.0) if length else 0.0,
            covered / count if count else 0.0, self.alike,
        )  # fmt: skip


def marks_of(
    timeline: InterpretedTrace, origin: str, name: str, rows: Ints, *, ends: bool = False, texts: bool = False,
    encloses_steps: bool = False,
) -> Marks:  # fmt: skip
    """Returns marks at the outermost of these events on the thread where they take most time; each starts an iteration.

    ends            iterations start where the events end
    texts           keep the raw name of each occurrence
    encloses_steps  the events enclose whole iterations
    """
    events = timeline.events
    lane = timeline.lane[rows]
    given = rows
    if len(rows):
        busy = np.bincount(lane, weights=events.dur_ns[rows] + 1)
        rows = rows[lane == int(busy.argmax())]
    rows = rows[np.lexsort((-events.dur_ns[rows], events.start_ns[rows]))]
    start, end = events.start_ns[rows], timeline.ends(rows)
    before = np.concatenate([start[:1], np.maximum.accumulate(end)[:-1]])
    later = np.concatenate([np.ones(len(start[:1]), bool), (np.diff(start) > 0) & (end[1:] > before[1:])])
    outer = (start + _ROUNDED_NS >= before) & later
    outermost = rows[outer]
    at = timeline.ends(outermost) if ends else events.start_ns[outermost]
    return Marks(
        origin, name, at, tuple(events.strings[code] for code in events.name[outermost].tolist()) if texts else (),
        given if encloses_steps else None, nested=int((~outer).sum()), elsewhere=len(given) - len(rows),
        lane=int(timeline.lane[rows[0]]) if len(rows) else -1,
    )  # fmt: skip


def can_be_steps(marks: Marks, extent: tuple[int, int], least: float = MIN_COVERED) -> bool:
    """Whether the marks repeat, do not nest and cover at least this share of the recording."""
    count = len(marks.start_ns)
    return not marks.nested and MIN_OCCURRENCES <= count <= MAX_ITERATIONS and marks.marker(extent).coverage >= least


def is_iteration(result: Score, fewest_names: int = MIN_NAMES) -> bool:
    """Whether marks that cut a sequence with this score delimit iterations.

    If stretches update parameters, foreign calls before and after do not matter: the stretches cannot be layers of a
    model, which do not update parameters one by one.
    """
    return repeats(result, fewest_names) and (result.foreign <= MAX_FOREIGN or result.updating is not None)


def repeats(result: Score, fewest_names: int = MIN_NAMES) -> bool:
    """Whether the stretches are alike, as iterations are, but also the layers of a model."""
    return result.recurring >= MIN_RECURRING and result.alike >= MIN_LIKENESS and result.names >= fewest_names


def judged(
    marks: Marks, sequences: list[Sequence], fewest_names: int = MIN_NAMES, *, layers_too: bool = False
) -> tuple[float, Marks] | None:
    """Scores marks: (score, the marks with how alike their iterations are), or None if they do not delimit iterations.

    The score is recurring x in_order, the likeness the mean over sequences, both weighted by numbers of names. It is 1
    if parameters are updated in all iterations or if iterations are passes through a model, so that logging in every
    fifth step does not turn five steps into one.

    None unless sequences with most of the names are cut into iterations: what repeats on one thread (the backward pass
    of a microbatch, collating a batch) may be a part of an iteration of the others. None, too, if parameters are
    updated between some of the marks only, as these delimit microbatches.
    """
    total = sum(len(sequence.names) for sequence in sequences)
    value, alike, cut = 0.0, 0.0, 0
    undecided, trains, passes = total, False, False
    for sequence in sequences:
        names = len(sequence.names)
        undecided -= names
        result = score(sequence, marks.start_ns)
        if result.updating is not None:
            if result.updating < IN_NEARLY_ALL:
                return None
            trains = True
        value += names * result.recurring * result.in_order
        if repeats(result, fewest_names):
            model = holds_layers(sequence, marks.start_ns)
            if model or layers_too or is_iteration(result, fewest_names):
                passes |= model
                cut += names
                alike += names * result.alike
        if 2 * (cut + undecided) <= total:
            return None
    return (1.0 if trains or passes else value / total, replace(marks, alike=alike / cut)) if cut else None


def best_first(scored: list[tuple[float, Marks]]) -> list[Marks]:
    """Sorts marks with nearly the best score by number of occurrences, most first, then by first occurrence."""
    if not scored:
        return []
    least = NEAR_BEST_SHARE * max(value for value, _ in scored)
    good = [marks for value, marks in scored if value >= least]
    return sorted(good, key=lambda marks: (-len(marks.start_ns), int(marks.start_ns[0])))


def one_to_one(marks: Marks, others: Marks) -> bool:
    """Whether both alternate."""
    if abs(len(marks.start_ns) - len(others.start_ns)) > 1:
        return False
    place = np.searchsorted(others.start_ns, marks.start_ns, side="right")
    return bool((np.diff(place) == 1).all())


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
