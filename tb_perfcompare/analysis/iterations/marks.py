"""Occurrences of something that happens once per iteration, and whether they can be steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.iterations.layers import holds_layers
from tb_perfcompare.analysis.iterations.sequences import IN_NEARLY_ALL, Score, Sequence, score
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.summary.iterations import Marker
from tb_perfcompare.quick_dataclass import dataclass

FEWEST = 3
"""Occurrences below which nothing repeats."""

MOST = 20_000
"""Iterations of one recording beyond which they are not taken for steps: every table has a column for each."""

LEAST_COVERED = 0.5
"""Share of the recording that iterations have to cover."""

LEAST_RECURRING, LEAST_ALIKE, MOST_FOREIGN, FEWEST_NAMES = 0.8, 0.8, 0.1, 3
"""What `Score` has to be for a mark whose name says nothing: layers of a model repeat, too, and a script that runs them
once has work before and after them that they do not have."""

AS_GOOD = 0.9
"""Of marks whose score is within this share of the best, the one that occurs most often has the true period."""

_ROUNDED_NS = 1_000
"""Times in whole microseconds overlap by up to this."""


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Iterations begin at `start_ns` (n,) ascending; the last one is cut off by the end of the recording.

    texts    raw name of each occurrence, () where all have one name
    rows     (r,) events that stand for whole iterations, as ProfilerStep does: their own time is nobody's
    alike    as of Marker
    nested   occurrences left out because they lie within another
    elsewhere  occurrences on other threads, left out
    every    occurrences that make one iteration, of which the last is kept
    lane     the thread or stream (InterpretedTrace.lane), -1 where there is none
    """

    origin: str
    name: str
    start_ns: Ints
    texts: tuple[str, ...] = ()
    rows: Ints | None = None
    alike: float | None = None
    nested: int = 0
    elsewhere: int = 0
    every: int = 1
    lane: int = -1

    def marker(self, extent: tuple[int, int]) -> Marker:
        """What is told of it; `extent` is the beginning and the end of the recording."""
        covered = int(self.start_ns[-1] - self.start_ns[0]) if len(self.start_ns) else 0
        count = max(len(self.start_ns) - 1, 0)
        length = extent[1] - extent[0]
        return Marker(
            self.origin, self.name, count, min(covered / length, 1.0) if length else 0.0,
            covered / count if count else 0.0, self.alike,
        )  # fmt: skip


def marks_of(
    timeline: InterpretedTrace, origin: str, name: str, rows: Ints, *, ends: bool = False, texts: bool = False,
    stands: bool = False,
) -> Marks:  # fmt: skip
    """Of the thread on which these events take most time, those inside no other one; iterations begin where they do,
    with `ends` where they end."""
    events = timeline.events
    lane = timeline.lane[rows]
    every = rows
    if len(rows):
        busy = np.bincount(lane, weights=events.dur_ns[rows] + 1)
        rows = rows[lane == int(busy.argmax())]
    rows = rows[np.lexsort((-events.dur_ns[rows], events.start_ns[rows]))]
    start, end = events.start_ns[rows], timeline.ends(rows)
    before = np.concatenate([start[:1], np.maximum.accumulate(end)[:-1]])
    later = np.concatenate([np.ones(len(start[:1]), bool), (np.diff(start) > 0) & (end[1:] > before[1:])])
    outer = (start + _ROUNDED_NS >= before) & later
    kept = rows[outer]
    at = timeline.ends(kept) if ends else events.start_ns[kept]
    return Marks(
        origin, name, at, tuple(events.strings[code] for code in events.name[kept].tolist()) if texts else (),
        every if stands else None, nested=int((~outer).sum()), elsewhere=len(every) - len(rows),
        lane=int(timeline.lane[rows[0]]) if len(rows) else -1,
    )  # fmt: skip


def can_be_steps(marks: Marks, extent: tuple[int, int]) -> bool:
    """Whether they repeat, do not nest and cover most of the recording."""
    marker = marks.marker(extent)
    return not marks.nested and FEWEST <= len(marks.start_ns) <= MOST and marker.coverage >= LEAST_COVERED


def is_iteration(found: Score, fewest_names: int = FEWEST_NAMES) -> bool:
    """Whether marks that cut a sequence with this score delimit iterations. Layers update no parameters each: a loop
    that does may have anything before and behind it."""
    return repeats(found, fewest_names) and (found.foreign <= MOST_FOREIGN or found.updating is not None)


def repeats(found: Score, fewest_names: int = FEWEST_NAMES) -> bool:
    """Whether the stretches are alike: iterations are, layers of a model are, too."""
    return found.recurring >= LEAST_RECURRING and found.alike >= LEAST_ALIKE and found.names >= fewest_names


def judged(
    marks: Marks, sequences: list[Sequence], fewest_names: int = FEWEST_NAMES, *, layers_too: bool = False
) -> tuple[float, Marks] | None:
    """The score of marks, recurring x in order, and the marks with how alike iterations are; each the mean over
    sequences, weighted by their names. None unless sequences with most of the names are cut into iterations: what
    repeats on one thread, a microbatch's backward pass or a batch being collated, may be a part of what the others do.
    None, too, where parameters are updated between some of the marks only: these delimit microbatches. Where they are
    between all, the score is 1: that every fifth step writes a log does not make five steps one."""
    total = sum(len(sequence.names) for sequence in sequences)
    value, alike, cut = 0.0, 0.0, 0
    left, trains, passes = total, False, False
    for sequence in sequences:
        names = len(sequence.names)
        left -= names
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
        if 2 * (cut + left) <= total:
            return None
    return (1.0 if trains or passes else value / total, replace(marks, alike=alike / cut)) if cut else None


def best_first(found: list[tuple[float, Marks]]) -> list[Marks]:
    """Of nearly equal scores the marks that occur most often, then those that occur first."""
    if not found:
        return []
    least = AS_GOOD * max(value for value, _ in found)
    good = [marks for value, marks in found if value >= least]
    return sorted(good, key=lambda marks: (-len(marks.start_ns), int(marks.start_ns[0])))


def one_to_one(marks: Marks, others: Marks) -> bool:
    """Whether both occur by turns."""
    if abs(len(marks.start_ns) - len(others.start_ns)) > 1:
        return False
    place = np.searchsorted(others.start_ns, marks.start_ns, side="right")
    return bool((np.diff(place) == 1).all())
