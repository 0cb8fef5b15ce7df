"""Iterations by annotations with several names, one around each: requests of a server that come in any order."""

from __future__ import annotations

from itertools import combinations, pairwise

from tb_perfcompare.analysis.iterations.annotations import AROUND, annotation_rows, other_names, rows_named
from tb_perfcompare.analysis.iterations.marks import Marks, can_be_steps, marks_of
from tb_perfcompare.analysis.iterations.sequences import IN_NEARLY_ALL, Sequence, score
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.names.numbers_out import BETWEEN, without_numbers
from tb_perfcompare.model.summary.iterations import ANNOTATION

_MOST_NAMES = 8


def turn_marks(timeline: InterpretedTrace, extent: tuple[int, int], sequences: list[Sequence]) -> list[Marks]:
    """Returns marks at outermost annotations of two to eight names that cover most of the recording, in any order.

    Excludes parts of an iteration (forward, backward, update), which have a fixed order, and microbatches of a
    pipeline, where parameters are updated between some of them only.
    """
    rows = annotation_rows(timeline)
    names = dict(other_names(timeline, rows))
    outermost = marks_of(timeline, ANNOTATION, "", rows_named(timeline, rows, names.values()), texts=True)
    turns = [without_numbers(text) for text in outermost.texts]
    used = sorted({*turns})
    if not 2 <= len(used) <= _MOST_NAMES or not _in_any_order(turns, used):
        return []
    own = rows_named(timeline, rows, [names[name] for name in used])
    marks = marks_of(timeline, ANNOTATION, BETWEEN.join(used), own, texts=True, encloses_steps=True)
    inside = int(timeline.events.dur_ns[own[timeline.lane[own] == marks.lane]].sum())
    if not can_be_steps(marks, extent) or inside < AROUND * (extent[1] - extent[0]):
        return []
    updating = [score(sequence, marks.start_ns).updating for sequence in sequences]
    return [] if any(share is not None and share < IN_NEARLY_ALL for share in updating) else [marks]


def _in_any_order(turns: list[str], used: list[str]) -> bool:
    """Whether for most pairs of names each follows the other; with two names also each itself."""
    follow = {*pairwise(turns)}
    if len(used) == 2:
        return len(follow) == len(used) ** 2
    both_ways = [(a, b) in follow and (b, a) in follow for a, b in combinations(used, 2)]
    return 2 * sum(both_ways) > len(both_ways)
